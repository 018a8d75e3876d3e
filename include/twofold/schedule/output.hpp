// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Where results go: a strided array that is written once per result, with its length and overlap with inputs
//! checked before.
#pragma once

#include "twofold/algebra/error.hpp"
#include "twofold/algebra/tile.hpp"

TWOFOLD_BEGIN_NAMESPACE

//! `count` results, `stride` elements apart (64-bit, may be negative).
template <class T>
struct array_output {
  T* data = nullptr;
  index count = 0;
  index stride = 1;
  [[nodiscard]] constexpr index size() const { return count; }
  constexpr T& operator[](index i) const { return data[i * stride]; }
  [[nodiscard]] constexpr array_output sub(index first, index last) const { return {data + first * stride, last - first, stride}; }
  [[nodiscard]] constexpr array_output reversed() const { return {count > 0 ? data + (count - 1) * stride : data, count, -stride}; }
};

//! Anything contiguous with data() and size(), an array, or an array_output.
template <class T>
constexpr array_output<T> as_output(const array_output<T>& out) {
  return out;
}
template <class T, std::size_t N>
constexpr array_output<T> as_output(T (&out)[N]) {
  return {out, static_cast<index>(N), 1};
}
template <class C>
requires requires(C& c) {
  c.data();
  c.size();
}
constexpr auto as_output(C&& out) {
  using T = std::remove_reference_t<decltype(*out.data())>;
  static_assert(!std::is_const_v<T>, "TF1002: the output is read-only: pass a mutable vector, span or array");
  return array_output<T>{out.data(), static_cast<index>(out.size()), 1};
}

namespace detail {

[[noreturn]] inline void refuse_length(const char* what, index have, index need) {
  throw error("TF2206", std::string(what) + " of length " + std::to_string(have) + " where " + std::to_string(need) + " are needed",
              "every result is written, and nothing besides", "an output of exactly " + std::to_string(need) + " elements");
}
[[noreturn]] inline void refuse_overlap(bool may_be_itself) {
  throw error(
      "TF2207", "an output that overlaps an input", "elements would be overwritten before they are read",
      may_be_itself ? "a separate output, or exactly the input itself (same first element, type size and stride)" : "a separate output");
}

//! The bytes that an array touches: [first, last).
struct footprint {
  std::uintptr_t first = 0, last = 0;
};
template <class T>
footprint footprint_of(const T* data, index count, index stride) {
  if (count == 0) return {};
  const auto a = reinterpret_cast<std::uintptr_t>(data), b = reinterpret_cast<std::uintptr_t>(data + (count - 1) * stride);
  return {a < b ? a : b, (a < b ? b : a) + sizeof(T)};
}
inline bool meet(const footprint& a, const footprint& b) { return a.first < b.last && b.first < a.last; }

//! Calls f with every plain array under a source. What other sources read is not known, and not checked.
template <class S, class F>
void for_each_array(const S&, const F&) {}
template <class X, class F>
void for_each_array(const array_source<X>& s, const F& f) {
  f(s.data, s.count, s.stride);
}
template <class S, class F>
void for_each_array(const indexed_source<S>& s, const F& f) {
  for_each_array(s.base, f);
}
template <class S, class V, class F>
void for_each_array(const masked_source<S, V>& s, const F& f) {
  for_each_array(s.base, f);
}
template <class A, class... B, class F>
void for_each_array(const zip_source<A, B...>& s, const F& f) {
  for_each_array(s.head, f);
  if constexpr (sizeof...(B) > 0) for_each_array(s.tail, f);
}

enum class in_place : bool { refused, allowed };

//! Refuses an output that meets an input array, save (where allowed) the input itself, element for element.
template <class T, class S>
void refuse_overlap_of(const array_output<T>& out, const S& in, in_place itself) {
  for_each_array(in, [&](const auto* data, index count, index stride) {
    if (!meet(footprint_of(out.data, out.count, out.stride), footprint_of(data, count, stride))) return;
    const bool same_place = static_cast<const void*>(out.data) == static_cast<const void*>(data);
    if (itself == in_place::refused || !same_place || out.stride != stride || sizeof(T) != sizeof(*data))
      refuse_overlap(itself == in_place::allowed);
  });
}

}  // namespace detail
TWOFOLD_END_NAMESPACE
