// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Where the extreme element of a block is: first what it is, by lanes; then where, in the one tile that holds it.
#pragma once

#include "twofold/cpu/twist_block.hpp"

TWOFOLD_BEGIN_NAMESPACE
namespace cpu::detail {

//! Operators like argmax: states of a position and the element there, over positions and elements.
template <class R, class S>
inline constexpr bool finds_extremum = false;
template <class R, class T>
inline constexpr bool finds_extremum<R, indexed_source<array_source<T>>> =
    is_lane<T>&& std::is_arithmetic_v<T>&& requires(const R& r, const state_of<R>& s, const T& x) {
  { s.has_value() } -> std::same_as<bool>;
  requires std::same_as<std::remove_cvref_t<decltype(s.position)>, index>;
  requires std::same_as<std::remove_cvref_t<decltype(s.value)>, T>;
  requires is_exact_over_machine<R>;
  r.lift(index{}, x);
};

//! The extreme element of an array: NaN if there is one; zeros are equal.
template <int N, bool Largest, class T>
T extreme_of(const array_source<T>& s) {
  using V = simd::vec<T, N>;
  constexpr int K = 4;
  T best = s.data[0];
  index i = 0;
  const auto better = [](const V& a, const V& b) { return Largest ? V::maximum(a, b) : V::minimum(a, b); };
  if (s.stride == 1 && s.count >= N * K) {
    V m[K];
    each<K>([&](auto k) __attribute__((always_inline)) { m[k] = V::load(s.data + k * N); });
    for (i = N * K; i + N * K <= s.count; i += N * K)
      each<K>([&](auto k) __attribute__((always_inline)) { m[k] = better(m[k], V::load(s.data + i + k * N)); });
    T x[N];
    better(better(m[0], m[1]), better(m[2], m[3])).store(x);
    best = x[0];
    for (const T y : x)
      if (y != y || (Largest ? best < y : y < best)) best = y;
  }
  for (; i < s.count && best == best; ++i) {
    const T y = s.data[i * s.stride];
    if (y != y || (Largest ? best < y : y < best)) best = y;
  }
  return best;
}

template <class R, class T>
state_of<R> extremum_block(const R& r, const indexed_source<array_source<T>>& src) {
  constexpr int N = vector_source<array_source<T>>::lanes;
  const bool largest = r.combine(r.lift(index{0}, T(0)), r.lift(index{1}, T(1))).position == 1;
  constexpr index tile = 4096;
  state_of<R> best = r.identity();
  index where = 0;
  for (index i = 0, n = src.size(); i < n; i += tile) {
    const array_source<T> piece = src.base.sub(i, i + tile < n ? i + tile : n);
    const state_of<R> here = r.lift(src.offset + i, largest ? extreme_of<N, true>(piece) : extreme_of<N, false>(piece));
    const state_of<R> both = r.combine(best, here);
    if (both.position == here.position) best = here, where = i;
  }
  const auto hit = [&](const T& x) { return x == best.value || (x != x && best.value != best.value); };
  if (best.has_value())
    while (!hit(src.base.data[where * src.base.stride])) ++where;
  return best.has_value() ? r.lift(src.offset + where, src.base.data[where * src.base.stride]) : best;
}

}  // namespace cpu::detail
TWOFOLD_END_NAMESPACE
