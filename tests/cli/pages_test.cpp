// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Every code that the sources can print has a page, every page a cause, a reproducer and a fix, and a source that prints it.
#include <regex>
#include <set>

#include "error_pages.hpp"
#include "support.hpp"

namespace twofold::tests {
namespace {

std::set<std::string> codes_in(const std::string& folder) {
  std::set<std::string> codes;
  const std::regex code("TF[0-9]{4}");
  for (const auto& f : std::filesystem::recursive_directory_iterator(folder)) {
    const std::string extension = f.path().extension().string();
    if (extension != ".cpp" && extension != ".hpp" && extension != ".cuh" && extension != ".cu") continue;
    const std::string text = cli::read_file(f.path().string());
    for (std::sregex_iterator i(text.begin(), text.end(), code), end; i != end; ++i) codes.insert(i->str());
  }
  return codes;
}

TEST(pages, every_code_has_one_and_every_one_a_code) {
  std::set<std::string> used = codes_in(TWOFOLD_SOURCE_DIR "/src"), pages;
  used.merge(codes_in(TWOFOLD_SOURCE_DIR "/include"));
  for (const cli::error_page& p : cli::error_pages()) pages.insert(std::string(p.code));
  for (const std::string& c : used) EXPECT_TRUE(pages.contains(c)) << c << " has no page in docs/errors";
  for (const std::string& c : pages) EXPECT_TRUE(used.contains(c)) << c << " is printed nowhere";
}

TEST(pages, each_has_its_four_parts) {
  for (const cli::error_page& p : cli::error_pages()) {
    EXPECT_TRUE(p.text.starts_with("# " + std::string(p.code) + ": ")) << p.code;
    for (const char* part : {"\n## Message\n", "\n## Cause\n", "\n## Smallest reproducer\n```", "\n## Fix\n"})
      EXPECT_NE(p.text.find(part), std::string_view::npos) << p.code << " lacks" << part;
  }
}

TEST(pages, explain_prints_them) {
  const outcome page = program({"explain", "tf2111"});
  EXPECT_EQ(page.exit, 0);
  EXPECT_TRUE(page.out.starts_with("# TF2111: "));
  EXPECT_TRUE(page.err.empty());
  const outcome list = program({"explain", "--json"});
  EXPECT_EQ(list.json()["codes"].size(), cli::error_pages().size());
  const outcome none = program({"explain", "TF0000"});
  EXPECT_EQ(none.exit, 2);
  EXPECT_NE(none.err.find("TF2123"), std::string::npos);
}

}  // namespace
}  // namespace twofold::tests
