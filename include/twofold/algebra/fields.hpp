// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Visiting the numbers inside a state: what saving, comparing and printing states need to know about them.
#pragma once

#include <concepts>
#include <cstddef>
#include <type_traits>

#include "twofold/algebra/config.hpp"

TWOFOLD_BEGIN_NAMESPACE

namespace detail {

struct any_field {
  template <class T>
  constexpr operator T&() const&;
  template <class T>
  constexpr operator T&&() const&&;
};

template <class T, class... Fields>
constexpr std::size_t field_count() {
  if constexpr (sizeof...(Fields) > 8) return sizeof...(Fields);
  else if constexpr (requires { T{Fields{}..., any_field{}}; }) return field_count<T, Fields..., any_field>();
  else return sizeof...(Fields);
}

}  // namespace detail

//! Calls f on every number in x, in order. x is a number or an enumeration, a type with `static each_field(self, f)` (arrays inside),
//! or an aggregate of up to eight such fields. An f with `sized(v)` gets a vector of run-time size whole.
template <class T, class F>
TWOFOLD_HD constexpr void for_each_field(T& x, F&& f) {
  using plain = std::remove_const_t<T>;
  if constexpr (std::is_arithmetic_v<plain> || std::is_enum_v<plain>) {
    f(x);
  } else if constexpr (requires(plain& y) { f.sized(x); y.resize(0); }) {
    f.sized(x);
  } else if constexpr (requires { plain::each_field(x, f); }) {
    plain::each_field(x, [&](auto& y) { for_each_field(y, f); });
  } else {
    static_assert(std::is_aggregate_v<plain>, "TF1012: a state must be a number, an aggregate of numbers, or have "
                  "static each_field(self, f) (TF1012: twofold explain TF1012)");
    constexpr std::size_t n = detail::field_count<plain>();
    static_assert(n <= 8, "TF1012: an aggregate of more than 8 fields needs static each_field(self, f)");
    const auto visit = [&](auto&... fields) { (for_each_field(fields, f), ...); };
    if constexpr (n == 1) { auto& [a] = x; visit(a); }
    else if constexpr (n == 2) { auto& [a, b] = x; visit(a, b); }
    else if constexpr (n == 3) { auto& [a, b, c] = x; visit(a, b, c); }
    else if constexpr (n == 4) { auto& [a, b, c, d] = x; visit(a, b, c, d); }
    else if constexpr (n == 5) { auto& [a, b, c, d, e] = x; visit(a, b, c, d, e); }
    else if constexpr (n == 6) { auto& [a, b, c, d, e, g] = x; visit(a, b, c, d, e, g); }
    else if constexpr (n == 7) { auto& [a, b, c, d, e, g, h] = x; visit(a, b, c, d, e, g, h); }
    else if constexpr (n == 8) { auto& [a, b, c, d, e, g, h, i] = x; visit(a, b, c, d, e, g, h, i); }
  }
}

TWOFOLD_END_NAMESPACE
