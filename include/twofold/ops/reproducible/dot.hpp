// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The exact dot product, rounded once.
#pragma once

#include "twofold/ops/reproducible/sum.hpp"

TWOFOLD_BEGIN_NAMESPACE

//! Words of an exact sum of products: the grid's unit is the square of the smallest subnormal; room for 2^85 (float) or 2^91 (double) of
//! the largest products.
template <class X>
using exact_product_state =
    exact::total<(2 * (exact::binary<X>::bias + 1 - exact::binary<X>::least) + 63 + 30) / 64, 2 * exact::binary<X>::least>;

namespace exact {
//! Contiguous products by a linked backend, as offered_sum.
template <class X>
inline void (*offered_dot)(exact_product_state<X>& s, const X* x, const X* y, index count) = nullptr;
}  // namespace exact

//! @brief  Σ x_i·y_i over pairs of elements: products and their sum are exact, the answer is rounded once, to Result.
//! @math   the state is a multiple of the square of the smallest subnormal; merging is addition in Z/2^640 (float), Z/2^4288 (double)
//! @laws   associative and commutative bit for bit
//! @empty  +0
//! @special as IEEE has each product (inf·0 is NaN) and reproducible_sum has their sum. Products that would overflow or underflow do not
//! @error  correctly rounded: at most u·|x·y|, whatever cancels
//! @pre    fewer than 2^85 (float) or 2^91 (double) pairs
//! @cost   state of 88 or 544 bytes; a multiplication, a shift and an addition of 128 bits per pair; doubles walk a tile twice for every
//!         11 binary orders of magnitude by which its products differ
template <class X, class Result = X>
struct reproducible_dot {
  using input = X;
  using state = exact_product_state<X>;
  static constexpr const char* tag = "reproducible_dot";
  static constexpr bool commutative = true;
  static constexpr bool symmetric = true;
  static constexpr bool exact_over_machine = true;

  TWOFOLD_HD constexpr state identity() const { return {}; }
  TWOFOLD_HD constexpr state lift(const X& x, const X& y) const {
    state s{};
    push_into(s, x, y);
    return s;
  }
  TWOFOLD_HD constexpr state combine(const state& a, const state& b) const {
    state s = a;
    s.add(b);
    return s;
  }
  TWOFOLD_HD constexpr void combine_into(state& s, const state& b) const { s.add(b); }
  TWOFOLD_HD constexpr void push_into(state& s, const X& x, const X& y) const { s.add(exact::product_of(x, y)); }
  template <class Tile>
  TWOFOLD_HD constexpr state leaf(const Tile& tile) const {
    state s{};
#if !defined(__CUDA_ARCH__)
    if constexpr (std::is_same_v<Tile, zip_source<array_source<X>, array_source<X>>>)
      if (!__builtin_is_constant_evaluated() && exact::offered_dot<X> != nullptr && tile.head.stride == 1 && tile.tail.head.stride == 1) {
        exact::offered_dot<X>(s, tile.head.data, tile.tail.head.data, tile.size());
        return s;
      }
#endif
    exact::add_tile<2 * exact::binary<X>::digits>(s, tile, [](const X& x, const X& y) { return exact::product_of(x, y); });
    return s;
  }
  TWOFOLD_HD constexpr Result finalize(const state& s) const { return s.template rounded_sum<Result>(); }
};

TWOFOLD_END_NAMESPACE
