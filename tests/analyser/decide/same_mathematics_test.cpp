// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The same mathematics under other names and in other arrangements: a recipe would notice, mathematics does not.
#include "corpus.hpp"

namespace twofold::analyser {
namespace {

using corpus::expect_decided;

const corpus::source& softmaxes() {
  static const corpus::source s("softmaxes", R"cpp(
#include <algorithm>
#include <cmath>
#include <limits>

    float online(const float* x, int n) {
      float m = -std::numeric_limits<float>::infinity(), l = 0;
      for (int i = 0; i < n; ++i) {
        const float top = std::max(m, x[i]);
        l = l * std::exp(m - top) + std::exp(x[i] - top);
        m = top;
      }
      return l;
    }
    // a branch instead of a maximum
    double branching(const double* score, int count) {
      double peak = -std::numeric_limits<double>::infinity(), total = 0;
      for (int k = 0; k < count; ++k) {
        if (score[k] > peak) {
          total = total * std::exp(peak - score[k]) + 1;
          peak = score[k];
        } else {
          total += std::exp(score[k] - peak);
        }
      }
      return total;
    }
    // the logarithm of the sum, two passes
    double log_sum(const double* a, int n) {
      double big = -std::numeric_limits<double>::infinity();
      for (int i = 0; i < n; ++i)
        if (a[i] > big) big = a[i];
      double z = 0;
      for (int i = 0; i < n; ++i) z += std::exp(a[i] - big);
      return big + std::log(z);
    }
    // weighted mean of v under softmax, the quotient first
    float two_pass_value(const float* s, const float* v, int n) {
      float m = -std::numeric_limits<float>::infinity();
      for (int i = 0; i < n; ++i) m = std::max(m, s[i]);
      float den = 0, num = 0;
      for (int i = 0; i < n; ++i) {
        den += std::exp(s[i] - m);
        num += std::exp(s[i] - m) * v[i];
      }
      return num / den;
    }
    float three_pass_value(const float* s, const float* v, int n) {
      float m = -std::numeric_limits<float>::infinity();
      for (int i = 0; i < n; ++i) m = std::max(s[i], m);
      float l = 0;
      for (int i = 0; i < n; ++i) l += std::exp(s[i] - m);
      float o = 0;
      for (int i = 0; i < n; ++i) o += std::exp(s[i] - m) / l * v[i];
      return o;
    }
  )cpp");
  return s;
}

TEST(same_mathematics, softmax_online) { expect_decided(softmaxes(), {"online", verdict::associative, {"m", "l"}}); }
TEST(same_mathematics, softmax_with_a_branch) { expect_decided(softmaxes(), {"branching", verdict::associative, {"peak", "total"}}); }
TEST(same_mathematics, log_sum_exp_in_two_passes) { expect_decided(softmaxes(), {"log_sum", verdict::associative, {"big", "z"}}); }
TEST(same_mathematics, softmax_mean_in_two_passes) {
  expect_decided(softmaxes(), {"two_pass_value", verdict::associative, {"m", "den", "num"}});
}
TEST(same_mathematics, softmax_mean_in_three_passes) {
  expect_decided(softmaxes(), {"three_pass_value", verdict::associative, {"m", "l", "o"}});
}

const corpus::source& variances() {
  static const corpus::source s("variances", R"cpp(
    double textbook(const double* x, int n) {
      double count = 0, mean = 0, m2 = 0;
      for (int i = 0; i < n; ++i) {
        count += 1;
        const double delta = x[i] - mean;
        mean += delta / count;
        m2 += delta * (x[i] - mean);
      }
      return m2 / count;
    }
    // Youngs and Cramer: the sum instead of the mean
    double by_totals(const double* value, int len) {
      double k = 0, total = 0, spread = 0;
      for (int i = 0; i < len; ++i) {
        k = k + 1;
        total = total + value[i];
        if (k > 1) {
          const double d = k * value[i] - total;
          spread = spread + d * d / (k * (k - 1));
        }
      }
      return spread / k;
    }
    double by_difference(const double* y, int n) {
      double w = 0, average = 0, q = 0;
      for (int j = 0; j < n; ++j) {
        const double d = y[j] - average;
        w += 1;
        const double r = d / w;
        q += d * d - d * r;
        average = average + r;
      }
      return q / w;
    }
    double two_pass(const double* x, int n) {
      double s = 0;
      for (int i = 0; i < n; ++i) s += x[i];
      const double mu = s / n;
      double v = 0;
      for (int i = 0; i < n; ++i) v += (x[i] - mu) * (x[i] - mu);
      return v / n;
    }
    double raw_moments(const double* x, int n) {
      double a = 0, b = 0;
      for (int i = 0; i < n; ++i) {
        a += x[i];
        b += x[i] * x[i];
      }
      return b / n - a / n * (a / n);
    }
  )cpp");
  return s;
}

TEST(same_mathematics, welford) { expect_decided(variances(), {"textbook", verdict::associative, {"count", "mean", "m2"}}); }
TEST(same_mathematics, welford_by_totals_is_not_refuted) {
  const spec* s = variances().find("by_totals");
  ASSERT_NE(s, nullptr) << variances().errors();
  EXPECT_NE(decide_loop(*s, {}).verdict, verdict::not_associative);  // it merges, whether or not the merge is found
}
TEST(same_mathematics, welford_by_the_old_difference) {
  expect_decided(variances(), {"by_difference", verdict::associative, {"w", "average", "q"}});
}
TEST(same_mathematics, variance_in_two_passes) {
  const spec* s = variances().find("two_pass");
  ASSERT_NE(s, nullptr) << variances().errors();
  const decision d = decide_loop(*s, {});
  ASSERT_EQ(d.verdict, verdict::associative) << corpus::told(d);
  EXPECT_EQ(d.state.size(), 3u) << "a count, a mean or sum, and the squares";
  EXPECT_EQ(corpus::names(d, role::carried).back(), "v");
}
TEST(same_mathematics, variance_by_raw_moments) { expect_decided(variances(), {"raw_moments", verdict::associative, {"a", "b"}}); }

}  // namespace
}  // namespace twofold::analyser
