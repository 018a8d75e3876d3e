// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Where the extreme element of a block is: first what it is, by lanes; then where, in the one tile that holds it.
#pragma once

#include "twofold/cpu/twist_block.hpp"
#include "twofold/ops/min_max.hpp"

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

//! The extreme element of an array: NaN if there is one; zeros are equal. Comparisons that pass over a NaN are cheap; whether there was one
//! is asked of two vectors at a time.
template <int N, bool Largest, class T>
TWOFOLD_FLATTEN T extreme_of(const array_source<T>& s) {
  using V = simd::vec<T, N>;
  constexpr int K = V::parts == 1 ? 8 : V::parts == 2 ? 4 : 2, H = K / 2;  // what fits into registers: the answer knows no order
  T best = s.data[0];
  index i = 0;
  if (s.stride == 1 && s.count >= N * K) {
    const auto better = [](const V& a, const V& b) __attribute__((always_inline)) {
      return Largest ? simd::larger(a, b) : simd::smaller(a, b);
    };
    V m[K];
    simd::mask<T, N> ordered[H];
    each<K>([&](auto k) __attribute__((always_inline)) { m[k] = V::load(s.data + k * N); });
    each<H>([&](auto k) __attribute__((always_inline)) { ordered[k] = (m[k] == m[k]) & (m[k + H] == m[k + H]); });
    for (i = N * K; i + N * K <= s.count; i += N * K)
      each<H>([&](auto k) __attribute__((always_inline)) {
        const V x = V::load(s.data + i + k * N), y = V::load(s.data + i + (k + H) * N);
        m[k] = better(x, m[k]), m[k + H] = better(y, m[k + H]);
        if constexpr (std::is_floating_point_v<T>) ordered[k] = simd::ordered_too(ordered[k], x, y);
      });
    each<H - 1>([&](auto k) __attribute__((always_inline)) { ordered[0] = ordered[0] & ordered[k + 1]; });
    if (std::is_floating_point_v<T> && !simd::all_true(ordered[0])) return math::nan<T>;
    each<K - 1>([&](auto k) __attribute__((always_inline)) { m[0] = better(m[0], m[k + 1]); });
    best = simd::first_lane(simd::by_halves<N / 2>(m[0], better));
  }
  for (; i < s.count && best == best; ++i) {
    const T y = s.data[i * s.stride];
    if (y != y || (Largest ? best < y : y < best)) best = y;
  }
  return best;
}

//! max and min of floats: their state is the extreme element. Which NaN, and the sign of a zero, are the operator's own business.
template <class R>
inline constexpr int extreme_direction = 0;
template <std::floating_point T>
inline constexpr int extreme_direction<max<T>> = 1;
template <std::floating_point T>
inline constexpr int extreme_direction<min<T>> = -1;

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
