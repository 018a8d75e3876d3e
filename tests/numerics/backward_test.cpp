// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Bounds on the backward pass of attention against a wide reference: D, dS, dQ, dV with narrow P, narrow dS and stored outputs
//! emulated; and what makes an error of D the dangerous one.
#include <gtest/gtest.h>

#include "backward.hpp"

namespace {

using namespace backward;

struct worst {
  double of_row_sum = 0, of_d_s = 0, of_d_q = 0, of_w = 0;
};
worst check(const num::backward_arithmetic& given, std::uint64_t seed) {
  tf::laws::random g(seed);
  worst all;
  for (const num::family& f : num::score_families)
    for (const tf::index n : {1, 2, 17, 200})
      for (const double offset : {0.0, 3.0}) {
        const problem p = make(g, f, n, offset);
        const wide_pass want = wide(p);
        const num::backward_arithmetic a = for_row(given, want);
        const narrow_pass got = narrow(p, a);
        const num::tree_shape one{static_cast<double>(n), 0};
        num::gradient_sizes sizes;
        sizes.weighted = want.spread;
        const double floor = 1e-40;
        const double row_sum = num::row_sum_terms(u, one, static_cast<double>(n), a, sizes).total();
        all.of_row_sum =
            std::fmax(all.of_row_sum, static_cast<double>(std::fabs(static_cast<real>(got.row_sum) - want.row_sum)) / (row_sum + floor));
        double errors[width] = {}, magnitudes[width] = {};
        for (std::size_t i = 0; i < p.n(); ++i) {
          if (want.w[i] < 1e-30L) continue;
          sizes = sizes_of(want, i);
          const double w = sizes.weight, bound = w * num::score_gradient_terms(u, one, static_cast<double>(n), a, sizes).total();
          all.of_d_s = std::fmax(all.of_d_s, static_cast<double>(std::fabs(static_cast<real>(got.d_s[i]) - want.d_s[i])) / (bound + floor));
          const double relative = num::recomputed_weight_terms(u, one, static_cast<double>(n), a, sizes.distance).total();
          all.of_w = std::fmax(all.of_w, std::fabs(static_cast<double>(static_cast<real>(got.w[i]) / want.w[i] - 1)) / relative);
          for (int j = 0; j < width; ++j) {
            const double key = std::fabs(static_cast<double>(p.k[i * width + static_cast<std::size_t>(j)]));
            errors[j] += bound * key, magnitudes[j] += std::fabs(static_cast<double>(want.d_s[i])) * key;
          }
        }
        for (int j = 0; j < width; ++j) {
          const double bound = num::gradient_terms(u, static_cast<double>(n), errors[j], magnitudes[j]).total();
          all.of_d_q = std::fmax(all.of_d_q, static_cast<double>(std::fabs(static_cast<real>(got.d_q[j]) - want.d_q[j])) / (bound + 1e-25));
        }
      }
  return all;
}

}  // namespace

TEST(Backward, MeasuredErrorsStayBelowTheBounds) {
  for (const num::format* p : {static_cast<const num::format*>(nullptr), &num::bf16, &num::fp16})
    for (const bool shared : {true, false})
      for (const num::format* stored : {static_cast<const num::format*>(nullptr), &num::bf16}) {
        num::backward_arithmetic a;
        a.forward.p = p, a.forward.shared = shared, a.stored_output = stored, a.ds = p;
        const worst w = check(a, 3);
        const std::string what = std::string(p ? p->name : "fp32") + (shared ? ", shared" : "") + (stored ? ", stored in bf16" : "");
        EXPECT_LE(w.of_row_sum, 1) << what;
        EXPECT_LE(w.of_d_s, 1) << what;
        EXPECT_LE(w.of_d_q, 1) << what;
        EXPECT_LE(w.of_w, 1) << what;
        EXPECT_GT(w.of_d_s, 0.05) << what;  // and the bounds are not idle
        EXPECT_GT(w.of_w, 0.1) << what;
      }
}

//! Equal scores, one-signed values: an unshared bf16 P biases O, hence D, hence every dS of the row the same way. Exact dS sum to 0; a
//! shared denominator keeps them near it.
TEST(Backward, ASharedDenominatorKeepsTheRowSumUnbiased) {
  tf::laws::random g(4);
  double with = 0, without = 0;
  for (int row = 0; row < 50; ++row) {
    problem p = make(g, num::score_families[0], 200, 3);
    for (float& s : p.s) s = -0.35f * static_cast<float>(row) / 50;
    p.s[0] = 0;
    const wide_pass want = wide(p);
    num::backward_arithmetic a;
    a.forward.p = &num::bf16;
    for (const bool shared : {true, false}) {
      a.forward.shared = shared;
      const double error = static_cast<double>(std::fabs(static_cast<real>(narrow(p, a).row_sum) - want.row_sum));
      (shared ? with : without) = std::fmax(shared ? with : without, error);
    }
  }
  EXPECT_LT(10 * with, without);
}

//! dQ's error is −ΔD times the mean key, where D alone is wrong.
TEST(Backward, AnErrorOfTheRowSumIsAMultipleOfTheMeanKey) {
  tf::laws::random g(5);
  const problem p = make(g, num::score_families[0], 64, 1);
  const wide_pass want = wide(p);
  const real wrong = 0.25L;
  for (int j = 0; j < width; ++j) {
    real d_q = 0, mean_key = 0;
    for (std::size_t i = 0; i < p.n(); ++i) {
      const real key = static_cast<real>(p.k[i * width + static_cast<std::size_t>(j)]);
      d_q += (want.d_s[i] - want.w[i] * wrong) * key, mean_key += want.w[i] * key;
    }
    EXPECT_NEAR(static_cast<double>(want.d_q[j] - d_q), num::mean_key_bias(static_cast<double>(wrong), static_cast<double>(mean_key), 1),
                1e-12);
  }
}
