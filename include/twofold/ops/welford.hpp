// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Mean and variance in one pass (Welford), mergeable (Chan): a twist whose reference is the mean.
#pragma once

#include "twofold/algebra/accumulator.hpp"
#include "twofold/algebra/twist.hpp"
#include "twofold/ops/power_sums.hpp"

TWOFOLD_BEGIN_NAMESPACE

//! count, mean and variance; `auto [n, mean, variance] = …`.
template <class A>
struct variance_result {
  std::int64_t count;
  A mean;      //!< NaN for no element
  A variance;  //!< M2 / (n − correction); NaN for n ≤ correction. Never negative
  TWOFOLD_HD A standard_deviation() const { return math::sqrt(variance); }
};

//! @brief  Number, mean and variance of the elements.
//! @math   M2 = Σ (x−mean)²; variance = M2 / (n − correction)
//! @units  variance in the square of the elements' unit
//! @laws   commutative and associative modulo `same`; the state is (reference g; n, S1 = Σ(x−g), S2 = Σ(x−g)²), g
//!         near the mean
//! @empty  count 0, mean NaN, variance NaN. One element: population variance 0; sample variance NaN
//! @special ±inf: mean as Σx/n in IEEE arithmetic, variance NaN; NaN gives NaN
//! @error  |Δmean| ≤ u|mean| + O(d·u)·σ, |ΔM2|/M2 = O(d·u), d the height of the tree: no condition number, since S1
//!         keeps what rounding the mean would lose (numerics/bounds.hpp: welford).
//! @pre    |x−y|·√n below the root of A's largest number, else the variance is inf; |x−y| below that number, else the
//!         mean is not finite
//! @cost   a fold adds 3 flops per element; a tile is read twice
//! @source Welford (1962); Chan, Golub, LeVeque (1979); Neely's correction (1966) is what S1 amounts to
template <class X, class A = wide_of<X>, class Gauge = gauge::mean>
struct welford : twist<power_sums<X, A, 2>, Gauge> {
  using input = X;
  using typename twist<power_sums<X, A, 2>, Gauge>::state;
  static constexpr const char* tag = "welford";
  int correction = 1;  //!< 1: sample variance; 0: population variance

  TWOFOLD_HD constexpr A m2(const state& s) const {
    const A n = static_cast<A>(s.amount.count), s1 = s.amount.sums[0], s2 = s.amount.sums[1];
    return detail::from_squares(s2 - s1 * (s1 / n), s1);
  }
  TWOFOLD_HD constexpr variance_result<A> finalize(const state& s) const {
    const std::int64_t n = s.amount.count;
    if (n == 0) return {0, math::nan<A>, math::nan<A>};
    const A mean = s.at + s.amount.sums[0] / static_cast<A>(n);
    if (n <= correction) return {n, mean, math::nan<A>};
    return {n, mean, m2(s) / static_cast<A>(n - correction)};
  }
};

TWOFOLD_END_NAMESPACE
