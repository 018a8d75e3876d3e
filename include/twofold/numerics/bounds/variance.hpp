// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Bounds on means, variances, covariances and higher moments. Derivations: docs/design/numerics.md.
#pragma once

#include "twofold/numerics/bounds/sums.hpp"

TWOFOLD_BEGIN_NAMESPACE
namespace numerics {

//! κ = √(1 + n·mean²/M2), the condition number of a variance. With a pivot p subtracted first, mean − p takes the place of mean.
inline double variance_condition(double n, double mean, double m2) {
  return m2 > 0 ? math::sqrt(1 + n * mean * mean / m2) : math::infinity<double>;
}

//! @name Chan's merge of (n, mean, M2), anchored at the larger side (theorem T4): what emitted three-number code uses. A leaf
//! (two passes) counts as `leaf` levels for the mean. @source Chan, Golub, LeVeque (1983), with constants for any tree
//! @{
//! |Δmean|, given mean|x| and the standard deviation σ.
inline double chan_mean(double u, const tree_shape& t, double n, double mean_magnitude, double sigma) {
  const double d = t.steps() + (t.leaf > 1 ? t.leaf : 0);
  const double spread = n > 1 ? 2 * sigma * math::sqrt(2 * math::log2(n)) : 0;
  return u * (d * mean_magnitude + spread);
}
//! |ΔM2|/M2. The κ term is attained: no tree of this height has a smaller constant (docs/design/numerics.md).
inline breakdown chan_m2_terms(double u, const tree_shape& t, double kappa) {
  const double d = t.steps(), root = math::sqrt(d), tile = t.leaf > 1 ? t.leaf : 0;
  const double second = u * ((d + tile) * kappa + 2 * root);
  breakdown b;
  b.add("additions", u * (2 * d + 4 + (t.leaf > 1 ? t.leaf + 3 : 0)), "(2d+4)·u");
  b.add("rounded means", u * 2 * (d + tile) * kappa, "2·d·κ·u");
  b.add("rounded differences", u * 4 * root, "4·√d·u");
  return b.add("second order", second * second, "(d·κ·u)²").perturbation(0);
}
inline double chan_m2(double u, const tree_shape& t, double kappa) { return chan_m2_terms(u, t, kappa).total(); }
//! @}

//! @name This library's welford: (n, S1, S2) about a reference near the mean. S1 keeps what rounding the reference loses, so κ
//! enters only through (κu)²; the height enters the mean only as a root.
//! @{
namespace detail {
//! Distance of a piece's reference from its mean in units of σ, at most: it was rounded, and found by a sum.
inline double reference_offset(double u, const tree_shape& t, double kappa) {
  return 2 * u * kappa + (t.leaf > 1 ? (t.leaf + 3) * u * math::sqrt(t.leaf) : 0);
}
//! A fold moves its reference at most so often: each move takes a third more elements (docs/design/numerics.md).
inline double reference_moves(double pushed) { return pushed > 1 ? 2 + math::log(pushed) / 0.28768207245178085 : 0; }
}  // namespace detail

//! |Δmean|, given |mean| and σ.
inline breakdown welford_mean_terms(double u, const tree_shape& t, double magnitude, double sigma) {
  const double off = detail::reference_offset(u, t, 0) * sigma + 2 * u * magnitude, moves = detail::reference_moves(t.pushed);
  const double walk = t.pushed > 1 ? 0.4 * t.pushed + 11 + 3 * math::sqrt(moves) : 0, tile = t.leaf > 1 ? 0.48 * t.leaf + 1 : 0;
  breakdown b;
  b.add("rounding of the mean", u * magnitude, "u·|mean|");
  b.add("sums within a piece", u * (walk + tile) * sigma, "0.48·b·u·σ");
  b.add("merges", u * 3 * math::sqrt(t.levels) * sigma, "3·√levels·u·σ");
  b.add("final shift", 3 * u * sigma, "3·u·σ");
  return b.add("references off the mean", u * (t.additions() + 3) * off, "h·u·|g−mean|").perturbation(t.additions() * u);
}
inline double welford_mean(double u, const tree_shape& t, double magnitude, double sigma) {
  return welford_mean_terms(u, t, magnitude, sigma).total();
}
//! |ΔM2|/M2.
inline breakdown welford_m2_terms(double u, const tree_shape& t, double kappa) {
  const double off = detail::reference_offset(u, t, kappa), spread = 1 + off * off;
  breakdown b;
  b.add("sums within a tile", t.leaf > 1 ? u * (1.5 * t.leaf + 3) * spread : 0, "1.5·b·u");
  b.add("walk", t.pushed > 1 ? u * (2.1 * t.pushed + 6 * detail::reference_moves(t.pushed) + 40) * spread : 0, "2.1·n·u");
  b.add("merges", u * 6 * t.levels * spread, "6·levels·u");
  return b.add("shifts", u * 12 * spread, "12·u");
}
inline double welford_m2(double u, const tree_shape& t, double kappa) { return welford_m2_terms(u, t, kappa).total(); }
//! @}

//! @brief  |ΔC_xy| / √(C_xx·C_yy): the derivation of welford_m2 with Cauchy and Schwarz in place of squares. Relative to the spreads: a
//!         covariance may cancel.
inline breakdown covariance_terms(double u, const tree_shape& t, double kappa_x, double kappa_y) {
  breakdown b = welford_m2_terms(u, t, kappa_x > kappa_y ? kappa_x : kappa_y);
  return b.add("moves in the other variable", u * 6 * detail::reference_moves(t.pushed), "6·moves·u");
}
inline double covariance(double u, const tree_shape& t, double kappa_x, double kappa_y) {
  return covariance_terms(u, t, kappa_x, kappa_y).total();
}

//! @brief  |Δ Σ(x−mean)^k| / Σ|x−mean|^k for `moments`, k ≥ 2. Order 2 is welford_m2. Orders from 3 on are linear in the height, with
//!         constants that are safe and large; the running bound (certified.hpp) tells what happened.
//! @math   (b + 2k)·3^k·u + levels·(2k + 1)·5^k·u: an error of S_j made at a node reaches the root through one shift, from the node's mean
//! to
//!         the mean, whatever lies between (cocycle); and node means are no further off than elements are, in every norm (Jensen)
inline breakdown central_moment_terms(double u, const tree_shape& t, double kappa, int order) {
  if (order == 2) return welford_m2_terms(u, t, kappa);
  const double off = detail::reference_offset(u, t, kappa), k = order, own = 2 * k + 1;
  double spread = 1, three = 1, five = 1, walk = 1;
  for (int i = 0; i < order; ++i) spread *= 1 + off, three *= 3, five *= 5, walk *= 5.5;
  breakdown b;
  b.add("sums within a tile", t.leaf > 1 ? u * (t.leaf + 2 * k) * (t.levels > 0 ? three : 1) * spread : 0, "(b+2k)·3^k·u");
  b.add("walk", t.pushed > 1 ? u * ((t.pushed + 2 * k) * walk + detail::reference_moves(t.pushed) * own * five) * spread : 0,
        "(n+2k)·5.5^k·u");
  b.add("merges", u * t.levels * own * five * spread, "levels·(2k+1)·5^k·u");
  return b.add("final shift", u * (own + 2) * spread, "(2k+3)·u");
}
inline double central_moment(double u, const tree_shape& t, double kappa, int order) {
  return central_moment_terms(u, t, kappa, order).total();
}

}  // namespace numerics
TWOFOLD_END_NAMESPACE
