// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file States, answers and elements as text for counterexamples.
#pragma once

#include <cstdio>
#include <string>
#include <tuple>
#include <vector>

#include "twofold/algebra/fields.hpp"

TWOFOLD_BEGIN_NAMESPACE
namespace laws {
namespace detail {

//! Shortest text that reads back as the same number.
template <class T>
std::string number_text(const T& x) {
  if constexpr (std::is_same_v<T, bool>) {
    return x ? "true" : "false";
  } else if constexpr (std::is_same_v<T, char>) {
    return x >= ' ' && x <= '~' ? std::string{'\'', x, '\''} : std::to_string(static_cast<int>(x));
  } else if constexpr (std::is_enum_v<T>) {
    return std::to_string(static_cast<long long>(x));
  } else if constexpr (std::is_floating_point_v<T>) {
    char buffer[64];
    if (x > T(-1e15) && x < T(1e15) && x == static_cast<T>(static_cast<long long>(x)) && !(x == T(0) && T(1) / x < T(0)))
      return std::to_string(static_cast<long long>(x));
    for (int digits = 1; digits <= 21; ++digits) {
      std::snprintf(buffer, sizeof buffer, "%.*Lg", digits, static_cast<long double>(x));
      long double back = 0;
      if (std::sscanf(buffer, "%Lf", &back) != 1 || static_cast<T>(back) == x || x != x) break;
    }
    return buffer;
  } else {
    return std::to_string(x);
  }
}

template <class T>
std::string text(const T& x) {
  if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>) {
    return number_text(x);
  } else if constexpr (requires { std::tuple_size<T>::value; }) {
    std::string out;
    std::apply([&](const auto&... e) { ((out += (out.empty() ? "(" : ", ") + text(e)), ...); }, x);
    return out + ")";
  } else if constexpr (has_fields<T>()) {
    std::string out;
    for_each_field(x, [&](const auto& e) { out += (out.empty() ? "" : ", ") + number_text(e); });
    return "(" + out + ")";
  } else {
    return "(a value without fields)";
  }
}

template <class E>
std::string text(const std::vector<E>& word) {
  std::string out;
  for (const E& e : word) out += (out.empty() ? "" : ", ") + text(e);
  return "[" + out + "]";
}

}  // namespace detail
}  // namespace laws
TWOFOLD_END_NAMESPACE
