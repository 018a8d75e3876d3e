// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Vectors of neighbouring elements out of sources: one array, or several walked together.
#pragma once

#include "twofold/algebra/tile.hpp"
#include "twofold/cpu/ahead.hpp"
#include "twofold/cpu/simd/columns.hpp"

TWOFOLD_BEGIN_NAMESPACE
namespace cpu {

//! Number types that vectors have lanes of.
template <class T>
inline constexpr bool is_lane = std::is_same_v<T, float> || std::is_same_v<T, double> ||
                                (std::is_integral_v<T> && (sizeof(T) == 4 || sizeof(T) == 8) && !std::is_same_v<T, char32_t>);

namespace detail {

//! An array whose elements lie side by side: what loops know, they need not ask.
template <class T>
struct contiguous_source {
  const T* data = nullptr;
  index count = 0;
  static constexpr index stride = 1;
  [[nodiscard]] constexpr index size() const { return count; }
  template <class F>
  TWOFOLD_INLINE constexpr decltype(auto) apply(index i, F&& f) const {
    return f(data[i]);
  }
  [[nodiscard]] constexpr contiguous_source sub(index first, index last) const { return {data + first, last - first}; }
};
template <class T>
constexpr contiguous_source<T> contiguous(const array_source<T>& s) {
  return {s.data, s.count};
}
template <class T>
constexpr contiguous_source<T> contiguous(const contiguous_source<T>& s) {
  return s;
}
template <class Head, class... Tail>
constexpr auto contiguous(const zip_source<Head, Tail...>& s) {
  using C = decltype(contiguous(s.head));
  if constexpr (sizeof...(Tail) == 0) {
    return zip_source<C>{contiguous(s.head)};
  } else {
    const auto tail = contiguous(s.tail);
    return [&]<class... D>(const zip_source<D...>& t) { return zip_source<C, D...>{contiguous(s.head), t}; }(tail);
  }
}

//! Elements that vectors can be loaded of, and how many lanes suit them: as many as a vector of the widest has.
template <class S>
struct vector_source {
  static constexpr bool value = false;
  static constexpr int lanes = 0;
};
template <class T>
struct vector_source<array_source<T>> {
  static constexpr bool value = is_lane<std::remove_cv_t<T>>;
  static constexpr int lanes = simd::vector_bytes / (sizeof(T) < 4 ? 4 : static_cast<int>(sizeof(T)));
};
template <class T>
struct vector_source<contiguous_source<T>> : vector_source<array_source<T>> {};
template <class Only>
struct vector_source<zip_source<Only>> : vector_source<Only> {};
template <class Head, class... Tail>
requires(sizeof...(Tail) > 0) struct vector_source<zip_source<Head, Tail...>> {
  using rest = vector_source<zip_source<Tail...>>;
  static constexpr bool value = vector_source<Head>::value && rest::value;
  static constexpr int lanes = vector_source<Head>::lanes < rest::lanes ? vector_source<Head>::lanes : rest::lanes;
};

//! Elements first, first + apart, … of a strided array: N of them.
template <int N, class T>
TWOFOLD_INLINE simd::vec<T, N> load_apart(const T* first, index apart) {
#if defined(TWOFOLD_HIGHWAY)
  constexpr index reach = sizeof(T) == 4 ? (index{1} << 31) / N : PTRDIFF_MAX / N;  // indices are as wide as elements
  if (apart < reach && apart > -reach) {
    using V = simd::vec<T, N>;
    return V(V::all, [&](auto i) {
      const typename simd::layout<T, N>::tag d;
      const simd::hn::RebindToSigned<decltype(d)> di;
      using I = simd::hn::TFromD<decltype(di)>;
      const auto step = simd::hn::Set(di, static_cast<I>(apart));
      constexpr int lanes = simd::layout<T, N>::lanes;
      if constexpr (sizeof(T) == 4) {
        return simd::hn::GatherIndex(d, first, simd::hn::Mul(simd::hn::Iota(di, static_cast<I>(i * lanes)), step));
      } else {
        I at[lanes];
        for (int w = 0; w < lanes; ++w) at[w] = static_cast<I>((static_cast<index>(i) * lanes + w) * apart);
        return simd::hn::GatherIndex(d, first, simd::hn::LoadU(di, at));
      }
    });
  }
#endif
  T x[N];
  for (int w = 0; w < N; ++w) x[w] = first[w * apart];
  return simd::vec<T, N>::load(x);
}

//! f(vectors of the N elements i, i + apart, … of every array).
template <int N, class T, class F>
TWOFOLD_INLINE decltype(auto) apply_lanes(const array_source<T>& s, index i, index apart, F&& f) {
  const index step = apart * s.stride;
  return step == 1 ? f(simd::vec<T, N>::load(s.data + i)) : f(load_apart<N>(s.data + i * s.stride, step));
}
template <int N, class T, class F>
TWOFOLD_INLINE decltype(auto) apply_lanes(const contiguous_source<T>& s, index i, index apart, F&& f) {
  return apart == 1 ? f(simd::vec<T, N>::load(s.data + i)) : f(load_apart<N>(s.data + i, apart));
}
template <int N, class Only, class F>
TWOFOLD_INLINE decltype(auto) apply_lanes(const zip_source<Only>& s, index i, index apart, F&& f) {
  return apply_lanes<N>(s.head, i, apart, f);
}
template <int N, class Head, class... Tail, class F>
requires(sizeof...(Tail) > 0) TWOFOLD_INLINE decltype(auto) apply_lanes(const zip_source<Head, Tail...>& s, index i, index apart, F&& f) {
  return apply_lanes<N>(
      s.head, i, apart, [&](const auto&... x) __attribute__((always_inline))->decltype(auto) {
        return apply_lanes<N>(
            s.tail, i, apart, [&](const auto&... y) __attribute__((always_inline))->decltype(auto) { return f(x..., y...); });
      });
}

//! Elements i + c, i + c + apart, … of every array, for four c: f(vectors) by `apply<c>`.
template <int N, class T>
struct lane_columns {
  simd::vec<T, N> x[simd::columns];
  TWOFOLD_INLINE lane_columns(const contiguous_source<T>& s, index i, index apart) { simd::load_columns(s.data + i, apart, x); }
  template <int C, class F>
  TWOFOLD_INLINE decltype(auto) apply(F&& f) const {
    return f(x[C]);
  }
};
template <int N, class Head, class Tail>
struct zip_columns {
  Head head;
  Tail tail;
  template <int C, class F>
  TWOFOLD_INLINE decltype(auto) apply(F&& f) const {
    return head.template apply<C>([&](const auto&... x) __attribute__((always_inline))->decltype(auto) {
      return tail.template apply<C>([&](const auto&... y) __attribute__((always_inline))->decltype(auto) { return f(x..., y...); });
    });
  }
};
template <int N, class T>
TWOFOLD_INLINE auto columns_of(const contiguous_source<T>& s, index i, index apart) {
  return lane_columns<N, T>(s, i, apart);
}
template <int N, class Head, class... Tail>
TWOFOLD_INLINE auto columns_of(const zip_source<Head, Tail...>& s, index i, index apart) {
  if constexpr (sizeof...(Tail) == 0) {
    return columns_of<N>(s.head, i, apart);
  } else {
    using H = decltype(columns_of<N>(s.head, i, apart));
    using R = decltype(columns_of<N>(s.tail, i, apart));
    return zip_columns<N, H, R>{columns_of<N>(s.head, i, apart), columns_of<N>(s.tail, i, apart)};
  }
}
template <class S>
inline constexpr bool has_columns = false;
template <class T>
inline constexpr bool has_columns<contiguous_source<T>> = true;
template <class... S>
inline constexpr bool has_columns<zip_source<S...>> = (has_columns<S> && ...);

//! Asks for what lies `ahead` bytes beyond elements i, …, so that a loop of more instructions than a processor looks ahead does not wait
//! for memory. Nothing is read: an address beyond the array does no harm. It is asked into the second-level cache: some pages ahead, where
//! the hardware's own prefetching stops at the end of one, is too far for the first.
template <class T>
TWOFOLD_INLINE void ask_for(const contiguous_source<T>& s, index i, index ahead) {
  __builtin_prefetch(reinterpret_cast<const char*>(s.data + i) + ahead, 0, 2);
}
template <class S>
TWOFOLD_INLINE void ask_for(const S&, index, index) {}
//! The same for a loop that walks on from there: into the second-level cache, and from there into the first.
template <class T>
TWOFOLD_INLINE void ask_for_what_comes(const contiguous_source<T>& s, index i) {
  ask_for(s, i, bytes_ahead);
  __builtin_prefetch(reinterpret_cast<const char*>(s.data + i) + bytes_just_ahead, 0, 3);
}
template <class S>
TWOFOLD_INLINE void ask_for_what_comes(const S&, index) {}

//! Do neighbouring elements lie side by side, in every array?
template <class T>
bool side_by_side(const array_source<T>& s) {
  return s.stride == 1;
}
template <class T>
constexpr bool side_by_side(const contiguous_source<T>&) {
  return true;
}
template <class Head, class... Tail>
bool side_by_side(const zip_source<Head, Tail...>& s) {
  if constexpr (sizeof...(Tail) == 0) return side_by_side(s.head);
  else return side_by_side(s.head) && side_by_side(s.tail);
}

}  // namespace detail
}  // namespace cpu
TWOFOLD_END_NAMESPACE
