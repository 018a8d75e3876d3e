// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Which type accumulates elements of a given type, unless the user says otherwise.
#pragma once

#include <cstdint>
#include <type_traits>

#include "twofold/algebra/config.hpp"

TWOFOLD_BEGIN_NAMESPACE

namespace detail {
template <class X>
constexpr auto accumulator() {  // of vector lanes: that of one lane, in as many
  if constexpr (requires { typename X::lanewise; }) return typename X::template of<decltype(accumulator<typename X::number>())>{};
  else if constexpr (std::is_floating_point_v<X>) return X{};
  else if constexpr (std::is_same_v<X, bool> || std::is_signed_v<X>) return std::int64_t{};
  else return std::uint64_t{};
}
template <class X>
constexpr auto wide() {
  if constexpr (requires { typename X::lanewise; }) return typename X::template of<decltype(wide<typename X::number>())>{};
  else if constexpr (std::is_same_v<X, long double>) return X{};
  else return double{};
}
}  // namespace detail

//! A floating type itself; 64 bits of the same signedness for integers; bool is counted.
template <class X>
using accumulator_of = decltype(detail::accumulator<X>());

//! double, or long double for itself: where a sum of squares or a mean must not overflow or stagnate in the type of
//! the elements.
template <class X>
using wide_of = decltype(detail::wide<X>());

TWOFOLD_END_NAMESPACE
