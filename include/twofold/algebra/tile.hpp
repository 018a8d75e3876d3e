// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Sources: random-access sequences of elements that schedules cut into tiles. One array, several arrays walked
//! together, rows of a matrix, positions, or a masked view of any of these. A tile of a source is again a source.
//! Sources are views: they own nothing, and every index, stride and pitch is 64-bit before it is multiplied.
#pragma once

#include "twofold/algebra/reduction.hpp"

TWOFOLD_BEGIN_NAMESPACE

//! size(), apply(i, f) and sub(first, last): the elements [first, last) as a source. apply(i, f) calls f(inputs of
//! element i…) exactly once, or **not at all where element i is masked**. Code that runs on any source therefore
//! works by effect: `src.apply(i, [&](const auto&... x) { s = push(r, s, x...); });` (Unmasked sources also return
//! what f returns.)
template <class S>
concept source = requires(const S& s, index i) {
  { s.size() } -> std::convertible_to<index>;
  { s.sub(i, i).size() } -> std::convertible_to<index>;
};

//! The state of element i of a source: its lift, or the identity where the element is masked.
template <class R, class S>
TWOFOLD_HD constexpr state_of<R> lift_at(const R& r, const S& src, index i) {
  state_of<R> s = r.identity();
  src.apply(i, [&](const auto&... x) { s = r.lift(x...); });
  return s;
}

//! s followed by element i of a source: push, or s itself where the element is masked.
template <class R, class S>
TWOFOLD_HD constexpr void push_at(const R& r, state_of<R>& s, const S& src, index i) {
  src.apply(i, [&](const auto&... x) { push_into(r, s, x...); });
}

//! One strided array. stride in elements, may be negative or zero.
template <class T>
struct array_source {
  const T* data = nullptr;
  index count = 0;
  index stride = 1;
  [[nodiscard]] TWOFOLD_HD constexpr index size() const { return count; }
  template <class F>
  TWOFOLD_HD constexpr decltype(auto) apply(index i, F&& f) const {
    return f(data[i * stride]);
  }
  [[nodiscard]] TWOFOLD_HD constexpr array_source sub(index first, index last) const {
    return {data + first * stride, last - first, stride};
  }
};

//! One row of a matrix: a strided view with operator[], as operators see it (a value row, a key row).
template <class T>
struct row_view {
  const T* data = nullptr;
  index count = 0;
  index stride = 1;
  [[nodiscard]] TWOFOLD_HD constexpr index size() const { return count; }
  TWOFOLD_HD constexpr const T& operator[](index j) const { return data[j * stride]; }
};

//! The rows of a matrix, each one element: row i starts at data + i·pitch and has `columns` entries `stride` apart.
template <class T>
struct row_source {
  const T* data = nullptr;
  index rows = 0;
  index columns = 0;
  index pitch = 0;   //!< elements from one row to the next
  index stride = 1;  //!< elements from one column to the next
  [[nodiscard]] TWOFOLD_HD constexpr index size() const { return rows; }
  template <class F>
  TWOFOLD_HD constexpr decltype(auto) apply(index i, F&& f) const {
    return f(row_view<T>{data + i * pitch, columns, stride});
  }
  [[nodiscard]] TWOFOLD_HD constexpr row_source sub(index first, index last) const {
    return {data + first * pitch, last - first, columns, pitch, stride};
  }
};

//! Several sources of equal length walked together: element i is the inputs of all of them, in order.
template <class Head, class... Tail>
struct zip_source {
  Head head;
  zip_source<Tail...> tail;
  [[nodiscard]] TWOFOLD_HD constexpr index size() const {
    const index a = head.size(), b = tail.size();
    return a < b ? a : b;  // of unequal lengths the common part
  }
  template <class F>
  TWOFOLD_HD constexpr decltype(auto) apply(index i, F&& f) const {
    return head.apply(i, [&](const auto&... x) -> decltype(auto) {
      return tail.apply(i, [&](const auto&... y) -> decltype(auto) { return f(x..., y...); });
    });
  }
  [[nodiscard]] TWOFOLD_HD constexpr zip_source sub(index first, index last) const {
    return {head.sub(first, last), tail.sub(first, last)};
  }
};

template <class Only>
struct zip_source<Only> {
  Only head;
  [[nodiscard]] TWOFOLD_HD constexpr index size() const { return head.size(); }
  template <class F>
  TWOFOLD_HD constexpr decltype(auto) apply(index i, F&& f) const {
    return head.apply(i, f);
  }
  [[nodiscard]] TWOFOLD_HD constexpr zip_source sub(index first, index last) const { return {head.sub(first, last)}; }
};

//! A source whose elements are preceded by their position in the whole sequence: f(position, x…). For argmax and the
//! like.
template <class S>
struct indexed_source {
  S base;
  index offset = 0;  //!< position of base's element 0
  [[nodiscard]] TWOFOLD_HD constexpr index size() const { return base.size(); }
  template <class F>
  TWOFOLD_HD constexpr decltype(auto) apply(index i, F&& f) const {
    return base.apply(i, [&](const auto&... x) -> decltype(auto) { return f(offset + i, x...); });
  }
  [[nodiscard]] TWOFOLD_HD constexpr indexed_source sub(index first, index last) const { return {base.sub(first, last), offset + first}; }
};

//! Visibility from an array of flags: element i takes part where flags[i·stride] is true (non-zero).
template <class Flag>
struct visible_flags {
  const Flag* flags = nullptr;
  index stride = 1;
  TWOFOLD_HD constexpr bool operator()(index i) const { return static_cast<bool>(flags[i * stride]); }
};

//! A source of which only the elements with visible(position) take part. A masked element is *absent*: apply does not
//! call f, the element is never read, and its neighbours become neighbours. `visible` is a predicate on positions in
//! the whole sequence.
template <class S, class Visible>
struct masked_source {
  S base;
  Visible visible;
  index offset = 0;                                                              //!< position of base's element 0
  [[nodiscard]] TWOFOLD_HD constexpr index size() const { return base.size(); }  //!< masked elements are counted
  template <class F>
  TWOFOLD_HD constexpr void apply(index i, F&& f) const {
    if (visible(offset + i)) base.apply(i, f);
  }
  [[nodiscard]] TWOFOLD_HD constexpr masked_source sub(index first, index last) const {
    return {base.sub(first, last), visible, offset + first};
  }
};

//! Anything contiguous with data() and size() (vector, span, array, string_view), or a source, as a source.
template <class C>
TWOFOLD_HD constexpr auto as_source(const C& c) {
  if constexpr (source<C>) {
    return c;
  } else {
    using T = std::remove_cvref_t<decltype(*c.data())>;
    return array_source<T>{c.data(), static_cast<index>(c.size()), 1};
  }
}
template <class T, std::size_t N>
TWOFOLD_HD constexpr array_source<T> as_source(const T (&a)[N]) {
  return {a, static_cast<index>(N), 1};
}

//! @name Shorthands: zip(x, y…), indexed(x), masked(x, predicate or flags) of anything as_source accepts.
//! @{
template <class Head, class... Tail>
TWOFOLD_HD constexpr zip_source<Head, Tail...> zip_sources(const Head& head, const Tail&... tail) {
  if constexpr (sizeof...(Tail) == 0) return {head};
  else return {head, zip_sources(tail...)};
}
template <class... C>
TWOFOLD_HD constexpr auto zip(const C&... c) {
  return zip_sources(as_source(c)...);
}
template <class C>
TWOFOLD_HD constexpr auto indexed(const C& c) {
  return indexed_source<decltype(as_source(c))>{as_source(c)};
}
template <class C, class Visible>
TWOFOLD_HD constexpr auto masked(const C& c, const Visible& visible) {
  using S = decltype(as_source(c));
  if constexpr (requires(index i) { static_cast<bool>(visible(i)); }) {
    return masked_source<S, Visible>{as_source(c), visible};
  } else {
    using Flag = std::remove_cvref_t<decltype(*visible.data())>;
    return masked_source<S, visible_flags<Flag>>{as_source(c), {visible.data(), 1}};
  }
}
//! @}

TWOFOLD_END_NAMESPACE
