// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file How many elements lie in each of some bins of equal width.
#pragma once

#include <cstdint>

#include "twofold/algebra/math.hpp"
#include "twofold/algebra/values.hpp"

TWOFOLD_BEGIN_NAMESPACE

//! Counts of the bins [first + i·width, first + (i+1)·width), and of what lies in none of them.
template <int Bins>
struct bin_counts {
  std::int64_t below, above, not_a_number;
  values<std::int64_t, Bins> bins;
  friend constexpr bool operator==(const bin_counts&, const bin_counts&) = default;
};

//! @brief  Histogram of Bins bins of equal width over [first, first + Bins·width).
//! @math   bin of x: ⌊(x − first)/width⌋, computed in X; an edge belongs to the bin above it
//! @laws   commutative and exact over the machine (counts are 64-bit)
//! @empty  zeros
//! @special NaN is counted by itself, ±inf above and below
//! @pre    width > 0
//! @cost   one division and one increment per element; a merge Bins additions
template <class X, int Bins>
struct histogram {
  static_assert(Bins >= 1);
  using input = X;
  using state = bin_counts<Bins>;
  static constexpr const char* tag = "histogram";
  static constexpr bool commutative = true;
  static constexpr bool symmetric = true;
  static constexpr bool exact_over_machine = true;
  X first{};
  X width = X(1);

  TWOFOLD_HD constexpr state identity() const { return {0, 0, 0, values<std::int64_t, Bins>(Bins)}; }
  TWOFOLD_HD constexpr state lift(const X& x) const {
    state s = identity();
    push_into(s, x);
    return s;
  }
  TWOFOLD_HD constexpr void push_into(state& s, const X& x) const {
    if (math::is_nan(x)) ++s.not_a_number;
    else if (x < first) ++s.below;
    else {
      const X bin = (x - first) / width;  // integers round towards 0, as floor does here
      if (bin < X(Bins)) ++s.bins[static_cast<index>(bin)];
      else ++s.above;
    }
  }
  TWOFOLD_HD constexpr state combine(const state& a, const state& b) const {
    state s = a;
    s.below += b.below;
    s.above += b.above;
    s.not_a_number += b.not_a_number;
    for (index i = 0; i < Bins; ++i) s.bins[i] += b.bins[i];
    return s;
  }
  TWOFOLD_HD constexpr state finalize(const state& s) const { return s; }
};

TWOFOLD_END_NAMESPACE
