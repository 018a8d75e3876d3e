// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The program from outside: help, exit codes, where results and complaints go, one JSON object also on failure.
#include "support.hpp"

namespace twofold::tests {
namespace {

TEST(help, has_examples_everywhere) {
  EXPECT_NE(program({"--help"}).out.find("examples:\n  twofold check"), std::string::npos);
  for (const std::string sub : {"check", "run", "emit", "info", "explain"}) {
    const outcome o = program({sub, "--help"});
    EXPECT_EQ(o.exit, 0);
    EXPECT_NE(o.out.find("examples:\n  twofold " + sub), std::string::npos) << sub;
    EXPECT_NE(o.out.find("--json"), std::string::npos) << sub;
  }
  EXPECT_EQ(program({"--version"}).out.find("twofold "), 0u);
}

TEST(usage, is_refused_with_a_code_and_a_fix) {
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{},
                                             {"frobnicate"},
                                             {"check"},
                                             {"run"},
                                             {"emit"},
                                             {"numerics"},
                                             {"bench"},
                                             {"check", "a.cpp", "--shedule", "tree"},
                                             {"check", "a.cpp:f", "--seconds", "-1"},
                                             {"check", "a.cpp:f", "--seconds", "soon"},
                                             {"run", loops + "dot.cpp:dot", "--input", "noname"},
                                             {"run", loops + "dot.cpp:dot", "--device", "abacus"}}) {
    const outcome o = program(words);
    EXPECT_EQ(o.exit, 2) << (words.empty() ? "" : words.front());
    EXPECT_NE(o.err.find("error TF2120"), std::string::npos) << o.err;
    EXPECT_NE(o.err.find("  fix  "), std::string::npos);
    EXPECT_TRUE(o.out.empty());
  }
}

struct refusal {
  std::vector<std::string> words;
  int exit;
  const char* code;
};

TEST(usage, each_mistake_has_its_code) {
  const folder here;
  const std::string dot = loops + "dot.cpp:dot", broken = here.write("broken.cpp", "int f(const int* x, int n) { return x[; }\n"),
                    empty = here.write("empty.cpp", "int twice(int x) { return 2 * x; }\n");
  const refusal all[] = {
      {{"check", here / "absent.cpp:f"}, 2, "TF2101"},
      {{"check", loops + "dot.cpp:"}, 2, "TF2124"},
      {{"run", loops + "dot.cpp"}, 2, "TF2124"},
      {{"emit", loops + "dot.cpp"}, 2, "TF2124"},
      {{"check", broken + ":f"}, 2, "TF2103"},
      {{"check", loops + "dot.cpp:product"}, 2, "TF2104"},
      {{"check", empty}, 2, "TF2106"},
      {{"check", dot, "--assume", "n ~ 1"}, 2, "TF2121"},
      {{"emit", dot, "--target", "fortran"}, 2, "TF2122"},
      {{"run", dot, "--schedule", "tile=128"}, 2, "TF2205"},
      {{"run", dot, "--schedule", "tree,fold"}, 2, "TF2205"},
      {{"run", dot, "--schedule", "tiles=0"}, 2, "TF2205"},
      {{"run", dot, "--schedule", ""}, 2, "TF2205"},
      {{"run", dot, "--device", "cuda", "--schedule", "tree"}, 2, "TF2120"},
      {{"run", dot, "--input", "a=x.npy", "--input", "a=y.npy"}, 2, "TF2114"},
      {{"run", dot}, 2, "TF2114"},
      {{"run", loops + "vote.cpp:majority"}, 1, "TF4104"},
      {{"emit", loops + "vote.cpp:majority"}, 1, "TF4104"},
  };
  for (const refusal& r : all) {
    const outcome text = program(r.words);
    EXPECT_EQ(text.exit, r.exit) << r.code << text.err;
    EXPECT_NE(text.err.find(std::string("error ") + r.code), std::string::npos) << r.words[1] << ": " << text.err;
    EXPECT_TRUE(text.out.empty()) << "complaints are no result";

    std::vector<std::string> words = r.words;
    words.push_back("--json");
    const outcome object = program(words);
    EXPECT_EQ(object.exit, r.exit);
    const nlohmann::json j = object.json();
    const nlohmann::json& error = j.contains("results") ? j["results"][0]["error"] : j["error"];
    EXPECT_EQ(j["schema"], 1);
    EXPECT_EQ(error["code"], r.code);
    for (const char* key : {"file", "line", "column", "what", "why", "fix"}) EXPECT_TRUE(error.contains(key)) << key;
  }
}

TEST(check, exits_with_the_verdict) {
  EXPECT_EQ(program({"check", loops + "dot.cpp:dot"}).exit, 0);
  EXPECT_EQ(program({"check", loops + "vote.cpp:majority"}).exit, 1);
  const folder here;
  const std::string unsupported =
      here.write("u.cpp", "int f(const int* x, int n) {\n  static int s = 0;\n  for (int i = 0; i < n; ++i) s += x[i];\n  return s;\n}\n");
  const outcome o = program({"check", unsupported + ":f"});
  EXPECT_EQ(o.exit, 4);
  EXPECT_NE(o.err.find(unsupported + ":2:"), std::string::npos) << "the place of the construct: " << o.err;
}

TEST(check, says_which_file_line_and_column_first) {
  const outcome o = program({"check", loops + "softmax_online.cpp:denominator"});
  EXPECT_EQ(o.exit, 0);
  EXPECT_EQ(o.out.find(loops + "softmax_online.cpp:10:3: associative: "), 0u) << o.out;
  EXPECT_NE(o.out.find("m = max(a.m, b.m)\n"), std::string::npos);
  EXPECT_TRUE(o.err.empty()) << o.err;
}

TEST(check, many_loops_are_one_object) {
  const outcome o = program({"check", loops + "total_variation.cpp", "--json"});
  EXPECT_EQ(o.exit, 0);
  const nlohmann::json j = o.json();
  EXPECT_EQ(j["schema"], 1);
  ASSERT_EQ(j["results"].size(), 2u);
  EXPECT_EQ(j["results"][0]["function"], "total_variation");
  EXPECT_EQ(j["results"][1]["verdict"], "associative");
}

TEST(check, a_witness_outside_of_the_assumptions_says_nothing) {
  EXPECT_EQ(program({"check", loops + "vote.cpp:majority", "--assume", "0<=votes<=5"}).exit, 1);
  const outcome o = program({"check", loops + "vote.cpp:majority", "--assume", "votes==100", "--json"});
  EXPECT_EQ(o.exit, 3);
  EXPECT_EQ(o.json()["verdict"], "unknown");
  EXPECT_EQ(o.json()["assumptions"].back(), "votes==100");
}

TEST(check, what_is_assumed_may_make_a_merge) {
  const folder f;
  const std::string file = f.write("falling.cpp",
                                   "double f(const double* x, int n) {\n  double s = 0;\n  for (int i = 0; i < n; ++i) {\n"
                                   "    if (x[i] < 0) s = s * s;\n    s += x[i];\n  }\n  return s;\n}\n");
  EXPECT_EQ(program({"check", file + ":f"}).exit, 1);
  const outcome o = program({"check", file + ":f", "--assume", "x>=0"});
  EXPECT_EQ(o.exit, 0) << o.out;
  EXPECT_NE(o.out.find("x>=0 (given)"), std::string::npos) << o.out;
  for (const char* nothing : {"x>=0, x<-1", "n>=1, n<=0", "1>2"}) {
    const outcome none = program({"check", file + ":f", "--assume", nothing});
    EXPECT_EQ(none.exit, 2) << nothing;
    EXPECT_NE(none.err.find("TF2121"), std::string::npos) << none.err;
  }
}

TEST(check, a_limit_that_was_met_is_named) {
  const outcome o = program({"check", loops + "attention_variants.cpp:one_walk", "--memory", "1", "--json"});
  EXPECT_EQ(o.exit, 3);
  EXPECT_NE(o.out.find("TF4102"), std::string::npos) << o.out;
}

TEST(check, writes_evidence_that_a_second_solver_confirms) {
  const folder here;
  const outcome o = program({"check", loops + "softmax_online.cpp:denominator", "--proof", here / "proof", "--json"});
  EXPECT_EQ(o.exit, 0);
  const nlohmann::json evidence = o.json()["proof"]["evidence"];
  EXPECT_EQ(evidence["file"], here / "proof/denominator.smt2");
  EXPECT_NE(cli::read_file(here / "proof/denominator.smt2").find("(check-sat)"), std::string::npos);
  EXPECT_NE(evidence["replayed"].get<std::string>().find("cvc5"), std::string::npos);
}

TEST(check, the_users_own_merge) {
  const folder here;
  const std::string right = here.write("right.cpp",
                                       "#include <algorithm>\n#include <cmath>\nstruct state { float m, l; };\nstate combine(state a, "
                                       "state b) {\n  const float m = std::max(a.m, b.m);\n"
                                       "  return {m, a.l * std::exp(a.m - m) + b.l * std::exp(b.m - m)};\n}\n");
  const std::string wrong = here.write("wrong.cpp",
                                       "#include <algorithm>\n#include <cmath>\nstruct state { float m, l; };\nstate combine(state a, "
                                       "state b) {\n  const float m = std::max(a.m, b.m);\n"
                                       "  return {m, a.l + b.l * std::exp(b.m - m)};\n}\n");
  EXPECT_EQ(program({"check", loops + "softmax_online.cpp:denominator", "--merge", right + ":combine"}).exit, 0);
  EXPECT_NE(program({"check", loops + "softmax_online.cpp:denominator", "--merge", wrong + ":combine"}).exit, 0);
}

//! The loop's own `a` is another name in the structure, whose left state is `a`; what is read again speaks of the loop's.
TEST(emit, parameters_may_be_called_as_the_pieces_are) {
  const folder here;
  const std::string file =
      here.write("ema.cpp",
                 "double ema(const double* x, int n, double a) {\n  double r = 0;\n  for (int i = 0; i < n; ++i) r = i == 0 "
                 "? x[i] : a * x[i] + (1 - a) * r;\n  return r;\n}\n");
  const outcome o = program({"emit", file + ":ema"});
  EXPECT_EQ(o.exit, 0) << o.err;
  EXPECT_NE(o.out.find("read again and proved equal"), std::string::npos) << o.out;
}

TEST(info, is_one_object) {
  const outcome o = program({"info", "--json"});
  EXPECT_EQ(o.exit, 0);
  const nlohmann::json j = o.json();
  for (const char* key : {"version", "built_with", "system_compiler", "front_end", "solvers", "features", "processors", "headers", "cache"})
    EXPECT_TRUE(j.contains(key)) << key;
  EXPECT_NE(program({"info"}).out.find("solvers"), std::string::npos);
}

}  // namespace
}  // namespace twofold::tests
