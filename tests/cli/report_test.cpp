// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Reports and JSON of decisions made by hand, compared with files in golden/. A wanted change: run with TWOFOLD_UPDATE_GOLDEN=1.
#include "report.hpp"

#include <cstdlib>

#include "decisions.hpp"
#include "support.hpp"

namespace twofold::tests {
namespace {

void expect_golden(const std::string& name, const std::string& text) {
  const std::string path = TWOFOLD_SOURCE_DIR "/tests/cli/golden/" + name;
  if (std::getenv("TWOFOLD_UPDATE_GOLDEN") != nullptr) cli::write_file(path, text);
  EXPECT_EQ(cli::read_file(path), text) << name;
}

cli::circumstances measured() {
  cli::circumstances c;
  c.milliseconds = 12.5;
  c.assumed = {"n>=1"};
  return c;
}

struct golden : testing::TestWithParam<std::pair<const char*, example (*)()>> {};

TEST_P(golden, report) {
  const auto [name, make] = GetParam();
  const example x = make();
  expect_golden(std::string(name) + ".txt", cli::report(x.loop, x.answer, measured(), {}));
}

TEST_P(golden, json) {
  const auto [name, make] = GetParam();
  const example x = make();
  expect_golden(std::string(name) + ".json", cli::to_json(x.loop, x.answer, measured()).dump(2) + "\n");
}

INSTANTIATE_TEST_SUITE_P(decisions, golden,
                         testing::Values(std::pair{"softmax", &softmax}, std::pair{"streaks", &streaks}, std::pair{"vote", &vote},
                                         std::pair{"undecided", &undecided}, std::pair{"weighted_rows", &weighted_rows}),
                         [](const auto& p) { return std::string(p.param.first); });

//! Scripts read these names: the list changes only together with the schema number.
TEST(json, has_the_fields_of_schema_1) {
  const example x = softmax();
  std::vector<std::string> keys;
  const auto object = cli::to_json(x.loop, x.answer, {});
  for (const auto& [key, value] : object.items()) keys.push_back(key);
  EXPECT_EQ(keys,
            (std::vector<std::string>{"schema", "file",  "function", "line",     "verdict",     "scope", "bounded_state", "assumptions",
                                      "state",  "lift",  "combine",  "finalize", "commutative", "twist", "proof",         "counterexample",
                                      "cost",   "order", "machine",  "numerics", "tried",       "notes", "time_ms"}));
}

TEST(report, colours_only_labels_and_verdict) {
  const example x = softmax();
  std::string painted = cli::report(x.loop, x.answer, {}, cli::style{true});
  EXPECT_NE(painted.find("\033[1;32massociative:\033[0m"), std::string::npos);
  for (std::size_t at; (at = painted.find('\033')) != std::string::npos;) painted.erase(at, painted.find('m', at) - at + 1);
  EXPECT_EQ(painted, cli::report(x.loop, x.answer, {}, {}));
}

//! Each of 32 doublings of a polynomial over GF(2) is read three times by the next: written out, the merge would have 3^32 parts.
TEST(report, shared_parts_of_formulas_are_not_written_again_and_again) {
  const folder here;
  const std::string file =
      here.write("crc.cpp",
                 "unsigned crc(const unsigned char* p, unsigned long n) {\n  unsigned c = ~0u;\n  for (unsigned long i = 0; i < n; "
                 "++i) {\n    c ^= p[i];\n    for (int k = 0; k < 8; ++k) c = c & 1 ? c >> 1 ^ 0xedb88320u : c >> 1;\n  }\n  return "
                 "~c;\n}\n");
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{{"check", file + ":crc"},
                                                                                     {"check", file + ":crc", "--json"},
                                                                                     {"check", file + ":crc", "--html", here / "crc.html"},
                                                                                     {"emit", file + ":crc"}}) {
    const outcome o = program(words);
    EXPECT_EQ(o.exit, 0) << words[0] << o.err;
    EXPECT_LT(o.out.size(), 1'000'000U);
  }
}

}  // namespace
}  // namespace twofold::tests
