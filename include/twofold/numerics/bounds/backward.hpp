// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Bounds on the backward pass of attention, which recomputes the weights from the stored log-sum-exp:
//!
//!     w_i = e^(s_i − L)    dP_i = dO·V_i    D = dO·O    dS_i = w_i (dP_i − D)
//!     dQ = f·Σ_i dS_i K_i    dK_i = f·Σ_q dS_qi Q_q    dV_i = Σ_q w_qi dO_q          (f the score factor)
//!
//! Derivations, and why an error of D is the dangerous one (Σ_i dS_i = 0 exactly, and D alone can break that for a
//! whole row): docs/design/numerics.md.
#pragma once

#include "twofold/numerics/bounds/attention.hpp"

TWOFOLD_BEGIN_NAMESPACE
namespace numerics {

struct backward_arithmetic {
  attention_arithmetic forward;           //!< how O and L were made
  double width = 64;                      //!< head size: terms of dP_i and D
  double product_u = 0;                   //!< roundoff of an addition in dP (a tensor core); 0: u
  const format* stored_output = nullptr;  //!< format in which O was stored before D = dO·O read it; null: the state's
  const format* ds = nullptr;             //!< format dS (and w) are rounded to before they meet K, Q and dO; null: not at all
  double log_sum_exp = 0;                 //!< bound on |L|, nats: storing it costs u|L|
};

//! Sizes of one row's gradients; for one element i where it says so. Each column j of O enters with its own |dO_j|.
struct gradient_sizes {
  double centred = 0;     //!< |dP_i − D|
  double products = 0;    //!< Σ_j |dO_j||V_ij| of element i
  double distance = 0;    //!< of element i from the maximum, log2 units
  double weight = 1;      //!< w_i: what the smallest number of a narrow dS is measured against
  value_spread weighted;  //!< value_spread summed over the columns with weights |dO_j|
};

//! @brief  |ΔD|: what O's error, its storage and the dot product add up to.
//! @math   Σ_j|dO_j||ΔO_j| + u_store·Σ|dO_j||O_j| + d·u·Σ|dO_j||O_j|
inline breakdown row_sum_terms(double u, const tree_shape& t, double n, const backward_arithmetic& a, const gradient_sizes& g) {
  breakdown b = attention_terms(u, t, n, a.forward, g.weighted);
  breakdown d;
  d.add("P cast in O", b.of("P cast"), a.forward.shared ? "u_P·Σ|dO|·MAD" : "u_P·Σ|dO|·Σw|v|");
  d.add("rest of O", b.first_order() - b.of("P cast"), "Σ|dO||ΔO|");
  if (a.stored_output != nullptr) d.add("storing O", a.stored_output->unit_roundoff() * g.weighted.output, "u_O·Σ|dO||O|");
  d.add("dot product dO·O", a.width * u * g.weighted.output, "d·u·Σ|dO||O|");
  const double first = b.first_order();
  return d.perturbation(first > 0 && b.total() < math::infinity<double> ? 1 - first / b.total() : 0.5);
}

//! @brief  Relative error of a recomputed weight e^(s_i − L).
//! @math   ε_p + kap·u·ln2·D_i + |ΔL| + 2η; |ΔL| is common to the row
inline breakdown recomputed_weight_terms(double u, const tree_shape& t, double n, const backward_arithmetic& a, double distance) {
  breakdown b;
  const double ln_n = math::log(n < 1 ? 1 : n);
  b.add("exp2 of weights", a.forward.exp2_roundings * u, "ε_p");
  b.add("arguments", a.forward.argument_roundings * u * (detail::ln2 * distance + ln_n), "kap·u·ln2·|x|");
  b.add("log-sum-exp", log_sum_exp_terms(u, t, n, a.log_sum_exp, a.forward).first_order() + u * a.log_sum_exp, "|ΔL|+u|L|");
  return b.add("scores", 2 * detail::score_growth(a.forward.score_error), "2η");
}

//! @brief  |ΔdS_i| / w_i.
//! @math   (ω_i + 2u + u_dS)·|dP_i − D| + d·u·Σ_j|dO_j||V_ij| + |ΔD|, and half the smallest dS where that is narrow
inline breakdown score_gradient_terms(double u, const tree_shape& t, double n, const backward_arithmetic& a, const gradient_sizes& g) {
  const breakdown w = recomputed_weight_terms(u, t, n, a, g.distance), d = row_sum_terms(u, t, n, a, g);
  const double product_u = a.product_u > 0 ? a.product_u : u, narrow = a.ds != nullptr ? a.ds->unit_roundoff() : 0;
  breakdown b;
  b.add("recomputed weight", w.first_order() * g.centred, "ω·|dP−D|");
  b.add("difference and product", 2 * u * g.centred, "2u·|dP−D|");
  b.add("dS cast", narrow * g.centred, "u_dS·|dP−D|");
  if (a.ds != nullptr) b.add("dS below its smallest number", a.ds->smallest_subnormal() / 2 / g.weight, "tiny_dS/w");
  b.add("dot product dO·V", a.width * product_u * g.products, "d·u·Σ|dO||V|");
  b.add("row sum D", d.first_order(), "|ΔD|");
  const double each = w.first_order() + 2 * u + narrow;
  return b.perturbation(2 * each < 1 ? 2 * each : each);
}

//! @brief  |Δ of Σ_i dS_i·x_i|/f of one column: dQ (x = K, over the keys) or dK (x = Q, over the queries).
//! @param  errors Σ_i |ΔdS_i||x_i|, from score_gradient_terms, each with its own w_i
//! @param  magnitude Σ_i |dS_i||x_i|
//! @param  additions terms of the sum; u the roundoff of its additions
inline breakdown gradient_terms(double u, double additions, double errors, double magnitude) {
  breakdown b;
  b.add("errors of dS", errors, "Σ|ΔdS||x|");
  return b.add("sum over the row", (additions + 1) * u * (magnitude + errors), "n·u·Σ|dS||x|").perturbation(additions * u);
}

//! @brief  |Δ dV_i| of one column for queries of these sizes, relative to Σ_q w_qi |dO_q|; of sizes the distance and the weight count.
//! @math   ω + u_P + tiny_P/w + additions·u
inline breakdown value_gradient_terms(double u, const tree_shape& t, double n, const backward_arithmetic& a, const gradient_sizes& g,
                                      double additions) {
  breakdown b = recomputed_weight_terms(u, t, n, a, g.distance);
  if (a.ds != nullptr) b.add("P cast", a.ds->unit_roundoff(), "u_P");
  b.add("sum over the queries", (additions + 1) * u, "n·u");
  const double relative = b.first_order();  // what is lost below the smallest number is absolute, and perturbs nothing else
  if (a.ds != nullptr) b.add("P below its smallest number", a.ds->smallest_subnormal() / 2 / g.weight, "tiny_P/w");
  return b.perturbation(relative);
}

//! @brief  What an error of D does to dQ: −f·ΔD·Σ_i w_i K_i, a multiple of the mean key. Where all keys share a large component this
//!         is what accumulates over training steps: exact dS sum to 0 and would cancel it.
constexpr double mean_key_bias(double row_sum_error, double mean_key, double score_factor) {
  return score_factor * row_sum_error * mean_key;
}

}  // namespace numerics
TWOFOLD_END_NAMESPACE
