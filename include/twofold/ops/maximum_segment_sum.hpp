// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The largest sum of neighbouring elements.
#pragma once

#include "twofold/algebra/accumulator.hpp"
#include "twofold/algebra/adjoin.hpp"
#include "twofold/ops/min_max.hpp"
#include "twofold/ops/sum.hpp"

TWOFOLD_BEGIN_NAMESPACE

namespace detail {
//! Of a non-empty piece: the best segment anywhere, at the left edge, at the right edge, and the whole.
template <class X, class A>
struct segment_sums {
  using input = X;
  struct state {
    A best;
    A prefix;
    A suffix;
    A total;
    friend constexpr bool operator==(const state&, const state&) = default;
  };
  static constexpr bool exact_over_machine = std::is_integral_v<A>;
  TWOFOLD_HD constexpr state lift(const X& x) const {
    const A a = static_cast<A>(x);
    return {a, a, a, a};
  }
  TWOFOLD_HD constexpr state combine(const state& a, const state& b) const {
    constexpr sum<A, A> plus{};
    const A total = plus.combine(a.total, b.total);
    const auto nan = math::is_nan(total);  // inf − inf somewhere: NaN whichever segments were tried
    const A best = maximum(maximum(a.best, b.best), plus.combine(a.suffix, b.prefix)),
            prefix = maximum(a.prefix, plus.combine(a.total, b.prefix)), suffix = maximum(b.suffix, plus.combine(a.suffix, b.total));
    return {math::select(nan, total, best), math::select(nan, total, prefix), math::select(nan, total, suffix), total};
  }
  TWOFOLD_HD constexpr A finalize(const state& s) const { return s.best; }
};
}  // namespace detail

//! @brief  Largest sum over all non-empty segments [i, j); a lifting of Kadane's loop (best, ending here) by two
//!         variables.
//! @math   max_{i<j} Σ_{i≤k<j} x_k
//! @laws   not commutative; integers: exact while every |Σ| < 2^63 (signed) — beyond that sums wrap and mean nothing
//! @empty  no value (`maybe` without one); where the empty segment counts, take maximum(0, value_or(0))
//! @special a visible NaN, or +inf beside −inf, gives NaN
//! @error  floats: (h + log2 n)·u·Σ|x|, h the height of the tree
//! @source Bentley, Programming Pearls (1984); Gibbons, The third homomorphism theorem (1996)
template <class X, class A = accumulator_of<X>>
struct maximum_segment_sum : adjoin<detail::segment_sums<X, A>> {
  template <template <class> class Lanes>
  using over = maximum_segment_sum<Lanes<X>, Lanes<A>>;
  static constexpr const char* tag = "maximum_segment_sum";
};

TWOFOLD_END_NAMESPACE
