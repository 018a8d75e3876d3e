// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file log-sum-exp: a twist whose reference is the maximum and whose action is a positive factor.
#pragma once

#include "twofold/algebra/twist.hpp"
#include "twofold/ops/exponential.hpp"

TWOFOLD_BEGIN_NAMESPACE

//! @brief  ln Σ exp(x_i), without overflow.
//! @math   state (M, l): the sum is l·2^M; merge M = max(a.M, b.M), l = a.l·2^(a.M−M) + b.l·2^(b.M−M)
//! @units  x and the answer in nats; M in log2 units
//! @laws   commutative; associative modulo `same`
//! @empty  −inf, as for all x_i = −inf
//! @special NaN gives NaN; +inf gives +inf
//! @error  |Δ| ≤ B_l + 2u|answer|, B_l = ε_exp2 + u·W((n−1)/e) and second-order terms: l is compensated, so the
//!         height of the tree does not enter. With gauge::maximum also relatively accurate near 0: {0, −40} gives
//!         4.248e−18
//! @pre    |x| ≤ (largest number)/log2(e): beyond, elements tie with one another and the answer is ±(largest
//!         number)·ln 2
//! @cost   one exp2 per element; a merge under the integer gauge rescales exactly
//! @source Blanchard, Higham, Higham (2021), for the unmerged case
template <class T, class Gauge = gauge::integer>
struct log_sum_exp : twist<exponential<T, compensated_weight_sum<T>>, Gauge> {
  using input = T;
  using typename twist<exponential<T, compensated_weight_sum<T>>, Gauge>::state;
  static constexpr const char* tag = "log_sum_exp";
  TWOFOLD_HD T finalize(const state& s) const { return natural_log(s.at, s.amount.high, s.amount.low); }
  //! The same of a state that has settled for a tile.
  TWOFOLD_HD T finalize_settled(const state& s) const { return natural_log_settled(s.at, s.amount.high, s.amount.low); }
};

TWOFOLD_END_NAMESPACE
