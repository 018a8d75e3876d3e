// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Opening and closing: the depth at the end, the deepest and the lowest depth on the way.
#pragma once

#include <cstdint>

#include "twofold/algebra/reduction.hpp"

TWOFOLD_BEGIN_NAMESPACE

//! Depths after each element, from 0 before the first.
struct depth_profile {
  std::int64_t depth;    //!< at the end
  std::int64_t lowest;   //!< of all, the beginning's 0 included
  std::int64_t deepest;  //!< likewise
  //! Every closing bracket has an opening one before it, and all are closed.
  [[nodiscard]] TWOFOLD_HD constexpr bool balanced() const { return depth == 0 && lowest == 0; }
  friend constexpr bool operator==(const depth_profile&, const depth_profile&) = default;
};

//! @brief  Depth of nesting of a sequence of steps: +1 opens, −1 closes, 0 is anything else (any integer is legal).
//! @math   prefix sums: the last, their minimum and their maximum, each over the empty prefix too; in order (a, b):
//!         (a.depth + b.depth, min(a.lowest, a.depth + b.lowest), max(a.deepest, a.depth + b.deepest))
//! @laws   not commutative; exact while |depth| < 2^63
//! @empty  0, 0, 0
//! @source Bird, An introduction to the theory of lists (1987)
struct bracket_depth {
  using input = int;
  using state = depth_profile;
  static constexpr const char* tag = "bracket_depth";
  static constexpr bool exact_over_machine = true;
  TWOFOLD_HD constexpr state identity() const { return {0, 0, 0}; }
  TWOFOLD_HD constexpr state lift(const int& step) const { return {step, step < 0 ? step : 0, step > 0 ? step : 0}; }
  TWOFOLD_HD constexpr state combine(const state& a, const state& b) const {
    const std::int64_t low = a.depth + b.lowest, high = a.depth + b.deepest;
    return {a.depth + b.depth, low < a.lowest ? low : a.lowest, high > a.deepest ? high : a.deepest};
  }
  TWOFOLD_HD constexpr state finalize(const state& s) const { return s; }
};

TWOFOLD_END_NAMESPACE
