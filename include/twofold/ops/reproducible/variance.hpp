// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Number, mean and variance from exact Σx and Σx²: each answer rounded once.
#pragma once

#include "twofold/ops/reproducible/dot.hpp"
#include "twofold/ops/welford.hpp"

TWOFOLD_BEGIN_NAMESPACE

//! n, Σx and Σx², all exact.
template <class X>
struct exact_moments {
  std::int64_t count;
  exact_sum_state<X> first;
  exact_product_state<X> second;
  TWOFOLD_HD friend constexpr bool operator==(const exact_moments&, const exact_moments&) = default;
};

//! @brief  Number, mean and variance; mean and variance are correctly rounded to A.
//! @math   mean = Σx/n; variance = (n·Σx² − (Σx)²) / (n·(n − correction)), numerator and denominator exact integers
//! @laws   associative and commutative bit for bit
//! @empty  count 0, mean NaN, variance NaN. n ≤ correction: variance NaN
//! @special ±inf: mean ±inf (NaN where both occur), variance NaN; NaN gives NaN
//! @error  correctly rounded: no condition number, no pivot, no height of the tree. Never negative
//! @pre    fewer than 2^42 elements
//! @cost   state of 144 bytes (float) or 832 (double); some 30 integer instructions per element; finalize divides integers of a thousand
//!         bits (float: a microsecond; double: some)
template <class X, class A = wide_of<X>>
struct reproducible_variance {
  using input = X;
  using state = exact_moments<X>;
  static constexpr const char* tag = "reproducible_variance";
  static constexpr bool commutative = true;
  static constexpr bool symmetric = true;
  static constexpr bool exact_over_machine = true;
  int correction = 1;  //!< 1: sample variance; 0: population variance

  TWOFOLD_HD constexpr state identity() const { return {}; }
  TWOFOLD_HD constexpr state lift(const X& x) const {
    state s{};
    push_into(s, x);
    return s;
  }
  TWOFOLD_HD constexpr state combine(const state& a, const state& b) const {
    state s = a;
    combine_into(s, b);
    return s;
  }
  TWOFOLD_HD constexpr void combine_into(state& s, const state& b) const {
    s.count += b.count;
    s.first.add(b.first);
    s.second.add(b.second);
  }
  TWOFOLD_HD constexpr void push_into(state& s, const X& x) const {
    ++s.count;
    s.first.add(exact::term_of(x));
    s.second.add(exact::product_of(x, x));
  }
  template <class Tile>
  TWOFOLD_HD constexpr state leaf(const Tile& tile) const {
    state s{};
    TWOFOLD_UNROLL
    for (index i = 0, n = tile.size(); i < n; ++i) tile.apply(i, [&](const X&) { ++s.count; });
    s.first = reproducible_sum<X>{}.leaf(tile);
#if !defined(__CUDA_ARCH__)
    if constexpr (std::is_same_v<Tile, array_source<X>>)
      if (!__builtin_is_constant_evaluated() && exact::offered_dot<X> != nullptr && tile.stride == 1) {
        exact::offered_dot<X>(s.second, tile.data, tile.data, tile.count);
        return s;
      }
#endif
    exact::add_tile<2 * exact::binary<X>::digits>(s.second, tile, [](const X& x) { return exact::product_of(x, x); });
    return s;
  }
  //! A loaded state is one of ours only if its sums are possible: n ≥ 0 and Σx² ≥ 0.
  TWOFOLD_HD constexpr bool valid(const state& s) const { return s.count >= 0 && !s.second.sum.negative(); }

  TWOFOLD_HD constexpr A mean(const state& s) const {
    if (s.count == 0) return math::nan<A>;
    if (s.first.not_finite != exact::none) return exact::special_or<A>(s.first.not_finite, A(0));
    constexpr int more = 2;  // words below the point: enough digits after division by n
    auto m = exact::moved_up<words_of_first + more>(magnitude(s.first.sum), more);
    const bool inexact = m.divide(static_cast<std::uint64_t>(s.count)) != 0;
    const A mean = exact::rounded<A>(m, exact::binary<X>::least - 64 * more, inexact);
    return s.first.sum.negative() ? -mean : mean;
  }
  TWOFOLD_HD constexpr A variance(const state& s) const {
    if (s.count <= correction || s.first.not_finite != exact::none) return math::nan<A>;
    constexpr int W = 2 * words_of_first + 1, more = 3;
    auto n_squares = exact::widened_to<W>(s.second.sum);
    n_squares.multiply(static_cast<std::uint64_t>(s.count));
    auto square = exact::widened_to<W>(exact::squared(magnitude(s.first.sum)));
    square.negate();
    n_squares.add(square);  // ≥ 0 by Cauchy and Schwarz
    auto v = exact::moved_up<W + more>(n_squares, more);
    const bool rest = v.divide(static_cast<std::uint64_t>(s.count)) != 0;
    const bool more_rest = v.divide(static_cast<std::uint64_t>(s.count - correction)) != 0;
    return exact::rounded<A>(v, 2 * exact::binary<X>::least - 64 * more, rest || more_rest);
  }
  TWOFOLD_HD constexpr variance_result<A> finalize(const state& s) const { return {s.count, mean(s), variance(s)}; }

 private:
  static constexpr int words_of_first = decltype(state::first)::words;
  TWOFOLD_HD static constexpr auto magnitude(auto x) {
    if (x.negative()) x.negate();
    return x;
  }
};

TWOFOLD_END_NAMESPACE
