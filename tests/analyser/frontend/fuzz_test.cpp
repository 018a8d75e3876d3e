// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Broken sources: cut short, and with tokens changed. The front end must answer with specs or errors, never crash, and a
//! source that it cannot parse must be called one.
#include <gtest/gtest.h>

#include <random>

#include "support.hpp"

namespace twofold::analyser::test {
namespace {

const char* const seed_sources[] = {
    R"(struct state { float m, l; };
float f(const float* x, int n) {
  state s{-1e30f, 0};
  for (int i = 0; i < n; ++i) {
    const float next = x[i] > s.m ? x[i] : s.m;
    s.l = s.l * __builtin_expf(s.m - next) + __builtin_expf(x[i] - next);
    s.m = next;
  }
  return s.l;
})",
    R"(void g(const float* q, const float* k, float* o, int n, int d) {
  float s[1024];
  float m = 0;
  for (int i = 0; i < n; ++i) {
    float dot = 0;
    for (int j = 0; j < d; ++j) dot += q[j] * k[i * d + j];
    s[i] = dot;
    if (dot > m) m = dot;
  }
  for (int j = 0; j < d; ++j) o[j] = 0;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < d; ++j) o[j] += (s[i] - m) * k[i * d + j];
})",
    R"(template <class T> T twice(T v) { return v + v; }
int h(const char* s, unsigned n) {
  int depth = 0;
  bool ok = true;
  unsigned i = 0;
  while (i < n && ok) {
    switch (s[i]) { case '(': ++depth; break; case ')': --depth; break; default: depth = twice(depth) - depth; }
    if (depth < 0) { ok = false; continue; }
    ++i;
  }
  return ok ? depth : -1;
})",
    R"(int k(const int* x, int n, int key) {
  auto hit = [key](int v) { return v == key; };
  for (const int* p = x; p != x + n; ++p) { if (hit(*p)) return static_cast<int>(p - x); }
  return -1;
})"};

void survive(const std::string& text) {
  const frontend_result r = read_text(text);
  EXPECT_FALSE(r.specs.empty() && r.errors.empty()) << text;
  for (const spec& s : r.specs) EXPECT_FALSE(dump(s).empty());
}

TEST(Fuzz, SourcesCutShort) {
  for (const std::string source : seed_sources)
    for (std::size_t n = 0; n < source.size(); n += 7) survive(source.substr(0, n));
}

TEST(Fuzz, TokensExchanged) {
  std::mt19937 random(7);
  const std::vector<std::string> tokens{
      "+",  "-",  "*",    "/",      "%",     "<",        ">",     "==",   "=",  "&",  "|", "!", "0",     "1",
      "i",  "j",  "n",    "x",      "s",     "[i]",      "[0]",   "(",    ")",  "{",  "}", ";", ",",     "++",
      "--", "if", "for",  "return", "break", "continue", "float", "int*", "&&", "||", "?", ":", "1e400", "99999999999999999999",
      "'",  "\"", "goto", "->",     "::",    "~",        "<<"};
  for (int round = 0; round < 400; ++round) {
    std::string text = seed_sources[random() % 4];
    for (unsigned change = 0; change <= random() % 3; ++change) {
      const std::size_t at = random() % text.size(), length = random() % 3;
      text.replace(at, std::min(length, text.size() - at), tokens[random() % tokens.size()]);
    }
    survive(text);
  }
}

TEST(Fuzz, DeepNesting) {
  std::string parentheses = "float f(const float* x, int n) { float s = 0; for (int i = 0; i < n; ++i) s += ";
  const std::string head = parentheses;
  for (int i = 0; i < 200; ++i) parentheses += "(";
  parentheses += "x[i]";
  for (int i = 0; i < 200; ++i) parentheses += ")";
  survive(parentheses + "; return s; }");
  std::string sums = head + "x[i]";
  for (int i = 0; i < 5000; ++i) sums += " + x[i]";
  survive(sums + "; return s; }");
  std::string blocks = "void f(const float* x, int n) {";
  for (int i = 0; i < 2000; ++i) blocks += "{";
  survive(blocks);
  std::string negations = head;
  for (int i = 0; i < 240; ++i) negations += "- ";
  survive(negations + "x[i]; return s; }");
}

TEST(Fuzz, NotText) {
  survive(std::string(1000, '\0'));
  survive(std::string(1000, '\xff'));
  survive("");
  survive("#include \"no_such_file.hpp\"\n");
  survive("#include <no_such_header>\n");
  survive("#");
}

}  // namespace
}  // namespace twofold::analyser::test
