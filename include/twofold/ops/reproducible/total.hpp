// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The exact sum of terms: one wide integer on an absolute grid, and what was not finite. Many terms at a time go through a window
//! of 128 bits, so that the wide integer is touched once per tile.
#pragma once

#include "twofold/algebra/reduction.hpp"
#include "twofold/ops/reproducible/binary.hpp"

TWOFOLD_BEGIN_NAMESPACE
namespace exact {

//! @brief  sum·2^Least with sum in Z/2^(64·W), and flags.
//! @laws   add is addition modulo 2^(64·W) and "or": associative, commutative, each value has one representation
template <int W, int Least>
struct total {
  static constexpr int words = W, least = Least;
  wide_integer<W> sum;
  std::uint32_t not_finite;

  TWOFOLD_HD friend constexpr bool operator==(const total&, const total&) = default;
  TWOFOLD_HD constexpr void add(const total& b) {
    sum.add(b.sum);
    not_finite |= b.not_finite;
  }
  //! @pre t is a multiple of 2^Least; its own last place may lie lower (a sum in double of small floats), and is then 0.
  TWOFOLD_HD constexpr void add(const term& t) {
    const int position = t.exponent - Least;
    two_words m = t.magnitude;
    if (position < 0) m.low = shifted_right(m.low, -position);
    m.negate_if(t.negative);
    sum.add_at(m, position < 0 ? 0 : position);
    not_finite |= t.not_finite;
  }
  //! Correctly rounded.
  template <class T>
  TWOFOLD_HD constexpr T rounded_sum() const {
    return special_or<T>(not_finite, rounded<T>(sum, Least));
  }
};

//! Most terms that a window takes, and the bits by which their sum may be longer than they are.
inline constexpr int window_terms = 1024, window_growth = 10;

//! @brief  t ← t + Σ of the terms of the elements [first, last) of a tile, at most window_terms. Digits: the longest term.
//! @cost   two walks over them: exponents, then a shift and an addition of 128 bits per term; two more for every 117 − Digits binary
//!         places by which their exponents lie further apart
template <int Digits, int W, int Least, class Tile, class Term>
TWOFOLD_HD constexpr void add_range(total<W, Least>& t, const Tile& tile, index first, index last, const Term& term_at) {
  constexpr int none_left = 2 * Least - 1;
  int below = -none_left, least = below;  // what lies at or above `below` has been added
  for (bool again = true; again;) {
    int most = none_left;
    TWOFOLD_UNROLL
    for (index i = first; i < last; ++i)
      tile.apply(i, [&](const auto&... x) {
        const term a = term_at(x...);
        t.not_finite |= a.not_finite;  // its magnitude is 0
        if (a.zero() || a.exponent >= below) return;
        least = a.exponent < least ? a.exponent : least;
        most = a.exponent > most ? a.exponent : most;
      });
    if (most == none_left) return;
    const int reach = most - (127 - window_growth - Digits), base = reach < Least ? Least : reach;
    two_words window{0, 0};
    TWOFOLD_UNROLL
    for (index i = first; i < last; ++i)
      tile.apply(i, [&](const auto&... x) {
        const term a = term_at(x...);
        const bool here = !a.zero() && a.exponent >= base && a.exponent < below;
        two_words m = a.magnitude;
        m.shift_left(here ? a.exponent - base : 0);
        m.negate_if(a.negative);
        if (here) window.add(m);
      });
    t.sum.add_at(window, base - Least);
    again = least < base;
    below = base;
  }
}

//! The same for a whole tile; on the device, where it lies in registers, that is one range.
template <int Digits, int W, int Least, class Tile, class Term>
TWOFOLD_HD constexpr void add_tile(total<W, Least>& t, const Tile& tile, const Term& term_at) {
  const index n = tile.size();
  TWOFOLD_UNROLL
  for (index i = 0; i < n; i += window_terms) add_range<Digits>(t, tile, i, i + window_terms < n ? i + window_terms : n, term_at);
}

}  // namespace exact
TWOFOLD_END_NAMESPACE
