// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Sums: plain, pairwise within a tile, and compensated.
#pragma once

#include "twofold/algebra/accumulator.hpp"
#include "twofold/algebra/math.hpp"
#include "twofold/algebra/reduction.hpp"

TWOFOLD_BEGIN_NAMESPACE

//! @brief  Plain sum.
//! @math   Σ x_i in A; integers modulo 2^64 unless A says otherwise (signed wrap is computed unsigned: no undefined
//!         behaviour)
//! @laws   commutative; integers: exact over the machine; floats: exact over the reals only
//! @empty  0
//! @error  |ŝ − s| ≤ h·u·Σ|x_i|, h the height of the tree, n − 1 for a fold (Higham, Accuracy and Stability, ch. 4)
//! @cost   one addition per element and per merge
template <class X, class A = accumulator_of<X>>
struct sum {
  using input = X;
  using state = A;
  template <template <class> class Lanes>
  using over = sum<Lanes<X>, Lanes<A>>;
  static constexpr const char* tag = "sum";
  static constexpr bool commutative = true;
  static constexpr bool symmetric = true;
  static constexpr bool exact_over_machine = std::is_integral_v<A>;
  //! −0, not +0, is neutral in floating point: +0 + −0 would lose a sign. finalize gives +0 for no element, as a loop
  //! would.
  TWOFOLD_HD constexpr state identity() const {
    if constexpr (math::is_floating<A>) return -A(0);
    else return A(0);
  }
  TWOFOLD_HD constexpr state lift(const X& x) const { return static_cast<A>(x); }
  TWOFOLD_HD constexpr state combine(const state& a, const state& b) const {
    if constexpr (std::is_integral_v<A>) {
      using U = std::make_unsigned_t<A>;
      return static_cast<A>(static_cast<U>(a) + static_cast<U>(b));
    } else {
      return a + b;
    }
  }
  TWOFOLD_HD constexpr A finalize(const state& s) const {
    if constexpr (math::is_floating<A>) return s + A(0);
    else return s;
  }
};

//! @brief  The same state and merge as sum, but a tile is summed pairwise.
//! @error  |ŝ − s| ≤ (⌈log2 b⌉ + h)·u·Σ|x_i| for tiles of b elements under a tree of height h
//! @cost   as sum: the recursion stops at 8 elements, which are summed in order
//! @source Higham, Accuracy and Stability, ch. 4
template <class X, class A = accumulator_of<X>>
struct pairwise_sum : sum<X, A> {
  using typename sum<X, A>::state;
  template <class Tile>
  TWOFOLD_HD constexpr state leaf(const Tile& tile) const {
    return range(tile, 0, tile.size());
  }

 private:
  template <class Tile>
  TWOFOLD_HD constexpr state range(const Tile& tile, index first, index last) const {
    if (last - first > 8) {
      const index middle = first + (last - first) / 2;
      return this->combine(range(tile, first, middle), range(tile, middle, last));
    }
    state s = this->identity();
    for (index i = first; i < last; ++i) tile.apply(i, [&](const X& x) { s = this->combine(s, this->lift(x)); });
    return s;
  }
};

//! @brief  Sum with a running error term: as if computed in twice the precision.
//! @math   high + low, where every addition of the high parts is exact with its error added to low (Knuth's two-sum)
//! @laws   commutative, bit for bit; associative over the reals
//! @empty  0
//! @error  |ŝ − s| ≤ u·|s| + (h·u)²·Σ|x_i|, h the height of the tree (n for a fold)
//! @special an infinite or NaN sum is that of the plain sum; an overflow on the way is not undone
//! @cost   8 additions per merge
//! @source Ogita, Rump, Oishi, Accurate sum and dot product (2005); Neumaier (1974)
template <class X, class A = accumulator_of<X>>
requires math::is_floating<A>
struct compensated_sum {
  using input = X;
  template <template <class> class Lanes>
  using over = compensated_sum<Lanes<X>, Lanes<A>>;
  static constexpr const char* tag = "compensated_sum";
  struct state {
    A high;
    A low;
    friend constexpr bool operator==(const state&, const state&) = default;
  };
  static constexpr bool commutative = true;
  TWOFOLD_HD constexpr state identity() const { return {-A(0), A(0)}; }
  TWOFOLD_HD constexpr state lift(const X& x) const { return {static_cast<A>(x), A(0)}; }
  TWOFOLD_HD constexpr state combine(const state& a, const state& b) const {
    const A high = a.high + b.high;
    const A b_part = high - a.high;
    const A a_part = high - b_part;
    const A error = (a.high - a_part) + (b.high - b_part);
    return {high, math::select(math::is_finite(high), (a.low + b.low) + error, A(0))};  // the error of an infinite sum would be NaN
  }
  TWOFOLD_HD constexpr A finalize(const state& s) const { return (s.high + s.low) + A(0); }
  //! high and low are one number: how it is split depends on the tree.
  TWOFOLD_HD constexpr bool same(const state& a, const state& b) const {
    const A x = finalize(a);
    return math::close(x, finalize(b), x < A(0) ? -x : x);
  }
};

TWOFOLD_END_NAMESPACE
