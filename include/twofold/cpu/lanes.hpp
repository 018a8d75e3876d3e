// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file An operator over vector lanes: the same template with vectors for numbers, and its states taken apart into those of the lanes.
//!
//! An operator whose code holds for any number type says so by
//!
//!     template <template <class> class Lanes> using over = my_operator<Lanes<T>>;
//!
//! Such code chooses by `math::select` instead of if and ?:, for a comparison of vectors is a mask.
#pragma once

#include "twofold/algebra/fields.hpp"
#include "twofold/cpu/simd/logarithm.hpp"

TWOFOLD_BEGIN_NAMESPACE
namespace cpu {

//! Lanes that operators on elements of this size run in: a vector of the elements, or of 4 bytes each where they are narrower.
template <class X>
inline constexpr int lanes_of = simd::vector_bytes / (sizeof(X) < 4 ? 4 : static_cast<int>(sizeof(X)));

template <int N>
struct lanes_for {
  template <class T>
  using type = simd::vec<T, N>;
};

//! Does this operator (or twisting) say how it looks over other numbers?
template <class Op, int N>
inline constexpr bool has_lanes = requires {
  typename Op::template over<lanes_for<N>::template type>;
};
template <class Op, int N>
using over_lanes = typename Op::template over<lanes_for<N>::template type>;

namespace detail {

//! to ← from, number by number; a number is spread to all lanes.
template <class To, class From>
TWOFOLD_INLINE void spread(To& to, const From& from) {
  if constexpr (std::is_assignable_v<To&, const From&>) to = from;
  else if constexpr (simd::is_vec<To>) to = To(from);
  else if constexpr (!std::is_empty_v<From>)
    twofold::detail::with_members(to,
                                  [&](auto&... t) { twofold::detail::with_members(from, [&](const auto&... f) { (spread(t, f), ...); }); });
}

//! Member I of an aggregate.
template <std::size_t I, class First, class... Rest>
TWOFOLD_INLINE auto& pick(First& first, Rest&... rest) {
  if constexpr (I == 0) return first;
  else return pick<I - 1>(rest...);
}
template <std::size_t I, class State>
TWOFOLD_INLINE auto& member(State& s) {
  return twofold::detail::with_members(
      s, [](auto&... m) -> auto& { return pick<I>(m...); });
}

//! The states of the lanes. Numbers that are the same in all lanes (counts) are copied.
template <int N, class To, class From>
TWOFOLD_INLINE void take_lanes(To* const (&to)[N], const From& from) {
  if constexpr (simd::is_vec<From>) {
    typename From::number x[N];
    from.store(x);
    for (int w = 0; w < N; ++w) *to[w] = static_cast<To>(x[w]);
  } else if constexpr (std::is_arithmetic_v<From> || std::is_enum_v<From>) {
    for (int w = 0; w < N; ++w) *to[w] = from;
  } else if constexpr (std::is_array_v<From>) {
    for (std::size_t i = 0; i < std::extent_v<From>; ++i) {
      std::remove_extent_t<To>* part[N];
      for (int w = 0; w < N; ++w) part[w] = &(*to[w])[i];
      take_lanes<N>(part, from[i]);
    }
  } else {
    [&]<std::size_t... I>(std::index_sequence<I...>) __attribute__((always_inline)) {
      const auto take = [&](auto i) __attribute__((always_inline)) {
        std::remove_reference_t<decltype(member<i>(*to[0]))>* part[N];
        for (int w = 0; w < N; ++w) part[w] = &member<i>(*to[w]);
        take_lanes<N>(part, member<i>(from));
      };
      (take(std::integral_constant<std::size_t, I>{}), ...);
    }
    (std::make_index_sequence<twofold::detail::field_count<From>()>{});
  }
}

//! f(numbers of a, of b) for every number of two states that has lanes.
template <class State, class F>
TWOFOLD_INLINE void for_both(State& a, const State& b, const F& f) {
  if constexpr (simd::is_vec<State>) f(a, b);
  else if constexpr (std::is_array_v<State>)
    for (std::size_t i = 0; i < std::extent_v<State>; ++i) for_both(a[i], b[i], f);
  else if constexpr (!std::is_arithmetic_v<State> && !std::is_enum_v<State>)
    [&]<std::size_t... I>(std::index_sequence<I...>) __attribute__((always_inline)) { (for_both(member<I>(a), member<I>(b), f), ...); }
  (std::make_index_sequence<twofold::detail::field_count<State>()>{});
}

//! Lane 0 of every number; what all lanes share is copied.
template <class To, class From>
TWOFOLD_INLINE void take_first_lane(To& to, const From& from) {
  if constexpr (simd::is_vec<From>) to = static_cast<To>(simd::first_lane(from));
  else if constexpr (std::is_arithmetic_v<From> || std::is_enum_v<From>) to = from;
  else if constexpr (std::is_array_v<From>)
    for (std::size_t i = 0; i < std::extent_v<From>; ++i) take_first_lane(to[i], from[i]);
  else [&]<std::size_t... I>(std::index_sequence<I...>) __attribute__((always_inline)) {
      (take_first_lane(member<I>(to), member<I>(from)), ...);
    }
  (std::make_index_sequence<twofold::detail::field_count<From>()>{});
}

}  // namespace detail

//! The operator with its parameters spread to all lanes.
template <int N, class Op>
TWOFOLD_INLINE over_lanes<Op, N> with_lanes(const Op& op) {
  over_lanes<Op, N> v{};
  detail::spread(v, op);
  return v;
}

//! The states of the N lanes.
template <int N, class State, class Wide>
TWOFOLD_INLINE void lane_states(State (&one)[N], const Wide& s) {
  State* to[N];
  for (int w = 0; w < N; ++w) to[w] = &one[w];
  detail::take_lanes<N>(to, s);
}

}  // namespace cpu
TWOFOLD_END_NAMESPACE
