// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Wrong use: numbers out of range, misspelt words, names that are no text, sources that are no files. Said clearly, never a crash.
#include <fcntl.h>
#include <sys/stat.h>

#include "nearest.hpp"
#include "support.hpp"

namespace twofold::tests {
namespace {

const std::string dot = loops + "dot.cpp:dot";

TEST(misuse, limits_have_a_range) {
  for (const char* seconds : {"1e300", "nan", "inf", "-inf", "0", "-1", "", "1s", "0x10"}) {
    for (const char* subcommand : {"check", "run", "emit"}) {
      const outcome o = program({subcommand, dot, "--seconds", seconds});
      EXPECT_EQ(o.exit, 2) << subcommand << " --seconds " << seconds;
      EXPECT_NE(o.err.find("TF2120"), std::string::npos) << o.err;
      EXPECT_NE(o.err.find("to 1000000"), std::string::npos) << o.err;
    }
  }
  EXPECT_EQ(program({"run", dot, "--run-seconds", "nan"}).exit, 2);
  for (const char* mebibytes : {"-1", "1.5", "1e9", "99999999999999999999", "many"}) {
    const outcome o = program({"check", dot, "--memory", mebibytes});
    EXPECT_EQ(o.exit, 2) << "--memory " << mebibytes;
    EXPECT_NE(o.err.find("1 to 16777216"), std::string::npos) << o.err;
  }
  EXPECT_EQ(program({"check", dot, "--seconds", "5", "--memory", "0"}).exit, 0);
}

TEST(misuse, a_limit_that_was_met_is_named) {
  for (const char* subcommand : {"run", "emit"}) {
    const outcome o = program({subcommand, loops + "attention_variants.cpp:one_walk", "--seconds", "0.001", "--json"});
    EXPECT_EQ(o.exit, 3) << o.err;
    // deciding may stop by itself a moment before the limit: then it says what it tried
    if (o.json()["error"]["code"] != "TF4104") {
      EXPECT_EQ(o.json()["error"]["code"], "TF4101") << o.out;
      EXPECT_NE(o.json()["error"]["fix"].get<std::string>().find("--seconds"), std::string::npos);
    }
    EXPECT_EQ(program({subcommand, dot, "--memory", "1", "--json"}).json()["error"]["code"], "TF4102");
  }
}

TEST(misuse, misspelt_words_are_recognised) {
  const auto fix = [](std::vector<std::string> words) {
    words.push_back("--json");
    const outcome o = program(words);
    EXPECT_EQ(o.exit, 2);
    return o.json()["error"]["fix"].get<std::string>();
  };
  EXPECT_NE(fix({"chek", "a.cpp"}).find("\"twofold check\""), std::string::npos);
  EXPECT_EQ(fix({"frobnicate"}).find("did you mean"), std::string::npos);
  EXPECT_NE(fix({"run", dot, "--shedule", "tree"}).find("did you mean --schedule?"), std::string::npos);
  EXPECT_NE(fix({"check", loops + "dot.cpp:dott"}).find("did you mean 'dot'"), std::string::npos);
  EXPECT_NE(fix({"run", loops + "softmax_online.cpp:denominator", "--input", "xx=x.npy"}).find("did you mean --input x=x.npy"),
            std::string::npos);
  EXPECT_EQ(fix({"run", dot, "--input", "a"}), "--input a=file.npy");
  EXPECT_EQ(fix({"run", dot, "--input", "x.npy"}), "--input a=x.npy");
}

TEST(misuse, nearest_words) {
  EXPECT_EQ(cli::nearest("ceck", {"check", "run"}), "check");
  EXPECT_EQ(cli::nearest("rnu", {"check", "run"}), "run");
  EXPECT_EQ(cli::nearest("z", {"a", "b"}), "");
  EXPECT_EQ(cli::nearest("xyz", {"check"}), "");
  EXPECT_EQ(cli::nearest("run", {}), "");
}

//! JSON is Unicode, names of files are bytes.
TEST(misuse, names_that_are_no_text) {
  const folder here;
  const std::string odd = here.write("odd\xff.cpp", cli::read_file(loops + "dot.cpp"));
  const outcome o = program({"check", odd + ":dot", "--json"});
  EXPECT_EQ(o.exit, 0) << o.err;
  EXPECT_NE(o.json()["file"].get<std::string>().find("odd\xEF\xBF\xBD"), std::string::npos);
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{{"\xff\xfe"},
                                                                                     {"check", here / "\xff.cpp:f"},
                                                                                     {"check", loops + "dot.cpp:\xff"},
                                                                                     {"check", dot, "--\xff"},
                                                                                     {"check", dot, "--assume", "\xff>1"},
                                                                                     {"explain", "\xff"},
                                                                                     {"emit", dot, "--target", "\xff"},
                                                                                     {"run", dot, "--schedule", "\xff"},
                                                                                     {"run", dot, "--input", "\xff=x.npy"},
                                                                                     {"run", dot, "--input", "a=" + (here / "\xff")}}) {
    std::vector<std::string> with_json = words;
    with_json.push_back("--json");
    const outcome r = program(with_json);
    EXPECT_EQ(r.exit, 2) << words.back() << r.err;
    EXPECT_NE(r.json()["error"]["code"], "TF7001") << words.back();
  }
}

TEST(misuse, only_regular_files_are_sources) {
  const folder here;
  const std::string pipe = here / "pipe.cpp";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  const auto why = [](const std::string& target) {
    const outcome o = program({"check", target, "--json"});
    EXPECT_EQ(o.exit, 2);
    EXPECT_EQ(o.json()["error"]["code"], "TF2101");
    return o.json()["error"]["why"].get<std::string>();
  };
  EXPECT_NE(why("/dev/zero").find("a device"), std::string::npos);
  EXPECT_NE(why("/dev/zero:f").find("a device"), std::string::npos);
  EXPECT_NE(why(pipe).find("a pipe"), std::string::npos);
  EXPECT_NE(why(pipe + ":f").find("a pipe"), std::string::npos);
  EXPECT_NE(why(here / "").find("a folder"), std::string::npos);
  EXPECT_NE(why(here / "absent").find("nothing of that name"), std::string::npos);
  EXPECT_NE(why("").find("empty"), std::string::npos);
}

TEST(misuse, errors_about_a_source_have_a_place) {
  const folder here;
  const std::string none = here.write("none.cpp", "int twice(int x) { return 2 * x; }\n");
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"check", none, "--json"},
                                             {"check", none + ":thrice", "--json"},
                                             {"check", here.write("empty.cpp", "") + ":f", "--json"},
                                             {"run", dot, "--json"},
                                             {"run", dot, "--input", "q=x.npy", "--json"}}) {
    const nlohmann::json j = program(words).json();
    const nlohmann::json& error = j.contains("results") ? j["results"][0]["error"] : j["error"];
    for (const char* key : {"file", "line", "column"}) EXPECT_FALSE(error[key].is_null()) << words[1] << " lacks " << key << error.dump();
  }
}

TEST(misuse, evidence_needs_a_folder) {
  const folder here;
  const outcome o = program({"check", dot, "--proof", here.write("file", ""), "--json"});
  EXPECT_EQ(o.exit, 2);
  EXPECT_EQ(o.json()["error"]["code"], "TF2125");
}

TEST(check_json, says_all_that_the_page_says) {
  const folder here;
  const std::string source =
      here.write("three.cpp",
                 "#include <cmath>\ndouble kept(const double* x, int n) {\n  double s = 0;\n  for (int i = 0; i < n; ++i)\n"
                 "    if (!std::isnan(x[i])) s += x[i];\n  return s;\n}\n"
                 "float outer(const float (*x)[3], int n) {\n  float s = 0;\n  for (int i = 0; i < n; ++i) s += x[i][0] * "
                 "x[i][2];\n  return s;\n}\n");
  const nlohmann::json kept = program({"check", source + ":kept", "--json"}).json();
  EXPECT_NE(kept["notes"].dump().find("isnan"), std::string::npos) << kept["notes"].dump();
  EXPECT_EQ(program({"check", source + ":outer", "--json"}).json()["lift"]["s"], "x[i][0] * x[i][2]");
  for (const auto& [name, lift] : program({"check", loops + "word_count.cpp:word_count", "--json"}).json()["lift"].items())
    EXPECT_TRUE(lift.is_string()) << name;
}

//! A merge that is wrong is refuted; the loop keeps its verdict and its merge.
TEST(misuse, a_wrong_merge_says_nothing_of_the_loop) {
  const folder here;
  const std::string wrong =
      here.write("wrong.cpp",
                 "#include <algorithm>\n#include <cmath>\nstruct state { float m, l; };\nstate combine(state a, state b) {\n"
                 "  const float m = std::max(a.m, b.m);\n  return {m, a.l + b.l * std::exp(b.m - m)};\n}\n");
  const outcome o = program({"check", loops + "softmax_online.cpp:denominator", "--merge", wrong + ":combine", "--json"});
  EXPECT_EQ(o.exit, 1) << o.err;
  const nlohmann::json j = o.json();
  EXPECT_EQ(j["verdict"], "associative");
  EXPECT_TRUE(j["scope"].is_null());
  EXPECT_TRUE(j["counterexample"].is_null());
  EXPECT_EQ(j["merge"]["source"], wrong + ":combine");
  EXPECT_EQ(j["merge"]["verdict"], "refuted");
  EXPECT_NE(j["merge"]["counterexample"]["result"], j["merge"]["counterexample"]["result2"]);
  const outcome text = program({"check", loops + "softmax_online.cpp:denominator", "--merge", wrong + ":combine"});
  EXPECT_NE(text.out.find("this merge is wrong"), std::string::npos);
  EXPECT_NE(text.out.find("loop itself associative"), std::string::npos) << text.out;
}

}  // namespace
}  // namespace twofold::tests
