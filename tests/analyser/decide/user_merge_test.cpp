// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file `check --merge` from C++ text: right merges are proved, wrong ones come with two pieces that show it.
#include "corpus.hpp"

namespace twofold::analyser {
namespace {

const char* const text = R"cpp(
#include <algorithm>
#include <cmath>
#include <limits>

  float denominator(const float* x, int n) {
    float m = -std::numeric_limits<float>::infinity(), l = 0;
    for (int i = 0; i < n; ++i) {
      const float top = std::max(m, x[i]);
      l = l * std::exp(m - top) + std::exp(x[i] - top);
      m = top;
    }
    return l;
  }
  struct softmax_state {
    float m, l;
  };
  softmax_state merge_right(softmax_state a, softmax_state b) {
    const float m = std::max(a.m, b.m);
    return {m, a.l * std::exp(a.m - m) + b.l * std::exp(b.m - m)};
  }
  softmax_state merge_unscaled(softmax_state a, softmax_state b) { return {std::max(a.m, b.m), a.l + b.l}; }
  softmax_state merge_left_scale_only(softmax_state a, softmax_state b) {
    const float m = std::max(a.m, b.m);
    return {m, a.l * std::exp(a.m - m) + b.l * std::exp(a.m - m)};
  }

  double variance(const double* x, int n) {
    double count = 0, mean = 0, m2 = 0;
    for (int i = 0; i < n; ++i) {
      count += 1;
      const double delta = x[i] - mean;
      mean += delta / count;
      m2 += delta * (x[i] - mean);
    }
    return m2 / count;
  }
  struct moments {
    double count, mean, m2;
  };
  moments chan(moments a, moments b) {
    const double n = a.count + b.count, delta = b.mean - a.mean;
    return {n, a.mean + delta * b.count / n, a.m2 + b.m2 + delta * delta * a.count * b.count / n};
  }
  moments without_cross_term(moments a, moments b) {
    const double n = a.count + b.count;
    return {n, (a.count * a.mean + b.count * b.mean) / n, a.m2 + b.m2};
  }

  double last(const double* x, int n) {
    double l = 0;
    for (int i = 0; i < n; ++i) l = x[i];
    return l;
  }
  struct tail {
    double l;
  };
  tail keep_right(tail, tail b) { return b; }
  tail keep_left(tail a, tail) { return a; }

  double total(const double* x, int n) {
    double s = 0;
    for (int i = 0; i < n; ++i) s += x[i];
    return s;
  }
  double with_a_nan(double a, double b) { return a + b + 0 * (1 / a); }  // no number where a is 0

  int isum(const int* x, int n) {
    int s = 0;
    for (int i = 0; i < n; ++i) s += x[i];
    return s;
  }
  int plain_sum(int a, int b) { return a + b; }
  int doubled_sum(int a, int b) { return (2 * a + 2 * b) / 2; }  // right in the integers
)cpp";

const std::string& file() {
  static const std::string name = [] {
    const std::string f = testing::TempDir() + "/user_merges.cpp";
    std::ofstream(f) << text;
    return f;
  }();
  return name;
}

decision checked(const std::string& loop, const std::string& merge) {
  static const corpus::source source("user_merges", text);
  const spec* s = source.find(loop);
  EXPECT_NE(s, nullptr) << source.errors();
  if (!s) return {};
  const merge_result m = read_merge(file(), merge, *s, {});
  for (const frontend_error& e : m.errors) ADD_FAILURE() << e.what << ": " << e.why;
  return check_user_merge(*s, m.merge, {});
}

TEST(user_merge, right_ones_are_proved) {
  for (const auto& [loop, merge] :
       {std::pair("denominator", "merge_right"), std::pair("variance", "chan"), std::pair("last", "keep_right")}) {
    const decision d = checked(loop, merge);
    EXPECT_EQ(d.verdict, verdict::associative) << merge << "\n" << corpus::told(d);
    ASSERT_TRUE(d.proof) << merge;
    EXPECT_TRUE(d.proof->proved);
  }
}
TEST(user_merge, wrong_ones_come_with_two_pieces) {
  for (const auto& [loop, merge] : {std::pair("denominator", "merge_unscaled"), std::pair("denominator", "merge_left_scale_only"),
                                    std::pair("variance", "without_cross_term"), std::pair("last", "keep_left")}) {
    const decision d = checked(loop, merge);
    EXPECT_EQ(d.verdict, verdict::not_associative) << merge << "\n" << corpus::told(d);
    ASSERT_TRUE(d.counterexample) << merge;
    EXPECT_FALSE(d.counterexample->left.empty());
    EXPECT_FALSE(d.counterexample->right.empty());
    EXPECT_NE(d.counterexample->result, d.counterexample->result2);
    EXPECT_NE(d.tried.back().find("the merge gives"), std::string::npos);
  }
}
TEST(user_merge, needs_a_value_wherever_it_is_used) {
  const decision d = checked("total", "with_a_nan");
  EXPECT_EQ(d.verdict, verdict::unknown) << corpus::told(d);
  EXPECT_NE(d.tried.back().find("not (a.s == 0)"), std::string::npos) << d.tried.back();
}
//! That the loop does not overflow says nothing of what only the merge computes.
TEST(user_merge, its_own_overflow_is_an_assumption) {
  EXPECT_TRUE(checked("isum", "plain_sum").assumptions.empty());
  const decision d = checked("isum", "doubled_sum");
  EXPECT_EQ(d.verdict, verdict::associative) << corpus::told(d);
  ASSERT_EQ(d.assumptions.size(), 1U);
  EXPECT_NE(d.assumptions[0].find("overflow"), std::string::npos) << d.assumptions[0];
}
TEST(user_merge, says_when_it_cannot_compare) {
  static const corpus::source source("user_merges", text);
  const spec* s = source.find("variance");
  ASSERT_NE(s, nullptr);
  const decision d = check_user_merge(*s, {}, {});
  EXPECT_EQ(d.verdict, verdict::unknown);
  EXPECT_NE(d.tried.back().find("the loop carries 3 variables"), std::string::npos);
}

}  // namespace
}  // namespace twofold::analyser
