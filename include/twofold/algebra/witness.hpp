// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The witness monoid: intervals that only merge when they are adjacent. Run it through a schedule to learn
//! whether every element arrived exactly once and in order: free of rounding, and no wrong schedule can please it.
#pragma once

#include <cstdint>

#include "twofold/algebra/reduction.hpp"

TWOFOLD_BEGIN_NAMESPACE

//! What went wrong first, seen from the merge where it showed.
enum class schedule_fault : std::uint8_t { none, gap, repeat, swapped };

//! [first, last) of positions, or the first fault and the two intervals that met.
struct interval {
  index first = 0;
  index last = -1;  //!< last < first: nothing yet. An empty interval has no place, so that identities merge anywhere
  schedule_fault fault = schedule_fault::none;
  index left_last = 0;    //!< at a fault: end of the left interval
  index right_first = 0;  //!< at a fault: begin of the right one
  TWOFOLD_HD constexpr bool empty() const { return last < first; }
  TWOFOLD_HD constexpr bool ok() const { return fault == schedule_fault::none; }
  //! Exactly the positions [0, n), in order.
  TWOFOLD_HD constexpr bool covers(index n) const { return ok() && (n == 0 ? empty() : first == 0 && last == n); }
  friend constexpr bool operator==(const interval&, const interval&) = default;
};

//! @brief  Adjacent intervals: lift(i) = [i, i+1), combine needs left.last == right.first and traps otherwise.
//! @laws   associative; not commutative; the identity is a value of its own
//! @special a fault is absorbing. Gap: positions between the two are missing (or come later); repeat: the intervals
//!         overlap; swapped: the right one lies wholly before the left one
struct witness {
  using input = index;
  using state = interval;
  static constexpr const char* tag = "witness";
  static constexpr bool commutative = false;
  TWOFOLD_HD constexpr state identity() const { return {}; }
  TWOFOLD_HD constexpr state lift(const index& i) const { return {i, i + 1}; }
  TWOFOLD_HD constexpr state combine(const state& a, const state& b) const {
    if (!a.ok()) return a;
    if (!b.ok()) return b;
    if (a.empty()) return b;
    if (b.empty()) return a;
    if (a.last == b.first) return {a.first, b.last};
    const schedule_fault fault = b.first > a.last    ? schedule_fault::gap
                                 : b.last <= a.first ? schedule_fault::swapped
                                                     : schedule_fault::repeat;
    return {a.first, b.last, fault, a.last, b.first};
  }
  TWOFOLD_HD constexpr state finalize(const state& s) const { return s; }
  //! Which fault shows first may depend on the tree; that there is one does not.
  TWOFOLD_HD constexpr bool same(const state& a, const state& b) const { return a.ok() == b.ok() && (!a.ok() || a == b); }
};

TWOFOLD_END_NAMESPACE
