// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file `run` on real loops: under every schedule the same as the loop itself, exactly where the type is exact.
#include <cmath>
#include <numbers>

#include "files.hpp"
#include "support.hpp"

namespace twofold::tests {
namespace {

constexpr int n = 257;
const std::vector<std::string> schedules{"fold",
                                         "tree",
                                         "lanes=4",
                                         "tiles=16",
                                         "split=5",
                                         "tiles=16,tree",
                                         "tiles=8,split=3,tree",
                                         "threads",
                                         "reproducible",
                                         "tiles=32,lanes=4,threads=2,tree"};

//! Deterministic, irregular, both signs.
template <class T>
std::vector<T> sample(int count, double scale, double shift = 0) {
  std::vector<T> v;
  for (int i = 0; i < count; ++i)
    v.push_back(static_cast<T>(std::floor(64 * scale * std::sin(i * i * std::numbers::pi / 97 + i)) / 64 + shift));
  return v;
}

struct data : testing::Test {
  folder here;
  std::string cache = here / "cache";
  void SetUp() override {
    save("f.npy", array_of<float>("<f4", {n}, sample<float>(n, 3)));
    save("g.npy", array_of<float>("<f4", {n}, sample<float>(n, 1, 0.5)));
    save("d.npy", array_of<double>("<f8", {n}, sample<double>(n, 3)));
    save("i.npy", array_of<std::int32_t>("<i4", {n}, sample<std::int32_t>(n, 9)));
    save("m.npy", array_of<float>("<f4", {n, 4}, sample<float>(4 * n, 1)));
    save("q.npy", array_of<float>("<f4", {4}, sample<float>(4, 1)));
    save("none.npy", array_of<float>("<f4", {0}, std::vector<float>{}));
    std::vector<std::int8_t> text;
    for (int i = 0; i < n; ++i) text.push_back(static_cast<std::int8_t>(" ab(\n)c "[i * i % 8]));
    save("t.npy", array_of<std::int8_t>("|i1", {n}, text));
  }
  void save(const std::string& name, const cli::npy_array& a) const { cli::write_npy(here / name, a); }

  //! The words of a command, with file names turned into paths of this folder.
  outcome run(const std::string& loop, const std::vector<std::string>& inputs, std::vector<std::string> more) const {
    std::vector<std::string> words{"run", loop.starts_with("/") ? loop : loops + loop, "--cache", cache, "--json"};
    for (const std::string& i : inputs) {
      words.insert(words.end(), {"--input", i.substr(0, i.find('=') + 1) + (here / i.substr(i.find('=') + 1))});
    }
    words.insert(words.end(), more.begin(), more.end());
    return program(words);
  }

  void expect_same(const std::string& loop, const std::vector<std::string>& inputs, double tolerance,
                   std::vector<std::string> settings = {}) const {
    for (const std::string& s : schedules) {
      std::vector<std::string> more = settings;
      more.insert(more.end(), {"--schedule", s});
      const outcome o = run(loop, inputs, more);
      ASSERT_EQ(o.exit, 0) << loop << " under " << s << ": " << o.err;
      const nlohmann::json j = o.json();
      ASSERT_TRUE(j["max_difference"].is_number()) << loop << " under " << s << ": " << o.out;
      EXPECT_LE(j["max_difference"].get<double>(), tolerance) << loop << " under " << s << ": " << o.out;
      for (const char* key : {"outputs", "schedule", "device", "time_ms", "sequential"}) EXPECT_TRUE(j.contains(key)) << key;
    }
  }
};

TEST_F(data, integers_are_exact) {
  expect_same("max_segment_sum.cpp:max_segment_sum", {"x=i.npy"}, 0);
  expect_same("word_count.cpp:word_count", {"text=t.npy"}, 0);
}
TEST_F(data, a_scan_and_its_parameter) { expect_same("ema.cpp:smooth", {"x=f.npy"}, 2e-6, {"--set", "alpha=0.25"}); }
TEST_F(data, a_map_after_two_reductions) { expect_same("softmax.cpp:softmax", {"x=f.npy"}, 1e-6); }
TEST_F(data, rows_and_a_vector_answer) {
  expect_same("attention_naive.cpp:attention", {"q=q.npy", "k=m.npy", "v=m.npy"}, 2e-6, {"--set", "scale=0.5"});
}
TEST_F(data, a_structure_is_returned) { expect_same("welford.cpp:variance", {"x=d.npy"}, 1e-12); }
TEST_F(data, a_span_is_taken) { expect_same("variance_two_pass.cpp:variance", {"x=d.npy"}, 1e-12); }
TEST_F(data, positions_are_known) { expect_same("argmax.cpp:argmax", {"x=f.npy"}, 0); }

TEST_F(data, every_form_of_parameter_and_answer) {
  struct form {
    const char* function;
    const char* input;
    double tolerance;
  };
  for (const form& f :
       {form{"user::total", "x=d.npy", 1e-11}, form{"range_by_reference", "x=f.npy", 0}, form{"scalars_by_reference", "x=f.npy", 0},
        form{"mean_by_pointer", "x=d.npy", 1e-13}, form{"of_view", "v.data=f.npy", 1e-4}, form{"rows_of_fixed_length", "rows=m.npy", 1e-4},
        form{"running_maximum", "x=f.npy", 0}, form{"pair_of_sums", "x=d.npy", 1e-10}, form{"backwards", "x=i.npy", 0},
        form{"sums_before", "x=i.npy", 0}, form{"hash", "text=t.npy", 0}}) {
    const outcome o =
        run(std::string(TWOFOLD_SOURCE_DIR "/tests/cli/data/forms.cpp:") + f.function, {f.input}, {"--schedule", "tiles=16,split=3,tree"});
    ASSERT_EQ(o.exit, 0) << f.function << ": " << o.err;
    ASSERT_TRUE(o.json()["max_difference"].is_number()) << f.function << o.out;
    EXPECT_LE(o.json()["max_difference"].get<double>(), f.tolerance) << f.function << o.out;
  }
}

//! Tiles of 128 and more are leaves in vector lanes, without a word of the user's: exponentials, neighbours, two arrays, parameters.
TEST_F(data, large_tiles_run_in_vector_lanes) {
  constexpr int many = 30011;
  save("f.npy", array_of<float>("<f4", {many}, sample<float>(many, 3)));
  save("g.npy", array_of<float>("<f4", {many}, sample<float>(many, 1, 0.5)));
  save("d.npy", array_of<double>("<f8", {many}, sample<double>(many, 3)));
  struct loop {
    const char* name;
    std::vector<std::string> inputs, settings;
  };
  const std::vector<loop> all{{"softmax_online.cpp:denominator", {"x=f.npy"}, {}},
                              {"total_variation.cpp:total_variation", {"x=d.npy"}, {}},
                              {"dot.cpp:dot", {"a=f.npy", "b=g.npy"}, {}},
                              {"horner.cpp:horner", {"coefficient=d.npy"}, {"--set", "x=0.75"}}};
  for (const loop& l : all) {
    std::vector<std::string> more = l.settings;
    more.insert(more.end(), {"--schedule", "tiles=4096,tree"});
    const outcome o = run(l.name, l.inputs, more);
    ASSERT_EQ(o.exit, 0) << l.name << o.err;  // what differs is explained by rounding
    const nlohmann::json j = o.json();
    EXPECT_LE(j["max_difference"].get<double>(), 1e-4 * std::fabs(j["outputs"]["return"].get<double>())) << l.name << o.out;
  }
  std::size_t in_lanes = 0;
  for (const auto& file : std::filesystem::directory_iterator(cache + "/run"))
    in_lanes += file.path().extension() == ".cpp" && cli::read_file(file.path()).find("cpu::in_lanes<") != std::string::npos ? 1 : 0;
  EXPECT_EQ(in_lanes, all.size());
}

TEST_F(data, an_empty_input_gives_what_the_loop_gives) {
  const outcome o = run("softmax_online.cpp:denominator", {"x=none.npy"}, {"--schedule", "tiles=8,split=3,tree"});
  ASSERT_EQ(o.exit, 0) << o.err;
  EXPECT_EQ(o.json()["outputs"]["return"], 0.0);
  EXPECT_EQ(o.json()["max_difference"], 0.0);
}

TEST_F(data, outputs_are_kept_and_compiled_code_is_reused) {
  const std::vector<std::string> settings{"--set", "alpha=0.25", "--output", "y=" + (here / "y.npy")};
  const outcome first = run("ema.cpp:smooth", {"x=f.npy"}, settings), second = run("ema.cpp:smooth", {"x=g.npy"}, settings);
  ASSERT_EQ(second.exit, 0) << second.err;
  EXPECT_FALSE(first.json()["compiled"]["cached"].get<bool>());
  EXPECT_TRUE(second.json()["compiled"]["cached"].get<bool>());
  const cli::npy_array y = cli::read_npy(here / "y.npy");
  EXPECT_EQ(y.dtype, "<f4");
  EXPECT_EQ(y.shape, (std::vector<std::int64_t>{n}));
  EXPECT_NE(first.err.find("compiles and runs"), std::string::npos);
}

//! 1e8 swallows the ones that a tree adds up first: a stable sum differs by no more than its inputs being a little off would make it.
TEST_F(data, what_rounding_explains_is_no_failure_and_what_it_does_not_is) {
  const std::string source =
      here.write("rounding.cpp",
                 "float sum(const float* x, int n) {\n  float s = 0;\n  for (int i = 0; i < n; ++i) s += x[i];\n  return s;\n}\n"
                 "double variance(const double* x, int n) {\n  double s = 0, q = 0;\n"
                 "  for (int i = 0; i < n; ++i) {\n    s += x[i];\n    q += x[i] * x[i];\n  }\n  return q / n - s / n * (s / n);\n}\n");
  std::vector<float> hard(4096, 1.0F);
  hard[0] = 1e8F;
  save("hard.npy", array_of<float>("<f4", {4096}, hard));
  const outcome explained = run(source + ":sum", {"x=hard.npy"}, {"--schedule", "tree"});
  EXPECT_EQ(explained.exit, 0) << explained.out;
  EXPECT_GT(explained.json()["max_difference"].get<double>(), 1000);
  EXPECT_TRUE(explained.json()["agree"].get<bool>());
  const outcome strict =
      run(source + ":sum", {"x=hard.npy"}, {"--schedule", "tree", "--tolerance", "1e-6", "-o", "return=" + (here / "r.npy")});
  EXPECT_EQ(strict.exit, 1) << strict.out;
  EXPECT_FALSE(strict.json()["agree"].get<bool>());
  EXPECT_TRUE(strict.json()["differences"][0]["unexplained"].get<bool>());
  EXPECT_FALSE(std::filesystem::exists(here / "r.npy")) << "what does not agree is not kept";
  EXPECT_EQ(run(source + ":sum", {"x=hard.npy"}, {"--schedule", "tree", "--tolerance", "-1"}).exit, 2);
}

TEST_F(data, nothing_is_written_where_something_is_wrong) {
  const outcome o = run("ema.cpp:smooth", {"x=d.npy"}, {"--set", "alpha=0.25", "--output", "y=" + (here / "y.npy")});
  EXPECT_EQ(o.exit, 2);
  EXPECT_EQ(o.json()["error"]["code"], "TF2112");
  EXPECT_FALSE(std::filesystem::exists(here / "y.npy"));
  EXPECT_EQ(run("ema.cpp:smooth", {"x=f.npy"}, {"--set", "alpha=0.25", "--output", "z=" + (here / "y.npy")}).json()["error"]["code"],
            "TF2114");
  EXPECT_FALSE(std::filesystem::exists(here / "y.npy"));
}

TEST_F(data, a_loop_that_crashes_is_reported) {
  const std::string source =
      here.write("crash.cpp",
                 "float sum(const float* x, int n) {\n  float s = 0;\n  for (int i = 0; i < n; ++i) s += x[i];\n  return s;\n}\n"
                 "__attribute__((constructor)) static void trap() { __builtin_trap(); }\n");
  const outcome o = program({"run", source + ":sum", "--input", "x=" + (here / "f.npy"), "--cache", cache, "--json"});
  EXPECT_EQ(o.exit, 2);
  EXPECT_EQ(o.json()["error"]["code"], "TF3102");
}

}  // namespace
}  // namespace twofold::tests
