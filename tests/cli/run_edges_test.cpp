// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file `run` where things go wrong or are unusual: names that clash, code that throws, leaves or never ends, caches that are damaged,
//! results that differ. Each test compiles as little as it can.
#include <fcntl.h>
#include <sys/stat.h>

#include <cmath>
#include <limits>

#include "support.hpp"

namespace twofold::tests {
namespace {
namespace fs = std::filesystem;

const std::string sum_of = " float s = 0; for (int i = 0; i < n; ++i) s += x[i]; return s; }\n";

struct edges : testing::Test {
  folder here;
  std::string cache = here / "cache", x = here / "x.npy", ints = here / "i.npy";
  void SetUp() override {
    cli::write_npy(x, array_of<float>("<f4", {4}, {1, 2, 3, 4}));
    cli::write_npy(ints, array_of<std::int32_t>("<i4", {4}, {1, 2, 3, 4}));
  }
  outcome run(const std::string& target, std::vector<std::string> more) const {
    std::vector<std::string> words{"run", target, "--cache", cache, "--json"};
    words.insert(words.end(), more.begin(), more.end());
    return program(words);
  }
};

TEST_F(edges, no_name_of_the_users_is_in_the_way) {
  const std::string source = here.write(
      "names.cpp",
      "#define N 3\n#define T float\n#define S s\nnamespace deep { struct state { float a; };\nfloat total(const float* x, int n, state "
      "from) { "
      "float s = from.a; for (int i = 0; i < n; ++i) s += x[i]; return s; } }\nfloat f(const float* x, int n) {" +
          sum_of + "float a0(const float* f, int answer) { float s = 0; for (int i = 0; i < answer; ++i) s += f[i]; return s; }\n" +
          "namespace { float hidden(const float* x, int n) {" + sum_of + "}\nstruct k { static float member(const float* x, int n) {" +
          sum_of + "};\nfloat abs(const float* x, int n) {" + sum_of +
          "template <class U> U of_any(const U* x, int n) { U s = 0; for (int i = 0; i < n; ++i) s += x[i]; return s; }\ntemplate float "
          "of_any(const float*, int);\nint main() { return N; }\n");
  for (const auto& [function, array] : std::vector<std::pair<std::string, std::string>>{
           {"f", "x"}, {"a0", "f"}, {"hidden", "x"}, {"member", "x"}, {"abs", "x"}, {"of_any", "x"}}) {
    const outcome o = run(source + ":" + function, {"--input", array + "=" + x});
    ASSERT_EQ(o.exit, 0) << function << o.err;
    EXPECT_EQ(o.json()["outputs"]["return"], 10.0) << function;
  }
  const outcome o = run(source + ":total", {"--input", "x=" + x, "--set", "from.a=1"});
  ASSERT_EQ(o.exit, 0) << o.err;
  EXPECT_EQ(o.json()["outputs"]["return"], 11.0);
}

TEST_F(edges, overloads_are_told_apart_by_what_is_given) {
  const std::string source =
      here.write("two.cpp", "float total(const float* x, int n) {" + sum_of +
                                "int total(const int* x, int n) { int s = 0; for (int i = 0; i < n; ++i) s += x[i]; return s; }\n");
  for (const std::string& input : {x, ints}) {
    const outcome o = run(source + ":total", {"--input", "x=" + input});
    ASSERT_EQ(o.exit, 0) << o.err;
    EXPECT_EQ(o.json()["outputs"]["return"].is_number_integer(), input == ints);
  }
}

TEST_F(edges, what_a_file_does_when_it_is_loaded_is_told_from_the_loop) {
  const auto said = [&](const std::string& name, const std::string& before, std::vector<std::string> more = {}) {
    more.insert(more.end(), {"--input", "x=" + x});
    return run(here.write(name, "#include <cstdlib>\n#include <stdexcept>\n" + before + "float f(const float* x, int n) {" + sum_of) + ":f",
               more);
  };
  const outcome threw = said("t.cpp", "static int t = []() -> int { throw std::runtime_error(\"no table\"); }();\n");
  EXPECT_EQ(threw.exit, 2);
  EXPECT_EQ(threw.json()["error"]["code"], "TF3103");
  EXPECT_NE(threw.json()["error"]["what"].get<std::string>().find("no table"), std::string::npos) << threw.out;
  EXPECT_NE(threw.json()["error"]["what"].get<std::string>().find("when it is loaded"), std::string::npos) << threw.out;
  EXPECT_EQ(threw.err.find("TF7001"), std::string::npos) << "no mistake of twofold: " << threw.err;

  const outcome left = said("e.cpp", "static int t = (std::exit(0), 1);\n");
  EXPECT_EQ(left.exit, 2);
  EXPECT_EQ(left.json()["error"]["code"], "TF3102");
  EXPECT_NE(left.json()["error"]["what"].get<std::string>().find("left the program with status 0"), std::string::npos) << left.out;

  const outcome endless =
      said("l.cpp", "static int t = [] { for (volatile int i = 0;; i = 1) {} return 0; }();\n", {"--run-seconds", "0.5"});
  EXPECT_EQ(endless.exit, 3);
  EXPECT_EQ(endless.json()["error"]["code"], "TF4101");
  EXPECT_NE(endless.json()["error"]["fix"].get<std::string>().find("--run-seconds"), std::string::npos) << endless.out;
}

TEST_F(edges, a_damaged_library_is_compiled_again) {
  const std::string source = here.write("f.cpp", "float f(const float* x, int n) {" + sum_of);
  const std::vector<std::string> more{"--input", "x=" + x};
  ASSERT_EQ(run(source + ":f", more).exit, 0);
  EXPECT_TRUE(run(source + ":f", more).json()["compiled"]["cached"].get<bool>());
  for (const auto& entry : fs::directory_iterator(cache + "/run")) {
    if (entry.path().extension() != ".so") continue;
    std::string bytes = cli::read_file(entry.path());
    bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] + 1);
    cli::write_file(entry.path(), bytes);
  }
  const outcome o = run(source + ":f", more);
  ASSERT_EQ(o.exit, 0) << o.err;
  EXPECT_FALSE(o.json()["compiled"]["cached"].get<bool>());
}

TEST_F(edges, a_cache_that_cannot_be_used_is_done_without) {
  const std::string source = here.write("f.cpp", "float f(const float* x, int n) {" + sum_of), file = here.write("file", "no folder");
  const outcome o = program({"run", source + ":f", "--input", "x=" + x, "--cache", file, "--json"});
  ASSERT_EQ(o.exit, 0) << o.err;
  EXPECT_EQ(o.json()["outputs"]["return"], 10.0);
  EXPECT_NE(o.err.find("cannot be used"), std::string::npos) << o.err;
}

//! The loop's own int overflows; the merge is computed in 64 bits and does not.
TEST_F(edges, exact_results_that_differ_are_no_success) {
  const std::int32_t most = std::numeric_limits<std::int32_t>::max();
  cli::write_npy(ints, array_of<std::int32_t>("<i4", {4}, {most, most, -most, 5}));
  const std::string y = here / "y.npy";
  const std::string source =
      here.write("best.cpp",
                 "int best(const int* x, int n) {\n  int best = 0, ending_here = 0;\n  for (int i = 0; i < n; ++i) {\n"
                 "    ending_here = ending_here + x[i] > 0 ? ending_here + x[i] : 0;\n"
                 "    best = best > ending_here ? best : ending_here;\n  }\n  return best;\n}\n");
  const outcome o = run(source + ":best", {"--input", "x=" + ints, "--schedule", "tiles=2,tree", "-o", "return=" + y});
  ASSERT_EQ(o.exit, 1) << o.out << o.err;
  const nlohmann::json j = o.json();
  EXPECT_FALSE(j["agree"].get<bool>());
  EXPECT_GT(j["max_difference"].get<double>(), 0);
  ASSERT_EQ(j["differences"].size(), 1u);
  EXPECT_EQ(j["differences"][0]["output"], "return");
  EXPECT_TRUE(j["differences"][0]["exact"].get<bool>());
  EXPECT_FALSE(fs::exists(y));
}

//! std::max keeps its first argument where the second is NaN: a piece that begins with NaN forgets what the loop remembers.
TEST_F(edges, a_nan_on_one_side_alone_is_said) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  cli::write_npy(x, array_of<float>("<f4", {4}, {1, 7, nan, 2}));
  const std::string source =
      here.write("m.cpp",
                 "float most(const float* x, int n) { float m = x[0]; for (int i = 0; i < n; ++i) m = x[i] < m ? m : x[i]; "
                 "return m; }\n");
  const std::vector<std::string> words{"run", source + ":most", "--cache", cache, "--input", "x=" + x, "--schedule", "tiles=1,tree"};
  const outcome text = program(words);
  ASSERT_NE(text.exit, 2) << text.err;  // 1: rounding does not explain a NaN
  const nlohmann::json j = run(source + ":most", {"--input", "x=" + x, "--schedule", "tiles=1,tree"}).json();
  EXPECT_EQ(text.exit, j["max_difference"] == 0.0 ? 0 : 1);
  if (j["max_difference"] == 0.0) GTEST_SKIP() << "both agree on NaN here: " << j.dump();
  ASSERT_EQ(j["differences"].size(), 1u);
  EXPECT_EQ(j["differences"][0]["special"].get<int>() > 0, text.out.find("NaN or infinite on one side alone") != std::string::npos)
      << text.out;
}

TEST_F(edges, structures_are_nested) {
  cli::write_npy(here / "d.npy", array_of<double>("<f8", {3}, {1, 2, 3}));
  const outcome o = run(loops + "welford.cpp:variance", {"--input", "x=" + (here / "d.npy"), "-o", "return.mean=" + (here / "mean.npy")});
  ASSERT_EQ(o.exit, 0) << o.err;
  EXPECT_EQ(o.json()["outputs"]["return"]["mean"], 2.0);
  EXPECT_TRUE(o.json()["sequential"]["outputs"]["return"]["variance"].is_number());
  EXPECT_TRUE(fs::exists(here / "mean.npy"));
}

TEST_F(edges, a_loop_over_all_but_the_last_takes_the_whole_array) {
  const std::string source =
      here.write("part.cpp", "float part(const float* x, int n) { float s = 0; for (int i = 0; i < n - 1; ++i) s += x[i]; return s; }\n");
  const outcome inferred = run(source + ":part", {"--input", "x=" + x});
  ASSERT_EQ(inferred.exit, 0) << inferred.err;
  EXPECT_EQ(inferred.json()["outputs"]["return"], 6.0);
  const outcome set = run(source + ":part", {"--input", "x=" + x, "--set", "n=3"});
  ASSERT_EQ(set.exit, 0) << set.err;
  EXPECT_EQ(set.json()["outputs"]["return"], 3.0);
  EXPECT_EQ(run(source + ":part", {"--input", "x=" + x, "--set", "n=6"}).json()["error"]["code"], "TF2116");
}

TEST_F(edges, outputs_are_refused_before_anything_runs) {
  const std::string ema = loops + "ema.cpp:smooth", pipe = here / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  const std::vector<std::string> inputs{"--input", "x=" + x, "--set", "alpha=0.5"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.end(), inputs.begin(), inputs.end());
    return run(ema, more);
  };
  EXPECT_EQ(with({"-o", "y=" + here / ""}).json()["error"]["code"], "TF2125");
  EXPECT_EQ(with({"-o", "y=/dev/stdout"}).json()["error"]["code"], "TF2125");
  EXPECT_EQ(run(ema, {"--input", "x=" + pipe, "--set", "alpha=0.5"}).json()["error"]["code"], "TF2125");
  EXPECT_FALSE(fs::exists(cache + "/run")) << "nothing was compiled";
  const nlohmann::json missing = run(ema, {"--input", "x=" + x}).json()["error"];
  EXPECT_EQ(missing["code"], "TF2114");
  EXPECT_TRUE(missing["line"].is_number()) << "the loop's place: " << missing.dump();
  EXPECT_NE(with({"-o", "yy=" + (here / "y.npy")}).json()["error"]["fix"].get<std::string>().find("did you mean --output y="),
            std::string::npos);
}

}  // namespace
}  // namespace twofold::tests
