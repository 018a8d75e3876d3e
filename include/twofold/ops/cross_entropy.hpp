// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Cross-entropy of scores against a target: log-sum-exp and the target's score in one pass.
#pragma once

#include "twofold/ops/log_sum_exp.hpp"

TWOFOLD_BEGIN_NAMESPACE

//! @brief  −ln softmax(x)_target = ln Σ exp(x_i) − x_target.
//! @shape  lift(position, x): position in the whole row (tile.hpp: indexed)
//! @units  nats
//! @laws   commutative; associative modulo `same`. If a position comes twice, the later one in order counts
//! @empty  NaN, as where the target was not among the elements
//! @special a target of score −inf costs +inf; NaN gives NaN; +inf among the scores gives NaN, or 0 − … as IEEE says for the target itself
//! @error  that of log_sum_exp and u·|answer|; relative accuracy is lost where the answer is much smaller than |x_target|
template <class T, class Gauge = gauge::integer>
struct cross_entropy {
  static constexpr const char* tag = "cross_entropy";
  using sums = log_sum_exp<T, Gauge>;
  struct state {
    typename sums::state weights;
    T score;
    bool found;
    friend constexpr bool operator==(const state&, const state&) = default;
  };
  index target = 0;
  sums of{};

  TWOFOLD_HD constexpr state identity() const { return {of.identity(), T(0), false}; }
  TWOFOLD_HD constexpr state lift(const index& position, const T& x) const {
    return {of.lift(x), position == target ? x : T(0), position == target};
  }
  TWOFOLD_HD constexpr void push_into(state& s, const index& position, const T& x) const {
    twofold::push_into(of, s.weights, x);
    if (position == target) s.score = x, s.found = true;
  }
  TWOFOLD_HD constexpr state combine(const state& a, const state& b) const {
    return {of.combine(a.weights, b.weights), b.found ? b.score : a.score, a.found || b.found};
  }
  TWOFOLD_HD constexpr bool same(const state& a, const state& b) const {
    return of.same(a.weights, b.weights) && a.found == b.found && (a.score == b.score || (math::is_nan(a.score) && math::is_nan(b.score)));
  }
  TWOFOLD_HD T finalize(const state& s) const { return s.found ? of.finalize(s.weights) - s.score : math::nan<T>; }
};

TWOFOLD_END_NAMESPACE
