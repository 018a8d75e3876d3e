// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Bounds on the backward pass of attention against a wide reference: D, dS, dQ, dV with narrow P, narrow dS and stored outputs
//! emulated; and what makes an error of D the dangerous one.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "twofold/algebra/laws/generate.hpp"
#include "twofold/numerics/bounds.hpp"
#include "twofold/numerics/families.hpp"
#include "twofold/numerics/rounding.hpp"

namespace tf = twofold;
namespace num = twofold::numerics;

namespace {

using real = long double;
constexpr double u = 0x1p-24;
constexpr int width = 16;

//! One query against n keys; scores given.
struct problem {
  std::vector<float> s;      // [n], scaled scores in nats
  std::vector<float> v, k;   // [n][width]
  std::vector<float> d_out;  // [width]
  [[nodiscard]] std::size_t n() const { return s.size(); }
};
problem make(tf::laws::random& g, const num::family& f, tf::index n, double value_offset) {
  problem p;
  std::vector<double> wide(static_cast<std::size_t>(n));
  f.fill(g, wide.data(), n, u);
  p.s.assign(wide.begin(), wide.end());
  for (tf::index i = 0; i < n * width; ++i) {  // bf16 inputs, as they are in practice
    p.v.push_back(static_cast<float>(num::round_to(num::bf16, value_offset + num::detail::normal(g))));
    p.k.push_back(static_cast<float>(num::round_to(num::bf16, 4 + num::detail::normal(g))));
  }
  for (int j = 0; j < width; ++j) p.d_out.push_back(static_cast<float>(num::round_to(num::bf16, num::detail::normal(g))));
  return p;
}

//! Everything in 64 bits of significand, and what the bounds need to know.
struct wide_pass {
  std::vector<real> w, d_s, distance, products, centred;
  real d_q[width] = {}, output[width] = {}, row_sum = 0, lse = 0;
  num::value_spread spread{0, 0, 0, 0, 0};
};
wide_pass wide(const problem& p) {
  wide_pass r;
  const std::size_t n = p.n();
  real most = -INFINITY, total = 0;
  for (const float s : p.s) most = std::fmax(most, static_cast<real>(s));
  for (const float s : p.s) r.w.push_back(s == -INFINITY ? 0 : std::exp(static_cast<real>(s) - most)), total += r.w.back();
  r.lse = most + std::log(total);
  for (std::size_t i = 0; i < n; ++i) {
    r.w[i] /= total;
    r.distance.push_back(p.s[i] == -INFINITY ? 0 : (most - static_cast<real>(p.s[i])) * 1.4426950408889634L);
    for (int j = 0; j < width; ++j) r.output[j] += r.w[i] * static_cast<real>(p.v[i * width + static_cast<std::size_t>(j)]);
  }
  for (int j = 0; j < width; ++j) {
    const auto column = static_cast<std::size_t>(j);
    const double d = std::fabs(static_cast<double>(p.d_out[column]));
    double largest = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const real v = static_cast<real>(p.v[i * width + column]), apart = std::fabs(v - r.output[j]);
      r.spread.mean_magnitude += d * static_cast<double>(r.w[i] * std::fabs(v));
      r.spread.deviation += d * static_cast<double>(r.w[i] * apart);
      r.spread.far_deviation += d * static_cast<double>(r.w[i] * r.distance[i] * 0.6931471805599453L * apart);
      largest = std::fmax(largest, static_cast<double>(std::fabs(v)));
    }
    r.spread.output += d * static_cast<double>(std::fabs(r.output[j]));
    r.spread.largest += d * largest;
    r.row_sum += static_cast<real>(p.d_out[column]) * r.output[j];
  }
  for (std::size_t i = 0; i < n; ++i) {
    real d_p = 0, size = 0;
    for (int j = 0; j < width; ++j) {
      const real t =
          static_cast<real>(p.d_out[static_cast<std::size_t>(j)]) * static_cast<real>(p.v[i * width + static_cast<std::size_t>(j)]);
      d_p += t, size += std::fabs(t);
    }
    r.products.push_back(size), r.centred.push_back(std::fabs(d_p - r.row_sum)), r.d_s.push_back(r.w[i] * (d_p - r.row_sum));
    for (int j = 0; j < width; ++j) r.d_q[j] += r.d_s[i] * static_cast<real>(p.k[i * width + static_cast<std::size_t>(j)]);
  }
  return r;
}

//! The pass as a kernel computes it, in fp32, narrow where the arithmetic says so; one tile, an integer reference.
struct narrow_pass {
  std::vector<float> d_s, w;
  float row_sum = 0, lse = 0, d_q[width] = {};
};
narrow_pass narrow(const problem& p, const num::backward_arithmetic& a) {
  narrow_pass r;
  const std::size_t n = p.n();
  const float c = static_cast<float>(tf::math::log2_e);
  float at = -INFINITY, l = 0, l_whole = 0, o[width] = {};
  for (const float s : p.s) at = std::fmax(at, s * c);
  at = std::ceil(at);
  for (std::size_t i = 0; i < n; ++i) {
    if (p.s[i] == -INFINITY) continue;
    const float e = std::exp2(std::fma(p.s[i], c, -at));
    const float q = a.forward.p ? static_cast<float>(num::round_to(*a.forward.p, static_cast<double>(e))) : e;
    l += a.forward.shared ? q : e, l_whole += e;
    for (int j = 0; j < width; ++j) o[j] += q * p.v[i * width + static_cast<std::size_t>(j)];
  }
  r.lse = at + std::log2(l_whole);  // log2 units
  for (int j = 0; j < width; ++j) {
    const float out = o[j] / l;
    r.row_sum += p.d_out[static_cast<std::size_t>(j)] *
                 (a.stored_output ? static_cast<float>(num::round_to(*a.stored_output, static_cast<double>(out))) : out);
  }
  for (std::size_t i = 0; i < n; ++i) {
    const float w = p.s[i] == -INFINITY ? 0 : std::exp2(std::fma(p.s[i], c, -r.lse));
    float d_p = 0;
    for (int j = 0; j < width; ++j) d_p += p.d_out[static_cast<std::size_t>(j)] * p.v[i * width + static_cast<std::size_t>(j)];
    float d_s = w * (d_p - r.row_sum);
    if (a.ds) d_s = static_cast<float>(num::round_to(*a.ds, static_cast<double>(d_s)));
    r.w.push_back(w), r.d_s.push_back(d_s);
    for (int j = 0; j < width; ++j) r.d_q[j] += d_s * p.k[i * width + static_cast<std::size_t>(j)];
  }
  return r;
}

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
        num::backward_arithmetic a = given;
        a.width = width, a.log_sum_exp = static_cast<double>(std::fabs(want.lse));
        a.forward.scale_roundings = num::log2_e_roundings;
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
          sizes.centred = static_cast<double>(want.centred[i]), sizes.products = static_cast<double>(want.products[i]);
          sizes.distance = static_cast<double>(want.distance[i]);
          const double w = sizes.weight = static_cast<double>(want.w[i]),
                       bound = w * num::score_gradient_terms(u, one, static_cast<double>(n), a, sizes).total();
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
