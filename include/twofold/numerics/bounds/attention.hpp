// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Bounds on the output of attention, o/l (theorem T2, docs/design/numerics.md): what l and o share does not
//! count in full, only against the spread of the values.
#pragma once

#include "twofold/numerics/bounds/softmax.hpp"
#include "twofold/numerics/formats.hpp"

TWOFOLD_BEGIN_NAMESPACE
namespace numerics {

//! How attention is computed, beside the weights.
struct attention_arithmetic : weight_arithmetic {
  const format* p = nullptr;      //!< format that P is rounded to before it meets V; null: not at all
  bool shared = true;             //!< l sums the rounded P; else the unrounded one
  double offset = 0;              //!< P is stored as P·2^offset
  double product_roundings = 1;   //!< of p·v: 0 where fused, or exact as in a tensor core
  double accumulation_u = 0;      //!< roundoff of an addition to o where it is not the state's (a tensor core); 0: the state's
  double score_error = 0;         //!< η: absolute error of the scores, in nats after scaling
  double division_roundings = 1;  //!< of o/l: 1 for a division, 2 + ε_rcp for o·(1/l)
};

//! What is known of one column of values. The default is what holds for |v| ≤ 1 and nothing else known: results are then in units
//! of max|v|.
struct value_spread {
  double mean_magnitude = 1;  //!< Σ w|v|
  double output = 1;          //!< |O|
  double deviation = 1;       //!< Σ w|v − O|; at most max|v|
  double far_deviation = -1;  //!< Σ w·D·ln2·|v − O|, D the distance of the score from the maximum; < 0: 2·max|v|·W((n−1)/e)
  double largest = 1;         //!< max|v|
};

namespace detail {
//! (e^{2η} − 1)/2, also where η is tiny.
inline double score_growth(double eta) { return eta < 1e-4 ? eta * (1 + 1.001 * eta) : (math::exp(2 * eta) - 1) / 2; }
}  // namespace detail

//! @brief  |ΔO_j| of one column, in the unit of the values (T2, sharp form: every error that l and o share is charged to the
//!         deviation).
//! @math   (h_o·u + ρ)·Σw|v| + (h_l·u + u)·|O| + (ε_p + steps·ε_r + G)·MAD + kap·u·Σ w D ln2|v−O| + P + (e^{2η}−1)/2·MAD
//!         P: u_P·MAD where l sums the rounded P, u_P·Σw|v| where not; and the mass below P's smallest number
inline breakdown attention_terms(double u, const tree_shape& t, double n, const attention_arithmetic& a = {}, const value_spread& v = {}) {
  const bool exact = a.exact_rescale();
  const double add_u = a.accumulation_u > 0 ? a.accumulation_u : u;
  const double products = exact ? 0 : t.steps() * (a.merge_roundings - 1) * u;
  const double far = v.far_deviation >= 0 ? v.far_deviation : 2 * v.largest * mean_distance(n);
  breakdown b;
  b.add("sums of o", (t.additions() * add_u + products + a.product_roundings * u) * v.mean_magnitude, "h_o·u·Σw|v|");
  b.add("sum l", (t.additions() * u + products) * v.output, "h_l·u·|O|");
  b.add("exp2 of weights", a.exp2_roundings * u * v.deviation, "ε_p·MAD");
  b.add("exp2 of rescales", exact ? 0 : t.steps() * a.rescale_roundings * u * v.deviation, "steps·ε_r·MAD");
  b.add("arguments", u * (a.argument_roundings * far + detail::gauge_roundings(a) * v.deviation), "kap·u·ΣwD·ln2|v−O|");
  b.add("rounded scale", a.scale_roundings * u * far, "|δc|·ΣwD·ln2|v−O|");
  b.add("mixed references", 2 * detail::ln2 * u * a.mixed_reference * v.deviation, "2·ln2·u·c·max|m|·MAD");
  if (a.p != nullptr) {
    b.add("P cast", a.p->unit_roundoff() * (a.shared ? v.deviation : v.mean_magnitude), a.shared ? "u_P·MAD" : "u_P·Σw|v|");
    // l ≥ 1, or 1/2 under an integer gauge; what rounds to 0, or as a subnormal, moves by at most half the smallest number
    const double least = exact ? 0.5 : 1;
    double floor = a.p->smallest_subnormal() / 2;
    for (double o = a.offset; o >= 1; o -= 1) floor /= 2;
    b.add("P below its smallest number", n * floor / least * (a.shared ? 2 : 1) * v.largest, "n·2^−offset·tiny_P·|v|");
  }
  b.add("scores", detail::score_growth(a.score_error) * v.deviation, "(e^2η−1)/2·MAD");
  b.add("division", a.division_roundings * u * v.output, "u·|O|");
  // relative perturbations of single weights: what second orders are made of
  const double narrow = a.p != nullptr ? a.p->unit_roundoff() : 0;
  const double each = t.additions() * (add_u > u ? add_u : u) + products + (exact ? 0 : t.steps() * a.rescale_roundings * u) +
                      u * (a.exp2_roundings + a.product_roundings + a.argument_roundings * mean_distance(n) + detail::gauge_roundings(a)) +
                      2 * detail::ln2 * u * a.mixed_reference + narrow;
  return b.perturbation(2 * each < 1 ? 2 * each : each);
}
inline double attention_output(double u, const tree_shape& t, double n, const attention_arithmetic& a = {}, const value_spread& v = {}) {
  return attention_terms(u, t, n, a, v).total();
}

//! η of scores computed as dot products of `width` terms with roundoff u_dot: |Δs|·scale in nats, from bounds on the norms.
constexpr double score_error(double u_dot, double width, double q_norm, double k_norm, double score_factor) {
  return u_dot * width * q_norm * k_norm * score_factor;
}

//! @brief  Σ_i w_i·c_i, as a share of the dearest c, where c_i counts the merges on the path of element i in a chain of `pieces` pieces
//!         and no weight exceeds `largest_weight`. 1 where one element may hold all the weight, about 1/2 where the row is flat.
//! @math   the mean over the first j = ⌊pieces/(n·largest_weight)⌋ pieces, whose costs are T−1, T−1, T−2, …
//!
//! T1 and T2 charge every element the dearest path; a row known to be flat pays the mean.
constexpr double mean_path_share(double n, double pieces, double largest_weight) {
  if (!(n > 0) || pieces < 2) return 1;
  const double covered = pieces / (n * largest_weight);
  const double j = covered >= pieces ? pieces : covered < 1 ? 1 : static_cast<double>(static_cast<long long>(covered));
  return ((pieces - 1) + (j - 1) * pieces - j * (j - 1) / 2) / (j * (pieces - 1));
}

}  // namespace numerics
TWOFOLD_END_NAMESPACE
