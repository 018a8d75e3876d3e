// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Merges written by users, in the forms that are accepted, and those that do not fit.
#include <gtest/gtest.h>

#include "support.hpp"

namespace twofold::analyser::test {
namespace {

const char* const softmax =
    "#include <cmath>\n"
    "struct state { float m; float l; };\n"
    "float f(const float* x, int n) {\n"
    "  float m = -INFINITY, l = 0;\n"
    "  for (int i = 0; i < n; ++i) {\n"
    "    const float next = std::fmax(m, x[i]);\n"
    "    l = l * std::exp(m - next) + std::exp(x[i] - next);\n"
    "    m = next;\n"
    "  }\n"
    "  return l;\n"
    "}\n";

merge_result merge_text(const std::string& loop, const std::string& merge, const std::string& name) {
  const source_file f(loop + merge);
  const frontend_result r = read_source(f.path(), "f", cached());
  if (r.specs.empty()) return {{}, r.errors};
  return read_merge(f.path(), name, r.specs[0], cached());
}

std::string text(const merge_result& r) {
  std::string s;
  for (term t : r.merge) s += to_text(t) + "\n";
  for (const frontend_error& e : r.errors) s += e.code + ": " + e.what + ": " + e.why + "\n";
  return s;
}

const char* const expected = "max(a.m, b.m)\na.l * exp(a.m - max(a.m, b.m)) + b.l * exp(b.m - max(a.m, b.m))\n";

TEST(Merge, StructsByValue) {
  EXPECT_EQ(text(merge_text(softmax,
                            "state merge(state a, state b) {\n  const float m = std::fmax(a.m, b.m);\n"
                            "  return {m, a.l * std::exp(a.m - m) + b.l * std::exp(b.m - m)};\n}\n",
                            "merge")),
            expected);
}

TEST(Merge, StructInPlace) {
  EXPECT_EQ(text(merge_text(softmax,
                            "void merge(state& a, const state& b) {\n  const float m = std::fmax(a.m, b.m);\n"
                            "  a.l = a.l * std::exp(a.m - m) + b.l * std::exp(b.m - m);\n  a.m = m;\n}\n",
                            "merge")),
            expected);
}

TEST(Merge, StructsByPointerAndOtherNames) {
  EXPECT_EQ(text(merge_text(
                softmax,
                "struct other { float top, norm; };\nvoid merge(other* a, const other* b) {\n  const float m = std::fmax(a->top, b->top);\n"
                "  a->norm = a->norm * std::exp(a->top - m) + b->norm * std::exp(b->top - m);\n  a->top = m;\n}\n",
                "merge")),
            expected);
}

TEST(Merge, Scalars) {
  EXPECT_EQ(text(merge_text(softmax,
                            "void merge(float m_a, float l_a, float m_b, float l_b, float& m, float& l) {\n  m = std::fmax(m_a, m_b);\n"
                            "  l = l_a * std::exp(m_a - m) + l_b * std::exp(m_b - m);\n}\n",
                            "merge")),
            expected);
}

TEST(Merge, OneScalar) {
  EXPECT_EQ(text(merge_text("int f(const int* x, int n) { int s = 0; for (int i = 0; i < n; ++i) s += x[i]; return s; }\n",
                            "int merge(int a, int b) { return a + b; }\n", "merge")),
            "a.s + b.s\n");
}

TEST(Merge, Vectors) {
  const std::string loop =
      "void f(const float* a, float* o, int n, int d) {\n  for (int j = 0; j < d; ++j) o[j] = 0;\n"
      "  for (int i = 0; i < n; ++i)\n    for (int j = 0; j < d; ++j) o[j] += a[i * d + j];\n}\n";
  EXPECT_EQ(text(merge_text(
                loop, "void merge(const float* a, const float* b, float* r, int d) { for (int j = 0; j < d; ++j) r[j] = a[j] + b[j]; }\n",
                "merge")),
            "a.o + b.o\n");
}

//! Numbers that wrap must wrap at the same width, in what is given and in what is returned; widths of ℝ and ℤ do not matter.
TEST(Merge, UnsignedNumbersAreOfTheSameWidth) {
  const std::string bytes =
      "unsigned char f(const unsigned char* x, int n) { unsigned char s = 0; for (int i = 0; i < n; ++i) s += x[i]; return s; }\n";
  const std::string no = "TF2107: 'merge' is no merge of this loop's state (s): 's' is std::uint8_t in the loop, and ";
  EXPECT_EQ(text(merge_text(bytes, "struct t { int s; };\nt merge(t a, t b) { return {a.s + b.s}; }\n", "merge")),
            no + "'s' is int in the merge\n");
  EXPECT_EQ(text(merge_text(bytes, "int merge(unsigned char a, unsigned char b) { return a + b; }\n", "merge")),
            no + "'s' is int in the merge\n");
  EXPECT_EQ(text(merge_text(bytes, "unsigned merge(unsigned a, unsigned b) { return a + b; }\n", "merge")),
            no + "'a' is unsigned in the merge\n");
  EXPECT_TRUE(merge_text(bytes, "unsigned char merge(unsigned char a, unsigned char b) { return a + b; }\n", "merge").errors.empty());
  const std::string sum = "int f(const int* x, int n) { int s = 0; for (int i = 0; i < n; ++i) s += x[i]; return s; }\n";
  EXPECT_FALSE(merge_text(sum, "unsigned merge(unsigned a, unsigned b) { return a > b ? a : b; }\n", "merge").errors.empty());
  EXPECT_TRUE(merge_text(sum, "long merge(long a, long b) { return a + b; }\n", "merge").errors.empty());
}

TEST(Merge, AbsentAndUnfit) {
  EXPECT_EQ(text(merge_text(softmax, "", "merge")), "TF2104: no function 'merge': the file defines: f\n");
  EXPECT_EQ(text(merge_text(softmax, "float merge(float a) { return a; }\n", "merge")),
            "TF2107: 'merge' is no merge of this loop's state (m, l): it has 1 parameters; two states have 4 variables\n");
  EXPECT_EQ(text(merge_text(softmax, "struct big { float m, l, o; };\nbig merge(big a, big b) { return a; }\n", "merge")),
            "TF2107: 'merge' is no merge of this loop's state (m, l): it has more fields than the loop has variables\n");
}

}  // namespace
}  // namespace twofold::analyser::test
