// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Bounds on affine recurrences h_t = a_t·h_{t−1} + b_t with fused multiply-add (theorem T5), any tree of height d.
#pragma once

#include "twofold/numerics/bounds/sums.hpp"

TWOFOLD_BEGIN_NAMESPACE
namespace numerics {

//! d of a schedule: every merge of which an element is on the right rounds once, and so does the element's own addition where a piece is
//! walked. What it meets as a left side, pushes and products of scales, is counted by the elements after it.
constexpr double affine_height(const tree_shape& t) { return t.levels + (t.leaf > 1 || t.pushed > 1 || t.levels == 0 ? 1 : 0); }
//! |Δh| at the end of the given steps: u·Σ_i ((n−1−i) + d)·|a_{n−1}⋯a_{i+1}·b_i| (first order); h_0 = 0.
inline double affine(double u, double height, const double* a, const double* b, long n) {
  double reach = 1, total = 0;
  for (long i = n - 1; i >= 0; --i) {
    total += (static_cast<double>(n - 1 - i) + height) * reach * math::fabs(b[i]);
    reach *= math::fabs(a[i]);
  }
  return u * total;
}
//! κ_t = Σ|a⋯a·b| / |h_t|: what relative errors are multiplied with.
inline double affine_condition(const double* a, const double* b, long n) {
  double reach = 1, total = 0, h = 0, product = 1;
  for (long i = n - 1; i >= 0; --i) {
    total += reach * math::fabs(b[i]), h += product * b[i];
    reach *= math::fabs(a[i]), product *= a[i];
  }
  return h != 0 ? total / math::fabs(h) : math::infinity<double>;
}
//! From |a| ≤ rho < 1 and |b| ≤ largest alone, however long the input.
constexpr breakdown affine_terms(double u, double height, double rho, double largest) {
  breakdown b;
  if (!(rho < 1)) return b.add("no contraction", math::infinity<double>, "|a| ≥ 1");
  b.add("products along the recurrence", u * largest * rho / ((1 - rho) * (1 - rho)), "u·|b|·ρ/(1−ρ)²");
  return b.add("merges", u * largest * height / (1 - rho), "u·|b|·d/(1−ρ)").perturbation(u * height);
}
//! u·b·(ρ/(1−ρ)² + d/(1−ρ)).
constexpr double affine(double u, double height, double rho, double largest) {
  return rho < 1 ? u * largest * (rho / ((1 - rho) * (1 - rho)) + height / (1 - rho)) : math::infinity<double>;
}

}  // namespace numerics
TWOFOLD_END_NAMESPACE
