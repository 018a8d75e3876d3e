// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The exact sum, rounded once: the same bits for every order, split, thread, lane, block and rank, on host and device.
#pragma once

#include "twofold/algebra/tile.hpp"
#include "twofold/ops/reproducible/total.hpp"

TWOFOLD_BEGIN_NAMESPACE

//! @name Words of an exact sum: every finite element on one grid, whose unit is the smallest subnormal, and room for 2^42 (float) or
//! 2^77 (double) of the largest elements.
//! @{
template <class X>
using exact_sum_state = exact::total<(exact::binary<X>::bias + 1 - exact::binary<X>::least + 63 + 21) / 64, exact::binary<X>::least>;
//! @}

namespace exact {

//! Contiguous sums by a linked backend (cpu/reproducible.hpp), written before main; null: by the loop in this header.
template <class X>
inline void (*offered_sum)(exact_sum_state<X>& s, const X* data, index count) = nullptr;

//! Floats that are summed in double before the wide integer is touched.
inline constexpr index float_piece = 256;

//! The elements [first, last) of a tile of floats, at most float_piece: in double, where exponents show that every addition is exact.
template <class Tile>
TWOFOLD_HD constexpr void add_float_range(exact_sum_state<float>& s, const Tile& tile, index first, index last) {
  std::uint32_t most = 0, least = ~0u;  // of |x| as bits, and of |x| − 1, so that zeros are no minimum
  TWOFOLD_UNROLL
  for (index i = first; i < last; ++i)
    tile.apply(i, [&](const float& x) {
      const std::uint32_t m = __builtin_bit_cast(std::uint32_t, x) & 0x7fffffffu;
      most = m > most ? m : most;
      least = m - 1 < least ? m - 1 : least;
    });
  if (most == 0) return;
  const int high = static_cast<int>(most >> 23), low = static_cast<int>((least + 1) >> 23);
  int growth = 0;
  while (index{1} << growth < last - first) ++growth;
  if (high < 255 && low > 0 && high - low + growth <= 29) {  // a sum below 2^53 units of the lowest last place
    double sum = 0;
    TWOFOLD_UNROLL
    for (index i = first; i < last; ++i) tile.apply(i, [&](const float& x) { sum += static_cast<double>(x); });
    s.add(term_of(sum));
  } else {
    add_range<24>(s, tile, first, last, [](const float& x) { return term_of(x); });
  }
}

//! @brief  s ← s + Σ x over a tile of floats.
//! @cost   two walks of a few instructions per element; the window of total.hpp where a piece holds subnormals, what is not finite, or
//!         exponents more than 29 − log2(elements) apart
template <class Tile>
TWOFOLD_HD constexpr void add_floats(exact_sum_state<float>& s, const Tile& tile) {
  const index n = tile.size();
  TWOFOLD_UNROLL
  for (index i = 0; i < n; i += float_piece) add_float_range(s, tile, i, i + float_piece < n ? i + float_piece : n);
}

}  // namespace exact

//! @brief  The sum of the elements, exact until it is rounded once, to Result.
//! @math   the state is Σ x_i, an integer multiple of the smallest subnormal; merging is addition in Z/2^320 (float), Z/2^2176 (double)
//! @laws   associative and commutative bit for bit: any order, any schedule, CPU and GPU give the same bits
//! @empty  +0; also where all elements are −0
//! @special NaN, or +inf with −inf: NaN. Sums beyond the largest number round to ±inf; what overflows on the way does no harm
//! @error  correctly rounded (nearest, ties to even): at most u·|sum|, whatever cancels
//! @pre    fewer than 2^42 (float) or 2^77 (double) elements
//! @cost   state of 48 or 280 bytes. Contiguous floats with twofold::twofold linked: about the time of reading them; elsewhere a few
//!         instructions per element
//! @source Kulisch's long accumulator; the window of a tile after Demmel, Nguyen (2015)
template <class X, class Result = X>
struct reproducible_sum {
  using input = X;
  using state = exact_sum_state<X>;
  static constexpr const char* tag = "reproducible_sum";
  static constexpr bool commutative = true;
  static constexpr bool symmetric = true;
  static constexpr bool exact_over_machine = true;

  TWOFOLD_HD constexpr state identity() const { return {}; }
  TWOFOLD_HD constexpr state lift(const X& x) const {
    state s{};
    s.add(exact::term_of(x));
    return s;
  }
  TWOFOLD_HD constexpr state combine(const state& a, const state& b) const {
    state s = a;
    s.add(b);
    return s;
  }
  TWOFOLD_HD constexpr void combine_into(state& s, const state& b) const { s.add(b); }
  TWOFOLD_HD constexpr void push_into(state& s, const X& x) const { s.add(exact::term_of(x)); }
  template <class Tile>
  TWOFOLD_HD constexpr state leaf(const Tile& tile) const {
    state s{};
#if !defined(__CUDA_ARCH__)
    if constexpr (std::is_same_v<Tile, array_source<X>>)
      if (!__builtin_is_constant_evaluated() && exact::offered_sum<X> != nullptr && tile.stride == 1) {
        exact::offered_sum<X>(s, tile.data, tile.count);
        return s;
      }
#endif
    if constexpr (std::is_same_v<X, float>) exact::add_floats(s, tile);
    else exact::add_tile<53>(s, tile, [](const X& x) { return exact::term_of(x); });
    return s;
  }
  TWOFOLD_HD constexpr Result finalize(const state& s) const { return s.template rounded_sum<Result>(); }
};

TWOFOLD_END_NAMESPACE
