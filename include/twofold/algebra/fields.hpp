// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Visiting the numbers inside a state: what saving, comparing and printing states need to know about them.
#pragma once

#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>

#include "twofold/algebra/config.hpp"

TWOFOLD_BEGIN_NAMESPACE

namespace detail {

struct any_field {
  template <class T>
  constexpr operator T&() const&;
  template <class T>
  constexpr operator T&&() const&&;
};

//! T{f…(Before), {f…(Inner)}, f…(After)} compiles, where an array without braces of its own takes as many f as it has
//! elements.
template <class T, std::size_t... Before, std::size_t... Inner, std::size_t... After>
constexpr bool takes(std::index_sequence<Before...>, std::index_sequence<Inner...>, std::index_sequence<After...>) {
  constexpr auto f = [](std::size_t) { return any_field{}; };
  if constexpr (sizeof...(Inner) == 0) return requires {
      T{f(Before)..., f(After)...};
    };
  else return requires {
      T{f(Before)..., {f(Inner)...}, f(After)...};
    };
}
template <class T, std::size_t Before, std::size_t Inner = 0, std::size_t After = 0>
inline constexpr bool takes_fields = takes<T>(std::make_index_sequence<Before>{}, std::make_index_sequence<Inner>{},
                                              std::make_index_sequence<After>{});

//! Number of initialisers that T takes when no inner braces are written.
template <class T, std::size_t N = 0>
constexpr std::size_t initialiser_count() {
  if constexpr (N < 64 && takes_fields<T, N + 1>) return initialiser_count<T, N + 1>();
  else return N;
}
//! Most initialisers that the member at initialiser At takes in braces of its own.
template <class T, std::size_t At, std::size_t Limit, std::size_t S = 1>
constexpr std::size_t inner_count() {
  if constexpr (S < Limit && takes_fields<T, At, S + 1>) return inner_count<T, At, Limit, S + 1>();
  else return S;
}
//! Number of members: an array counts once although it takes several initialisers.
template <class T, std::size_t At = 0>
constexpr std::size_t field_count() {
  constexpr std::size_t total = initialiser_count<T>();
  if constexpr (At >= total) {
    return 0;
  } else {
    constexpr std::size_t inner = inner_count<T, At, total - At>();
    constexpr bool is_array = inner > 1 && !takes_fields<T, At, inner, total - At - 1>;
    return 1 + field_count<T, At + (is_array ? inner : 1)>();
  }
}

//! f(every member of the aggregate x, in order).
template <class T, class F>
TWOFOLD_HD constexpr decltype(auto) with_members(T& x, F&& f) {
  constexpr std::size_t n = field_count<std::remove_const_t<T>>();
  static_assert(n >= 1 && n <= 8,
                "TF1012: a state must be a number, an aggregate of one to eight such fields, or have "
                "static each_field(self, f) (TF1012: twofold explain TF1012)");
  if constexpr (n == 1) {
    auto& [a] = x;
    return f(a);
  } else if constexpr (n == 2) {
    auto& [a, b] = x;
    return f(a, b);
  } else if constexpr (n == 3) {
    auto& [a, b, c] = x;
    return f(a, b, c);
  } else if constexpr (n == 4) {
    auto& [a, b, c, d] = x;
    return f(a, b, c, d);
  } else if constexpr (n == 5) {
    auto& [a, b, c, d, e] = x;
    return f(a, b, c, d, e);
  } else if constexpr (n == 6) {
    auto& [a, b, c, d, e, g] = x;
    return f(a, b, c, d, e, g);
  } else if constexpr (n == 7) {
    auto& [a, b, c, d, e, g, h] = x;
    return f(a, b, c, d, e, g, h);
  } else if constexpr (n == 8) {
    auto& [a, b, c, d, e, g, h, i] = x;
    return f(a, b, c, d, e, g, h, i);
  }
}

}  // namespace detail

//! Can for_each_field see into this type?
template <class T>
constexpr bool has_fields() {
  using plain = std::remove_cvref_t<T>;
  if constexpr (std::is_arithmetic_v<plain> || std::is_enum_v<plain>) return true;
  else if constexpr (requires(plain & x) { plain::each_field(x, [](auto&) {}); }) return true;
  else if constexpr (std::is_aggregate_v<plain> && std::is_class_v<plain>)
    return detail::field_count<plain>() >= 1 && detail::field_count<plain>() <= 8;
  else return false;
}

//! Calls f on every number in x, in order. x is a number or an enumeration, an array of such, an aggregate of up to
//! eight such members, or a type with `static each_field(self, f)`. An f with `sized(v)` gets a vector of run-time
//! size whole.
template <class T, class F>
TWOFOLD_HD constexpr void for_each_field(T& x, F&& f) {
  using plain = std::remove_const_t<T>;
  if constexpr (std::is_arithmetic_v<plain> || std::is_enum_v<plain>) {
    f(x);
  } else if constexpr (std::is_array_v<plain>) {
    for (auto& element : x) for_each_field(element, f);
  } else if constexpr (requires(plain & y) {
                         f.sized(x);
                         y.resize(0);
                       }) {
    f.sized(x);
  } else if constexpr (requires { plain::each_field(x, f); }) {
    plain::each_field(x, [&](auto& y) { for_each_field(y, f); });
  } else {
    static_assert(std::is_aggregate_v<plain>,
                  "TF1012: a state must be a number, an aggregate of one to eight such fields, or have "
                  "static each_field(self, f) (TF1012: twofold explain TF1012)");
    detail::with_members(x, [&](auto&... fields) { (for_each_field(fields, f), ...); });
  }
}

TWOFOLD_END_NAMESPACE
