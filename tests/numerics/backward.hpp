// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The backward pass of attention for one query, in long double and as a kernel computes it: what the tests of its bounds share.
#pragma once

#include <cmath>
#include <vector>

#include "twofold/algebra/laws/generate.hpp"
#include "twofold/numerics/bounds.hpp"
#include "twofold/numerics/families.hpp"
#include "twofold/numerics/rounding.hpp"

namespace backward {

namespace tf = twofold;
namespace num = twofold::numerics;

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
inline problem make(tf::laws::random& g, const num::family& f, tf::index n, double value_offset) {
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
inline wide_pass wide(const problem& p) {
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
inline narrow_pass narrow(const problem& p, const num::backward_arithmetic& a) {
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

//! What the bounds are told of element i of a row.
inline num::gradient_sizes sizes_of(const wide_pass& want, std::size_t i) {
  num::gradient_sizes g;
  g.weighted = want.spread;
  g.centred = static_cast<double>(want.centred[i]), g.products = static_cast<double>(want.products[i]);
  g.distance = static_cast<double>(want.distance[i]), g.weight = static_cast<double>(want.w[i]);
  return g;
}
//! The arithmetic with what it must know of the row.
inline num::backward_arithmetic for_row(num::backward_arithmetic a, const wide_pass& want) {
  a.width = width, a.log_sum_exp = static_cast<double>(std::fabs(want.lse));
  a.forward.scale_roundings = num::log2_e_roundings;
  return a;
}

}  // namespace backward
