// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The state of a block of neighbouring elements, walked by several chains of states that advance side by side: vector lanes where
//! the operator's code holds for vectors, scalar states otherwise.
#pragma once

#include "twofold/cpu/lanes.hpp"
#include "twofold/cpu/load.hpp"

TWOFOLD_BEGIN_NAMESPACE
namespace cpu::detail {

//! Bytes of states that advance side by side: enough to hide latencies, few enough to stay in registers everywhere. Fixed, so that the
//! bracketing does not depend on the machine.
inline constexpr int chain_bytes = 512;
template <class State>
inline constexpr int chains_of = sizeof(State) * 8 <= chain_bytes   ? 8
                                 : sizeof(State) * 4 <= chain_bytes ? 4
                                 : sizeof(State) * 2 <= chain_bytes ? 2
                                                                    : 1;

//! f(0), …, f(K − 1) with constants: an array that is only ever indexed by constants stays in registers.
template <int K, class F>
TWOFOLD_INLINE void each(const F& f) {
  [&]<std::size_t... I>(std::index_sequence<I...>) __attribute__((always_inline)) {
    (f(std::integral_constant<int, static_cast<int>(I)>{}), ...);
  }
  (std::make_index_sequence<static_cast<std::size_t>(K)>{});
}

//! combine over an array of states, from left to right.
template <class R, class State, std::size_t K>
TWOFOLD_INLINE State fold_of(const R& r, State (&s)[K]) {
  each<static_cast<int>(K) - 1>([&](auto k) __attribute__((always_inline)) { combine_into(r, s[0], s[k + 1]); });
  return s[0];
}
//! The states of all lanes, merged in order by halves: their latencies overlap.
template <int N, class R, class Wide>
TWOFOLD_INLINE state_of<R> merge_lanes(const R& r, const Wide& wide) {
  state_of<R> s[N]{};
  lane_states<N>(s, wide);
  for (int apart = 1; apart < N; apart *= 2)
    for (int w = 0; w < N; w += 2 * apart) combine_into(r, s[w], s[w + apart]);
  return s[0];
}
//! Lanes i and i + By merged by v, in halves down to lane 0: commutative operators only. Log N merges of vectors instead of N.
template <int By, class V, class Wide>
TWOFOLD_INLINE Wide merge_halves(const V& v, Wide s) {
  Wide upper = s;
  for_both(
      upper, s, [](auto& to, const auto& from) __attribute__((always_inline)) { to = simd::upper_half<By>(from); });
  combine_into(v, s, upper);
  if constexpr (By == 1) return s;
  else return merge_halves<By / 2>(v, s);
}
template <class State, int N, class V, class Wide>
TWOFOLD_INLINE State merged_halves(const V& v, const Wide& wide) {
  State s{};
  take_first_lane(s, merge_halves<N / 2>(v, wide));
  return s;
}
//! s followed by elements [first, size).
template <class R, class S>
state_of<R> with_rest(const R& r, state_of<R> s, const S& src, index first) {
  for (index i = first, n = src.size(); i < n; ++i) push_at(r, s, src, i);
  return s;
}

//! A lane takes every (N·K)-th element, at the end every N-th: commutative operators only. Loads are of neighbours. src: N elements or
//! more.
template <int N, class R, class S>
TWOFOLD_FLATTEN state_of<R> interleaved_lanes(const R& r, const S& src) {
  const auto v = with_lanes<N>(r);
  using wide = typename std::remove_cvref_t<decltype(v)>::state;
  constexpr int K = chains_of<wide>;
  const auto begin = [&](index at, wide & s) __attribute__((always_inline)) {
    apply_lanes<N>(
        src, at, 1, [&](const auto&... x) __attribute__((always_inline)) { s = v.lift(x...); });
  };
  const auto go_on = [&](index at, wide & s) __attribute__((always_inline)) {
    apply_lanes<N>(
        src, at, 1, [&](const auto&... x) __attribute__((always_inline)) { push_into(v, s, x...); });
  };
  const index n = src.size(), step = N * K;
  wide all;
  index i = N;
  if (n >= step) {
    wide s[K];
    each<K>([&](auto k) __attribute__((always_inline)) { begin(k * N, s[k]); });
    for (i = step; i + step <= n; i += step) each<K>([&](auto k) __attribute__((always_inline)) { go_on(i + k * N, s[k]); });
    all = fold_of(v, s);
  } else {
    begin(0, all);
  }
  for (; i + N <= n; i += N) go_on(i, all);
  return with_rest(r, merged_halves<state_of<R>, N>(v, all), src, i);
}

//! Elements of a piece that a lane walks before lanes are merged. Short: the pieces of all lanes and chains are then one tile of some KiB.
inline constexpr index ordered_piece = 16;

//! Room for two tiles of every array of a source: while lanes walk through one, the next is copied in the order of its elements. Lanes that
//! walk through memory themselves are as many streams as there are lanes, and no prefetcher follows so many.
template <class S, index Tile>
struct staged_tiles;
template <class T, index Tile>
struct staged_tiles<contiguous_source<T>, Tile> {
  alignas(64) T room[2][static_cast<std::size_t>(Tile)];
  template <int N>
  TWOFOLD_INLINE void copy(int to, index at, const contiguous_source<T>& from, index i) {
    simd::vec<T, N>::load(from.data + i).store(room[to] + at);
  }
  contiguous_source<T> tile(int which) const { return {room[which], Tile}; }
};
template <class Only, index Tile>
struct staged_tiles<zip_source<Only>, Tile> {
  staged_tiles<Only, Tile> head;
  template <int N>
  TWOFOLD_INLINE void copy(int to, index at, const zip_source<Only>& from, index i) {
    head.template copy<N>(to, at, from.head, i);
  }
  zip_source<Only> tile(int which) const { return {head.tile(which)}; }
};
template <class Head, class... Tail, index Tile>
requires(sizeof...(Tail) > 0) struct staged_tiles<zip_source<Head, Tail...>, Tile> {
  staged_tiles<Head, Tile> head;
  staged_tiles<zip_source<Tail...>, Tile> tail;
  template <int N>
  TWOFOLD_INLINE void copy(int to, index at, const zip_source<Head, Tail...>& from, index i) {
    head.template copy<N>(to, at, from.head, i);
    tail.template copy<N>(to, at, from.tail, i);
  }
  zip_source<Head, Tail...> tile(int which) const { return {head.tile(which), tail.tile(which)}; }
};

//! N·K pieces of `length` elements each, one behind the other, in order: chain k of a lane has the k-th of K neighbours. Length: a multiple
//! of simd::columns. Meanwhile also(i) for every N-th i below length·N·K.
template <int N, int K, class R, class V, class S, class Also>
TWOFOLD_FLATTEN state_of<R> ordered_columns(const V& v, const S& src, index first, index length, const Also& also) {
  typename V::state s[K];
  const index apart = K * length;
  const auto step = [&](index i, const auto& begin) __attribute__((always_inline)) {
    each<K>([&](auto k) __attribute__((always_inline)) {
      const auto some = columns_of<N>(src, first + k * length + i, apart);
      each<simd::columns>([&](auto c) __attribute__((always_inline)) { also((i * K + simd::columns * k + c) * N); });
      some.template apply<0>([&](const auto&... x) __attribute__((always_inline)) { begin(s[k], x...); });
      each<simd::columns - 1>([&](auto c) __attribute__((always_inline)) {
        some.template apply<c + 1>([&](const auto&... x) __attribute__((always_inline)) { push_into(v, s[k], x...); });
      });
    });
  };
  step(
      0, [&](auto& to, const auto&... x) __attribute__((always_inline)) { to = v.lift(x...); });
  for (index i = simd::columns; i < length; i += simd::columns)
    step(
        i, [&](auto& to, const auto&... x) __attribute__((always_inline)) { push_into(v, to, x...); });
  return merged_halves<state_of<R>, N>(v, fold_of(v, s));
}

//! The same by gathers, for elements that lie apart.
template <int N, int K, class R, class V, class S>
TWOFOLD_FLATTEN state_of<R> ordered_gathers(const R& r, const V& v, const S& src, index first, index length) {
  typename V::state s[K];
  const index apart = K * length;
  each<K>([&](auto k) __attribute__((always_inline)) {
    apply_lanes<N>(
        src, first + k * length, apart, [&](const auto&... x) __attribute__((always_inline)) { s[k] = v.lift(x...); });
  });
  for (index i = 1; i < length; ++i)
    each<K>([&](auto k) __attribute__((always_inline)) {
      apply_lanes<N>(
          src, first + k * length + i, apart, [&](const auto&... x) __attribute__((always_inline)) { push_into(v, s[k], x...); });
    });
  return merge_lanes<N>(r, fold_of(v, s));
}

//! A lane takes contiguous pieces, so that the order is kept.
template <int N, class R, class S>
state_of<R> ordered_lanes(const R& r, const S& src) {
  const auto v = with_lanes<N>(r);
  using wide = typename std::remove_cvref_t<decltype(v)>::state;
  constexpr int K = chains_of<wide> < 4 ? chains_of<wide> : 4;
  constexpr index tile = ordered_piece * N * K;
  const index n = src.size();
  state_of<R> all = r.identity();
  index first = 0;
  if constexpr (has_columns<S>) {
    const auto nothing = [](index) {};
    if (const index tiles = n / tile; tiles > 1) {
      staged_tiles<S, tile> staged;
      const auto copy = [&](index t, index i) __attribute__((always_inline)) {
        staged.template copy<N>(static_cast<int>(t % 2), i, src, t * tile + i);
      };
      for (index i = 0; i < tile; i += N) copy(0, i);
      for (index t = 0; t < tiles; ++t) {
        const auto here = staged.tile(static_cast<int>(t % 2));
        combine_into(r, all,
                     t + 1 < tiles ? ordered_columns<N, K, R>(
                                         v, here, 0, ordered_piece, [&](index i) __attribute__((always_inline)) { copy(t + 1, i); })
                                   : ordered_columns<N, K, R>(v, here, 0, ordered_piece, nothing));
      }
      first = tiles * tile;
    }
    for (index length = ordered_piece; n - first >= simd::columns * N * K; first += length * N * K) {
      while (n - first < length * N * K) length /= 2;
      combine_into(r, all, ordered_columns<N, K, R>(v, src, first, length, nothing));
    }
  } else {
    for (index length = ordered_piece; n - first >= simd::columns * N * K; first += length * N * K) {
      while (n - first < length * N * K) length /= 2;
      combine_into(r, all, ordered_gathers<N, K>(r, v, src, first, length));
    }
  }
  return with_rest(r, std::move(all), src, first);
}

//! Several scalar chains, each over a contiguous piece: for any operator on any source.
template <class R, class S>
TWOFOLD_FLATTEN state_of<R> scalar_chains(const R& r, const S& src) {
  constexpr int K = sizeof(state_of<R>) <= 16 ? 8 : sizeof(state_of<R>) <= 64 ? 4 : 1;
  const index n = src.size(), length = n / K;
  if (K == 1 || length < 2) return with_rest(r, r.identity(), src, 0);
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    const S piece[] = {src.sub(static_cast<index>(I) * length, static_cast<index>(I + 1) * length)...};
    state_of<R> s[] = {lift_at(r, piece[I], 0)...};
    for (index i = 1; i < length; ++i) (push_at(r, s[I], piece[I], i), ...);
    for (int k = 1; k < K; ++k) combine_into(r, s[0], s[k]);
    return with_rest(r, std::move(s[0]), src, length * K);
  }
  (std::make_index_sequence<K>{});
}

}  // namespace cpu::detail
TWOFOLD_END_NAMESPACE
