// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file One row in working precision: reduced in lanes, then its answer applied to every element in lanes.
#pragma once

#include <algorithm>

#include "twofold/cpu/in_lanes.hpp"

TWOFOLD_BEGIN_NAMESPACE
namespace cpu::detail {

//! Where a mapped row goes: past the caches where it would only displace what is still needed.
enum class store_how : unsigned char { cached, streamed };

template <class V, class T>
TWOFOLD_INLINE void put(const V& y, T* to, store_how how) {
  const simd::vec<T, V::size> z(y);
  if (how == store_how::streamed) z.stream(to);
  else z.store(to);
}

//! y[i] ← f(x[i], i) for vectors, g for the rest.
template <int N, class T, class F, class G>
TWOFOLD_INLINE void for_each_vector(index n, T* y, store_how how, const F& f, const G& g) {
  index i = 0;
  if (how == store_how::streamed)
    for (; i < n && reinterpret_cast<std::uintptr_t>(y + i) % simd::vector_bytes != 0; ++i) y[i] = g(i);
  for (; i + N <= n; i += N) put(f(i), y + i, how);
  for (; i < n; ++i) y[i] = g(i);
}

//! y[i] ← answer(x[i]).
template <class M, class T>
TWOFOLD_FLATTEN void apply_in_lanes(const M& m, const T* x, index n, T* y, store_how how) {
  constexpr int N = lanes_of<T>;
  using V = simd::vec<T, N>;
  constexpr bool has_plain = requires { m.plain(); };
  if constexpr (has_lanes<M, N>) {
    const auto v = with_lanes<N>(m);
    if constexpr (sizeof(T) == 4 && requires { m.narrow(); })
      if (m.narrow())
        return for_each_vector<N>(
            n, y, how, [&](index i) __attribute__((always_inline)) { return v.narrow(V::load(x + i)); },
            [&](index i) { return m.narrow(x[i]); });
    if constexpr (has_plain) {
      if (m.plain())
        return for_each_vector<N>(
            n, y, how, [&](index i) __attribute__((always_inline)) { return v.plain(V::load(x + i)); },
            [&](index i) { return m.plain(x[i]); });
    } else {
      return for_each_vector<N>(
          n, y, how, [&](index i) __attribute__((always_inline)) { return v(V::load(x + i)); },
          [&](index i) { return static_cast<T>(m(x[i])); });
    }
  }
  for (index i = 0; i < n; ++i) y[i] = static_cast<T>(m(x[i]));
}

template <class M, class T>
void apply_answer(const M& m, const T* x, index n, T* y, store_how how) {
  if (!by_library<job<M, T>>(compiled_answers{},
                             [&](const auto& calls, int k) { calls.apply[k](&m, x, n, y, how == store_how::streamed); }))
    apply_in_lanes(m, x, n, y, how);
}

template <class M>
using total_of = std::remove_cvref_t<decltype(std::declval<const M&>().total)>;
//! Answers that are shares of a total of weights: softmax. (nvcc's front end fails where a requirement's parameter names another.)
template <class M>
concept shares = requires(const M& m, const total_of<M>& w) {
  { m.share(w) } -> std::same_as<total_of<M>>;
};

inline constexpr index farthest_ahead = 1 << 18;  // what the second-level cache holds beside a row and its weights

//! A row of shares: every weight is computed once, kept in `weights` (y itself, or a scratch row), and divided. False where the reference
//! is none at which weights can be collected: then nothing was done.
template <class R, class T>
TWOFOLD_FLATTEN bool share_row(const R& r, const T* x, index n, T* weights, T* y, store_how how) {
  constexpr int N = lanes_of<T>, K = 4;
  using V = simd::vec<T, N>;
  const contiguous_source<T> row{x, n};
  const auto g = r.gauge.reference(r.how, r.survey(lane_tile<N, contiguous_source<T>>{row}));
  if (!g.has || !r.how.collects_at(g.value)) return false;
  const auto v = with_lanes<N>(r.how);
  const V at(g.value);
  V s[K];
  each<K>([&](auto k) __attribute__((always_inline)) { s[k] = V(0); });
  // The row after this one, where rows are longer: its largest element is what is asked first.
  const index ahead = std::clamp(n * static_cast<index>(sizeof(T)), static_cast<index>(bytes_ahead), farthest_ahead);
  index i = 0;
  const auto weigh = [&](index j, V & sum) __attribute__((always_inline)) {
    const V w = math::exp2_flushed(v.score.plain_exponent(V::load(x + j), at));
    w.store(weights + j);
    sum += w;
  };
  for (; i + N * K <= n; i += N * K)
    each<K>([&](auto k) __attribute__((always_inline)) {
      ask_for(row, i + k * N, ahead);
      weigh(i + k * N, s[k]);
    });
  for (; i + N <= n; i += N) weigh(i, s[0]);
  T rest[N];
  for (T& z : rest) z = -math::infinity<T>;
  for (index j = i; j < n; ++j) rest[j - i] = x[j];
  if (i < n) {
    const V w = math::exp2_flushed(v.score.plain_exponent(V::load(rest), at));
    s[1] += w;
    w.store(rest);
    for (index j = i; j < n; ++j) weights[j] = rest[j - i];
  }
  const T sum = simd::total((s[0] + s[1]) + (s[2] + s[3]));
  const auto m = r.finalize(state_of<R>{g.value, sum});
  const auto wide = with_lanes<N>(m);
  for_each_vector<N>(
      n, y, how, [&](index j) __attribute__((always_inline)) { return wide.share(V::load(weights + j)); },
      [&](index j) { return m.share(weights[j]); });
  return true;
}

//! y ← the answer of row x, applied to it. scratch: n elements, needed where y is streamed.
template <class R, class T>
void map_row(const R& r, const T* x, index n, T* y, T* scratch, store_how how) {
  using answer = std::remove_cvref_t<decltype(r.finalize(r.identity()))>;
  const bool streamed = how == store_how::streamed;
  if (by_library<job<R, T>>(compiled_maps{}, [&](const auto& calls, int k) { calls.map[k](&r, x, n, y, scratch, streamed); })) return;
  if constexpr (shares<answer>) {
    if (n > 0 && share_row(r, x, n, streamed ? scratch : y, y, how)) return;
  }
  apply_answer(r.finalize(in_lanes<R>(r).leaf(contiguous_source<T>{x, n})), x, n, y, how);
}

//! The state of n elements of a row, from element `first` on; operators like argmax get positions.
template <class R, class T>
state_of<R> state_of_piece(const R& r, const T* x, index first, index n) {
  if constexpr (reduces<R, T>) return in_lanes<R>(r).leaf(contiguous_source<T>{x, n});
  else return in_lanes<R>(r).leaf(indexed_source<array_source<T>>{{x, n, 1}, first});
}

}  // namespace cpu::detail
TWOFOLD_END_NAMESPACE
