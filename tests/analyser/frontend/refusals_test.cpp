// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file What is refused, with its exact place and words: refused/NAME.cpp against refused/NAME.txt. To accept a change on purpose,
//! run with TWOFOLD_UPDATE_GOLDEN=1 and read the difference.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include "support.hpp"

namespace twofold::analyser::test {
namespace {

namespace fs = std::filesystem;

std::string slurp(const fs::path& p) {
  std::ifstream in(p);
  std::stringstream s;
  s << in.rdbuf();
  return s.str();
}

std::vector<std::string> names(const std::string& folder) {
  std::vector<std::string> r;
  for (const auto& e : fs::directory_iterator(std::string(TWOFOLD_SOURCE_DIR) + "/tests/analyser/frontend/" + folder))
    if (e.path().extension() == ".cpp") r.push_back(e.path().stem().string());
  std::sort(r.begin(), r.end());
  return r;
}

void against_file(const std::string& folder, const std::string& name, const std::string& got) {
  const fs::path expected = fs::path(TWOFOLD_SOURCE_DIR) / "tests/analyser/frontend" / folder / (name + ".txt");
  if (std::getenv("TWOFOLD_UPDATE_GOLDEN")) std::ofstream(expected) << got;
  EXPECT_EQ(got, slurp(expected)) << folder << "/" << name << ".cpp";
}

fs::path source(const std::string& folder, const std::string& name) {
  return fs::path(TWOFOLD_SOURCE_DIR) / "tests/analyser/frontend" / folder / (name + ".cpp");
}

TEST(Refusals, ExactWordsAndPlace) {
  for (const std::string& name : names("refused")) {
    const frontend_result r = read_source(source("refused", name).string(), "", cached());
    EXPECT_TRUE(r.specs.empty()) << name << "\n" << (r.specs.empty() ? "" : dump(r.specs[0]));
    std::string got;
    for (const frontend_error& e : r.errors) {
      got += describe(e) + "\n";
      EXPECT_EQ(fs::path(e.where.file).filename(), name + ".cpp");
      EXPECT_FALSE(e.fix.empty());
    }
    against_file("refused", name, got);
  }
}

TEST(Golden, SpecsOfManyIdioms) {
  for (const std::string& name : names("golden")) {
    const frontend_result r = read_source(source("golden", name).string(), "", cached());
    std::string got;
    for (const spec& s : r.specs) got += dump(s) + "\n";
    for (const frontend_error& e : r.errors) got += describe(e) + "\n";
    against_file("golden", name, got);
  }
}

TEST(BadInput, AbsentFile) {
  const frontend_result r = read_source("/no/such/file.cpp", "", {});
  ASSERT_EQ(r.errors.size(), 1u);
  EXPECT_EQ(describe(r.errors[0]), "0:0: TF2101: cannot read '/no/such/file.cpp': there is no such file; check the path");
  EXPECT_EQ(r.errors[0].kind, frontend_error::kind::bad_input);
}

TEST(BadInput, DoesNotParse) {
  const frontend_result r = read_text("int f(int* x, int n) {\n  return x[0] +;\n}\n");
  ASSERT_EQ(r.errors.size(), 1u);
  EXPECT_EQ(describe(r.errors[0]),
            "2:16: TF2103: expected expression: the file does not parse as C++; make it compile first: clang++ -fsyntax-only says more");
}

TEST(BadInput, AbsentFunction) {
  const frontend_result r = read_text("int f(int a) { return a; }\nnamespace s { int g() { return 1; } }\n", "h");
  ASSERT_EQ(r.errors.size(), 1u);
  EXPECT_EQ(describe(r.errors[0]), "1:5: TF2104: no function 'h': the file defines: f, s::g; use one of these names");
  const frontend_result near = read_text("int sum(int a) { return a; }\nint mean(int a) { return a; }\n", "maen");
  ASSERT_EQ(near.errors.size(), 1u);
  EXPECT_EQ(near.errors[0].where.line, 1) << "two edits are not near";
  const frontend_result nearer = read_text("int sum(int a) { return a; }\nint mean(int a) { return a; }\n", "meam");
  ASSERT_EQ(nearer.errors.size(), 1u);
  EXPECT_EQ(describe(nearer.errors[0]),
            "2:5: TF2104: no function 'meam': the file defines: sum, mean; did you mean 'mean', which is defined here?");
}

TEST(BadInput, TooLarge) {
  const frontend_result r = read_text(std::string((1 << 20) + 1, ' '));
  ASSERT_EQ(r.errors.size(), 1u);
  EXPECT_EQ(r.errors[0].code, "TF2102");
}

TEST(BadInput, NothingToDecide) {
  const frontend_result r = read_text("int f(int a) { return a; }\n");
  ASSERT_EQ(r.errors.size(), 1u);
  EXPECT_EQ(r.errors[0].code, "TF2106");
}

TEST(Limits, Nodes) {
  reset_terms(50);
  const frontend_result r = read_text(
      "float f(const float* x, int n) { float s = 0; for (int i = 0; i < n; ++i) s += x[i]*x[i]*x[i] + x[i]*3*x[i] - x[i]/(x[i]+1) + "
      "(x[i]-2)*(x[i]-3)*(x[i]-4); return s; }");
  reset_terms();
  ASSERT_EQ(r.errors.size(), 1u);
  EXPECT_EQ(r.errors[0].code, "TF4002");
  EXPECT_EQ(r.errors[0].where.line, 1);
}

TEST(Names, QualifiedAndOverloaded) {
  const std::string text =
      "namespace a { float f(const float* x, int n) { float s = 0; for (int i = 0; i < n; ++i) s += x[i]; return s; } }\n"
      "int f(const int* x, int n) { int s = 0; for (int i = 0; i < n; ++i) s += x[i]; return s; }\n";
  EXPECT_EQ(read_text(text, "f").specs.size(), 2u);
  EXPECT_EQ(read_text(text, "a::f").specs.size(), 1u);
}

}  // namespace
}  // namespace twofold::analyser::test
