// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The reduction concept: what an operator must offer so that any schedule can run it. A reduction is a value:
//! it may hold parameters (a decay, a scale, a head size).
#pragma once

#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>

#include "twofold/algebra/config.hpp"

TWOFOLD_BEGIN_NAMESPACE

using index = std::ptrdiff_t;  //!< sizes, strides and offsets are 64-bit before they are multiplied

template <class R>
using state_of = typename std::remove_cvref_t<R>::state;

//! @brief  identity, combine (two *neighbouring* states, left and right), finalize. lift is asked for by `reduces`.
//! @laws   combine is associative (modulo `same` where the operator has one) and identity() is neutral on both sides.
//!         Commutativity is never assumed: see `is_commutative`.
template <class R>
concept reduction = requires(const std::remove_cvref_t<R>& r, const state_of<R>& a, const state_of<R>& b) {
  requires std::copyable<state_of<R>>;
  { r.identity() } -> std::convertible_to<state_of<R>>;
  { r.combine(a, b) } -> std::convertible_to<state_of<R>>;
  r.finalize(a);
};

//! A reduction that can lift one element given as these inputs (several arrays at once: several inputs).
template <class R, class... X>
concept reduces = reduction<R> && requires(const std::remove_cvref_t<R>& r, const X&... x) {
  { r.lift(x...) } -> std::convertible_to<state_of<R>>;
};

//! Declared by `static constexpr bool commutative = true`; without a declaration: not commutative.
template <class R>
inline constexpr bool is_commutative = [] {
  if constexpr (requires { std::remove_cvref_t<R>::commutative; }) return bool(std::remove_cvref_t<R>::commutative);
  else return false;
}();

//! combine(a, b) and combine(b, a) have the same bits, NaN payloads apart: false unless declared by `static constexpr bool symmetric =
//! true`.
template <class R>
inline constexpr bool is_symmetric = [] {
  if constexpr (requires { std::remove_cvref_t<R>::symmetric; }) return bool(std::remove_cvref_t<R>::symmetric);
  else return false;
}();

//! The laws hold over the reals (or integers): true unless declared false.
template <class R>
inline constexpr bool is_exact_over_reals = [] {
  if constexpr (requires { std::remove_cvref_t<R>::exact_over_reals; }) return bool(std::remove_cvref_t<R>::exact_over_reals);
  else return true;
}();

//! The laws hold bit for bit over the machine type (min, max, integers mod 2^w): false unless declared true.
template <class R>
inline constexpr bool is_exact_over_machine = [] {
  if constexpr (requires { std::remove_cvref_t<R>::exact_over_machine; }) return bool(std::remove_cvref_t<R>::exact_over_machine);
  else return false;
}();

namespace detail {
// Asked of types: nvcc 13.0 and NVRTC may answer no to a question about the arguments of a function where it is yes.
template <class R, class... X>
inline constexpr bool has_push = requires(const R& r, const state_of<R>& s, const X&... x) {
  { r.push(s, x...) } -> std::convertible_to<state_of<R>>;
};
template <class R, class... X>
inline constexpr bool pushes_in_place = requires(const R& r, state_of<R>& s, const X&... x) {
  r.push_into(s, x...);
};
template <class R>
inline constexpr bool combines_in_place = requires(const R& r, state_of<R>& s, const state_of<R>& right) {
  r.combine_into(s, right);
};
template <class R, class Tile>
inline constexpr bool has_leaf = requires(const R& r, const Tile& tile) {
  { r.leaf(tile) } -> std::convertible_to<state_of<R>>;
};
template <class R, class Tile>
inline constexpr bool has_leaf_into = requires(const R& r, state_of<R>& s, const Tile& tile) {
  r.leaf_into(s, tile);
};
}  // namespace detail

//! push(state, x…) = combine(state, lift(x…)) in one step: the body of the loop. The operator's own where it has one.
template <class R, class... X>
TWOFOLD_HD constexpr state_of<R> push(const R& r, const state_of<R>& s, const X&... x) {
  if constexpr (detail::has_push<R, X...>) return r.push(s, x...);
  else return r.combine(s, r.lift(x...));
}

//! push in place, for states that are dear to copy: the operator's own `push_into(s, x…)` where it has one.
template <class R, class... X>
TWOFOLD_HD constexpr void push_into(const R& r, state_of<R>& s, const X&... x) {
  if constexpr (detail::pushes_in_place<R, X...>) r.push_into(s, x...);
  else s = push(r, s, x...);
}

//! s ← combine(s, right) in place: the operator's own `combine_into(s, right)` where it has one.
template <class R>
TWOFOLD_HD constexpr void combine_into(const R& r, state_of<R>& s, const state_of<R>& right) {
  if constexpr (detail::combines_in_place<R>) r.combine_into(s, right);
  else s = r.combine(s, right);
}

//! The state of a tile of neighbouring elements. A tile has `size()` and `tile.apply(i, f)`, which calls f with the
//! inputs of element i (0-based within the tile), or does not call it where the element is masked: then the element
//! has no influence. The operator's own `leaf` (one reference for the tile) where it has one, else pushes.
template <class R, class Tile>
TWOFOLD_HD constexpr state_of<R> leaf(const R& r, const Tile& tile) {
  if constexpr (detail::has_leaf<R, Tile>) {
    return r.leaf(tile);
  } else {
    state_of<R> s = r.identity();
    TWOFOLD_UNROLL
    for (index i = 0, n = tile.size(); i < n; ++i) tile.apply(i, [&](const auto&... x) { push_into(r, s, x...); });
    return s;
  }
}

//! s ← s • leaf(tile) in place: the operator's own `leaf_into(s, tile)` where it has one.
template <class R, class Tile>
TWOFOLD_HD constexpr void leaf_into(const R& r, state_of<R>& s, const Tile& tile) {
  if constexpr (detail::has_leaf_into<R, Tile>) r.leaf_into(s, tile);
  else combine_into(r, s, leaf(r, tile));
}

//! Has the operator an equality of its own, modulo gauge or rounding?
template <class R>
inline constexpr bool has_same = requires(const std::remove_cvref_t<R>& r, const state_of<R>& a) {
  { r.same(a, a) } -> std::convertible_to<bool>;
};

//! Equality of states: the operator's own where representations are equal only modulo gauge, else ==.
template <class R>
TWOFOLD_HD constexpr bool same(const R& r, const state_of<R>& a, const state_of<R>& b) {
  if constexpr (has_same<R>) return r.same(a, b);
  else return a == b;
}

TWOFOLD_END_NAMESPACE
