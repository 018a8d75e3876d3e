// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Runs of equal neighbours: how many, and the longest.
#pragma once

#include <cstdint>

#include "twofold/algebra/adjoin.hpp"

TWOFOLD_BEGIN_NAMESPACE

//! Of a non-empty sequence.
struct run_summary {
  std::int64_t runs;     //!< maximal stretches of equal neighbours
  std::int64_t longest;  //!< elements in the longest
  friend constexpr bool operator==(const run_summary&, const run_summary&) = default;
};

namespace detail {
//! Of a non-empty piece: its first and last element, and how far the runs at its edges reach.
template <class X>
struct runs_of {
  using input = X;
  struct state {
    X first, last;
    std::int64_t leading, trailing, longest, runs, count;
    friend constexpr bool operator==(const state&, const state&) = default;
  };
  static constexpr bool exact_over_machine = true;
  TWOFOLD_HD constexpr state lift(const X& x) const { return {x, x, 1, 1, 1, 1, 1}; }
  TWOFOLD_HD constexpr state combine(const state& a, const state& b) const {
    const bool joined = a.last == b.first;
    state s{a.first, b.last, a.leading, b.trailing, a.longest > b.longest ? a.longest : b.longest, a.runs + b.runs, a.count + b.count};
    if (!joined) return s;
    const std::int64_t across = a.trailing + b.leading;
    if (across > s.longest) s.longest = across;
    if (a.runs == 1) s.leading = across;
    if (b.runs == 1) s.trailing = across;
    s.runs -= 1;
    return s;
  }
  TWOFOLD_HD constexpr run_summary finalize(const state& s) const { return {s.runs, s.longest}; }
};
}  // namespace detail

//! @brief  Number of runs of equal neighbours and the length of the longest; a lifting of the loop (previous, current run, longest) by
//!         the runs at the left edge.
//! @laws   not commutative; exact over the machine
//! @empty  no value
//! @special elements are compared by ==: every NaN is a run of its own, −0 and +0 are equal
template <class X>
struct run_lengths : adjoin<detail::runs_of<X>> {
  static constexpr const char* tag = "run_lengths";
};

TWOFOLD_END_NAMESPACE
