// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Bounds on l = Σ 2^(x−M), log-sum-exp and softmax weights: theorems T1 and T3 (docs/design/numerics.md). No
//! term grows with max − min: weights kill it.
#pragma once

#include "twofold/numerics/bounds/sums.hpp"

TWOFOLD_BEGIN_NAMESPACE
namespace numerics {

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

//! The largest Σ w_i·ln(1/(w_i l)), the mean distance from the maximum in nats, over all rows of n scores: W((n−1)/e).
inline double mean_distance(double n) { return n > 1 ? lambert_w((n - 1) * 0.36787944117144233) : 0; }

//! Which reference a state is written at (gauge.hpp), as far as rounding goes.
enum class reference_rule : unsigned char { maximum, integer, lazy, lazy_integer };

//! |δc|/u of log2(e) rounded to fp32 (0.2238) or fp64 (0.128): what `scale_roundings` is for scores in nats. A product with a score
//! factor is rounded once as well: at most 1.
inline constexpr double log2_e_roundings = 0.224;

//! How the weights 2^(s·c − M) of softmax, log-sum-exp and attention are computed. Roundings are in units of the state's u.
struct weight_arithmetic {
  reference_rule reference = reference_rule::integer;
  double tau = 0;                   //!< lazy: the newcomer may lie so far above the reference (log2 units)
  double exp2_roundings = 1.03;     //!< relative error of exp2 on the leaf's arguments; glibc: float and double below 0.515 ulp
  double rescale_roundings = 1.03;  //!< relative error of exp2 for the factor of a rescale; 0 counts where factors are powers of two
  double merge_roundings = 2;       //!< of a rescale by such a factor: the product and the sum; 1 with a fused multiply-add
  double argument_roundings = 1;    //!< kap: 1 for fma(s, c, −M); 2 for (s − m)·c
  double scale_roundings = 0;       //!< |δc|/u of the constant c where it is to be charged, see log2_e_roundings
  double mixed_reference = 0;  //!< max c|m| (log2 units) where leaf and rescale round the reference apart, as FlashAttention 2 and 3 do
  bool compensated = false;    //!< l carried as high + low: the height enters squared
  //! Rescales are exact powers of two.
  [[nodiscard]] constexpr bool exact_rescale() const {
    return reference == reference_rule::integer || reference == reference_rule::lazy_integer;
  }
};

namespace detail {
inline constexpr double ln2 = 0.6931471805599453;
//! Argument errors beyond those of distances from the maximum: the reference lies above it (integer: by up to 1) or below it
//! (lazy: by up to tau; where the rescale's argument rounds as well, both ways).
constexpr double gauge_roundings(const weight_arithmetic& w) {
  switch (w.reference) {
    case reference_rule::maximum:
      return 0;
    case reference_rule::integer:
      return ln2 * w.argument_roundings;
    case reference_rule::lazy:
      return 2 * ln2 * w.argument_roundings * w.tau;
    case reference_rule::lazy_integer:
      return ln2 * w.argument_roundings * (w.tau > 1 ? w.tau : 1);
  }
  return 0;
}
}  // namespace detail

//! @brief  Relative error of l, any tree (T1), for references below 2^19 in size (fp32; further out, rounding the reference itself adds
//!         ln2·u times half its ulp).
//! @math   additions: (b−1)u + steps·u; rescales: steps·((merge_roundings − 1)u + ε_r) unless exact; ε_p; kap·u·W((n−1)/e);
//!         gauge; δc·W; G = 2·ln2·u·c·max|m| for mixed references
inline breakdown softmax_sum_terms(double u, const tree_shape& t, double n, const weight_arithmetic& w = {}) {
  breakdown b;
  if (w.compensated) {
    b.add("errors of the error sum", compensated_sum(u, t), "(h·u)²");
    b.add("storing l", u, "u");
  } else {
    b.add("additions within a tile", (t.leaf - 1) * u, "(b−1)·u");
    b.add("additions of merges", t.steps() * u, "steps·u");
  }
  if (!w.exact_rescale()) {
    b.add("products of rescales", w.compensated ? 0 : t.steps() * (w.merge_roundings - 1) * u, "steps·u");
    b.add("exp2 of rescales", t.steps() * w.rescale_roundings * u, "steps·ε_r");
  }
  b.add("exp2 of weights", w.exp2_roundings * u, "ε_p");
  b.add("arguments", w.argument_roundings * u * mean_distance(n), "kap·u·W((n−1)/e)");
  b.add("gauge off the maximum", detail::gauge_roundings(w) * u, "kap·u·ln2·|M−m|");
  b.add("rounded scale", w.scale_roundings * u * mean_distance(n), "|δc|·W((n−1)/e)");
  return b.add("mixed references", 2 * detail::ln2 * u * w.mixed_reference, "2·ln2·u·c·max|m|");
}
inline double softmax_sum(double u, const tree_shape& t, double n, const weight_arithmetic& w = {}) {
  return softmax_sum_terms(u, t, n, w).total();
}

//! @brief  |Δ log-sum-exp| in nats (T3), given a bound on |answer|, for natural_log (exponential.hpp): the logarithm of l, and
//!         M·ln 2 with ln 2 in two parts.
//! @math   −ln(1 − B_l) + (ε_log + 2u)·(ln n + gauge) + u|answer| + δc·(|answer| + ln n)
//! @param  log_roundings relative error of the natural logarithm in units of u; glibc's logf: below 1.7
inline breakdown log_sum_exp_terms(double u, const tree_shape& t, double n, double answer, const weight_arithmetic& w = {},
                                   double log_roundings = 2) {
  weight_arithmetic of_l = w;
  of_l.scale_roundings = 0;  // charged below: here it moves M as well
  breakdown b = softmax_sum_terms(u, t, n, of_l);
  const double l = b.first_order(), ln_n = math::log(n < 1 ? 1 : n);
  b.add("logarithm", (log_roundings + 2) * u * (ln_n + detail::ln2 * (1 + w.tau)), "(ε_log+2u)·ln n");
  b.add("answer", (1 + 2 * u) * u * answer, "u·|answer|");
  b.add("rounded scale", w.scale_roundings * u * (answer + ln_n), "|δc|·(|answer|+ln n)");
  return b.perturbation(l);
}
inline double log_sum_exp(double u, const tree_shape& t, double n, double answer, const weight_arithmetic& w = {}) {
  return log_sum_exp_terms(u, t, n, answer, w).total();
}

//! @brief  Relative error of one weight 2^(s·c − M)/l, `distance` (log2 units) below the maximum.
inline breakdown softmax_weight_terms(double u, const tree_shape& t, double n, double distance, const weight_arithmetic& w = {},
                                      double division_roundings = 1) {
  breakdown b = softmax_sum_terms(u, t, n, w);
  const double off = w.reference == reference_rule::integer ? 1 : w.tau;
  b.add("exp2 of this weight", w.exp2_roundings * u, "ε_p");
  b.add("its argument", w.argument_roundings * u * detail::ln2 * (distance + off), "kap·u·ln2·D");
  b.add("its scale", w.scale_roundings * u * detail::ln2 * distance, "|δc|·ln2·D");
  return b.add("division", division_roundings * u, "u");
}

//! @brief  Typical relative error of l for a flat row: one standard deviation squared, in units of u²; report 4·u·√(this).
inline double softmax_sum_variance(const schedule_shape& s, const weight_arithmetic& w = {}) {
  const double factor = w.merge_roundings - 1 + w.rescale_roundings;
  const double merge = 1 + (w.exact_rescale() ? 0 : factor * factor / 2);  // one of the two sides is rescaled
  const double weight = w.exp2_roundings * w.exp2_roundings + w.argument_roundings * w.argument_roundings;
  return (w.compensated ? 1 : sum_deviation_squared(s, merge)) + (s.size > 0 ? weight / s.size : 0);
}

}  // namespace numerics
TWOFOLD_END_NAMESPACE
