// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Bounds on sums, all relative to Σ|x| unless they say otherwise.
//! @source Higham, Accuracy and Stability of Numerical Algorithms, ch. 4; Ogita, Rump, Oishi (2005) for the compensated ones
#pragma once

#include "twofold/numerics/breakdown.hpp"
#include "twofold/numerics/shape.hpp"

TWOFOLD_BEGIN_NAMESPACE
namespace numerics {

//! @brief  Plain sum in any order: one rounding per addition on the longest path.
constexpr breakdown sum_terms(double u, const tree_shape& t) {
  breakdown b;
  b.add("additions within a piece", (t.leaf - 1 + t.pushed - 1) * u, "(b−1)·u");
  return b.add("merges", t.levels * u, "levels·u");
}
constexpr double sum(double u, const tree_shape& t) { return sum_terms(u, t).total(); }

//! @brief  A leaf summed pairwise down to runs of 8.
constexpr breakdown pairwise_sum_terms(double u, const tree_shape& t) {
  breakdown b;
  b.add("additions within a piece", (balanced_levels(t.leaf / 8) + (t.leaf < 8 ? t.leaf - 1 : 7) + t.pushed - 1) * u, "(⌈log2(b/8)⌉+7)·u");
  return b.add("merges", t.levels * u, "levels·u");
}
constexpr double pairwise_sum(double u, const tree_shape& t) { return pairwise_sum_terms(u, t).total(); }

//! @brief  Compensated (a high part summed exactly, its errors summed beside it): u|s| + this·Σ|x|.
//! @math   (h·u/(1 − h·u))², h = additions + 1: the errors are at most h·u·Σ|x| and are summed with at most h roundings
constexpr double compensated_sum(double u, const tree_shape& t) {
  const double h = detail::all_orders((t.additions() + 1) * u);
  return h * h;
}
constexpr breakdown compensated_sum_terms(double u, const tree_shape& t) {
  breakdown b;
  return b.add("errors of the error sum", compensated_sum(u, t), "(h·u)²");
}

//! @brief  Kahan's loop (the compensation is subtracted from the next element): (2u + 2·h·u²)·Σ|x|. Only for a fold: Kahan's state
//!         does not merge, compensated_sum's does.
constexpr breakdown kahan_sum_terms(double u, double n) {
  breakdown b;
  b.add("last two additions", 2 * u, "2·u");
  return b.add("second order", 2 * n * u * u, "2·n·u²");
}

//! @brief  Sum in double-double (normalised pairs, the accurate addition of 20 flops: 3u²(1 + 4u) per addition):
//!         u|s| for the final rounding + this·Σ|x|. @source Joldes, Muller, Popescu (2017), accurate double-word addition
constexpr breakdown double_word_sum_terms(double u, const tree_shape& t) {
  breakdown b;
  return b.add("additions", t.additions() * 3 * u * u * (1 + 8 * u), "h·3u²");
}

//! @brief  Maximum segment sum: every sum of neighbours is an addition tree no higher than the merges.
constexpr double maximum_segment_sum(double u, const tree_shape& t) { return detail::all_orders((2 * t.steps() + t.leaf) * u); }

//! @brief  Typical size: standard deviation of the error of a sum of n equal terms whose roundings are independent with mean 0 and
//!         size u, relative to Σ|x|; 4 of these is what "typical" means in a report. It is not a guarantee: equal terms round with a bias.
//! @math   u·√Σ_v (share of node v)²: b²/(3n) within pieces, m²s/(3n) for a chain of m states of s elements, 2ms/n for a tree
constexpr double sum_deviation_squared(const schedule_shape& s, double merge_variance = 1) {
  if (s.size == 0) return 0;
  const double piece = s.leaf > s.pushed ? s.leaf : s.pushed;
  double v = (piece * piece - 1) / (3 * s.size) * (s.pushed > 1 ? merge_variance : 1);
  for (const merge_stage& m : s.stages)
    if (m.pieces > 1) v += merge_variance * (m.tree ? 2 * m.pieces : m.pieces * m.pieces / 3) * m.elements / s.size;
  return v;
}

}  // namespace numerics
TWOFOLD_END_NAMESPACE
