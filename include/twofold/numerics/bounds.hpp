// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file A-priori bounds on rounding errors, as functions of the shape of the merge tree. Worst case, over all inputs
//! in the stated domain (no overflow, no underflow); first-order terms are summed and divided by 1 − B, which covers
//! the higher orders. u is the unit roundoff of the state's format (formats.hpp). Derivations: docs/design/algebra.md
//! and the sources named.
#pragma once

#include "twofold/algebra/math.hpp"

TWOFOLD_BEGIN_NAMESPACE
namespace numerics {

//! What a schedule means for rounding: tiles of `leaf` elements, each computed at one reference, and at most `levels`
//! merges on the way from any tile to the root. A fold is leaf 1 with n − 1 levels; one pass over everything is leaf
//! n with 0 levels.
struct tree_shape {
  double leaf = 1;
  double levels = 0;
  //! Roundings that one element's summand can meet: the additions on its path.
  [[nodiscard]] constexpr double additions() const { return leaf - 1 + levels; }
};

//! ⌈log2 pieces⌉: levels of a balanced tree.
constexpr double balanced_levels(double pieces) {
  double levels = 0;
  for (double reach = 1; reach < pieces; reach *= 2) ++levels;
  return levels;
}

namespace detail {
//! Higher-order terms: B/(1 − B); no guarantee (infinite) where B ≥ 1.
constexpr double all_orders(double first_order) { return first_order < 1 ? first_order / (1 - first_order) : math::infinity<double>; }
}  // namespace detail

//! W(x), x ≥ 0: the solution of w·e^w = x.
inline double lambert_w(double x) {
  if (x <= 0) return 0;
  double w = math::log1p(x);
  for (int i = 0; i < 60; ++i) {  // Newton on w + ln w − ln x, which is concave: converges from any start in (0, ∞)
    const double next = w * (1 + math::log(x) - math::log(w)) / (1 + w);
    if (next == w) break;
    w = next > 0 ? next : w / 2;
  }
  return w;
}

//! @name Sums, relative to Σ|x|. @source Higham, Accuracy and Stability of Numerical Algorithms, ch. 4
//! @{
constexpr double sum(double u, const tree_shape& t) { return detail::all_orders(t.additions() * u); }
//! A tile summed pairwise down to runs of 8.
constexpr double pairwise_sum(double u, const tree_shape& t) {
  return detail::all_orders((balanced_levels(t.leaf / 8) + 8 + t.levels) * u);
}
//! Compensated: u|s| + this·Σ|x|.
constexpr double compensated_sum(double u, const tree_shape& t) {
  const double h = detail::all_orders((t.additions() + 1) * u);
  return h * h;
}
//! @}

//! How the weights 2^x of softmax, log-sum-exp and attention are computed.
struct weight_arithmetic {
  double exp2_roundings = 1.03;  //!< relative error of exp2 in units of u; glibc: float and double below 0.515 ulp
  bool exact_rescale = true;     //!< integer gauge: 2^(g−h) is a power of two
  double fused = 1;              //!< roundings of a merge beside the factor: 1 with fused multiply-add, 2 without
};

//! @brief  Relative error of l = Σ 2^(x−M), any tree (theorem T1).
//! @math   C + ε_p + u·W((n−1)/e), C = (b−1)u + levels·(fused·u + ε_r); + u·ln2 where the gauge exceeds the maximum
//!         by up to 1
//!
//! The argument errors of all rescales on a path telescope to one rounding of the distance to the maximum, whose
//! weighted mean is at most W((n−1)/e) nats: no term in max − min.
inline double softmax_sum(double u, const tree_shape& t, double n, const weight_arithmetic& w = {}) {
  const double rescale = w.exact_rescale ? 0 : w.exp2_roundings + 1;
  const double gauge = w.exact_rescale ? 0.7 : 0;
  return detail::all_orders(
      u * (t.leaf - 1 + t.levels * (w.fused + rescale) + w.exp2_roundings + gauge + lambert_w((n - 1) * 0.36787944117144233)));
}

//! @brief  Absolute error, in nats, of log_sum_exp (compensated l: the tree's height enters squared only), given a
//!         bound on |answer|.
//! @math   B + u·(2|answer| + 3 ln n + 3), from ln of a relative error B, the rounded product M·ln 2 and log(l)
inline double log_sum_exp(double u, const tree_shape& t, double n, double answer, const weight_arithmetic& w = {}) {
  const double rescale = w.exact_rescale ? 0 : (w.exp2_roundings + 1) * t.levels;
  const double l = u * (w.exp2_roundings + 1.7 + rescale + lambert_w((n - 1) * 0.36787944117144233)) + compensated_sum(u, t);
  return detail::all_orders(l) + u * (2 * answer + 3 * math::log(n < 1 ? 1 : n) + 3);
}

//! @brief  |Δ(o/l)| of attention in units of max|v| (theorem T2, the weaker form that needs no knowledge of the
//!         values).
inline double attention_output(double u, const tree_shape& t, double n, const weight_arithmetic& w = {}) {
  return 2 * softmax_sum(u, t, n, w) + 3 * u;
}

//! @name Mean and variance by Chan's merge of (n, mean, M2), anchored at the larger side (theorem T4).
//! κ = √(1 + n·mean²/M2) is the condition number of the data; with a pivot p subtracted first, mean − p takes the
//! place of mean. The leaf counts as `leaf` levels for the mean. @source Chan, Golub, LeVeque (1983), with constants
//! for any tree
//! @{
//! |Δmean|, given mean|x| and the standard deviation σ.
inline double chan_mean(double u, const tree_shape& t, double n, double mean_magnitude, double sigma) {
  const double d = t.levels + (t.leaf > 1 ? t.leaf : 0);
  const double spread = n > 1 ? 2 * sigma * math::sqrt(2 * math::log2(n)) : 0;
  return u * (d * mean_magnitude + spread);
}
//! |ΔM2|/M2.
inline double chan_m2(double u, const tree_shape& t, double kappa) {
  const double d = t.levels, root = math::sqrt(d), tile = t.leaf > 1 ? t.leaf : 0, own = t.leaf > 1 ? t.leaf + 3 : 0;
  const double second = u * ((d + tile) * kappa + 2 * root);
  return u * (2 * d + 4 + own + 2 * (d + tile) * kappa + 4 * root) + second * second;
}
//! @}

//! @name Mean and variance by this library's welford (state n, S1, S2 about a reference near the mean).
//! S1 keeps what rounding the reference loses, so κ enters only through (κu)². Constants are generous: every merge
//! moves both sides (2 roundings of S2, 5 of n·d²) and adds them; a fold moves its reference at most once per
//! element.
//! @{
//! |Δmean|, given |mean| and σ.
inline double welford_mean(double u, const tree_shape& t, double magnitude, double sigma) {
  const double off = 2 * u * magnitude;  // distance of the reference from the mean
  return 2 * u * magnitude + u * (2 * t.levels + t.leaf + 5) * (sigma + off);
}
//! |ΔM2|/M2.
inline double welford_m2(double u, const tree_shape& t, double kappa) {
  const double off = 2 * u * kappa;
  return detail::all_orders(u * (11 * t.levels + 3 * t.leaf + 21) * (1 + off * off));
}
//! @}

//! @name Affine recurrence h_t = a_t·h_{t−1} + b_t with fused multiply-add (theorem T5), any tree of height d.
//! @{
//! |Δh| at the end of the given steps: u·Σ_i ((n−1−i) + d)·|a_{n−1}⋯a_{i+1}·b_i| (first order); h_0 = 0.
inline double affine(double u, double height, const double* a, const double* b, long n) {
  double reach = 1, total = 0;
  for (long i = n - 1; i >= 0; --i) {
    total += (static_cast<double>(n - 1 - i) + height) * reach * math::fabs(b[i]);
    reach *= math::fabs(a[i]);
  }
  return u * total;
}
//! The same from |a| ≤ rho < 1 and |b| ≤ largest alone: u·b·(ρ/(1−ρ)² + d/(1−ρ)), however long the input.
constexpr double affine(double u, double height, double rho, double largest) {
  return rho < 1 ? u * largest * (rho / ((1 - rho) * (1 - rho)) + height / (1 - rho)) : math::infinity<double>;
}
//! @}

//! Maximum segment sum, relative to Σ|x|: every sum of neighbours is an addition tree no higher than the merges.
constexpr double maximum_segment_sum(double u, const tree_shape& t) { return detail::all_orders((2 * t.levels + t.leaf) * u); }

}  // namespace numerics
TWOFOLD_END_NAMESPACE
