// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file When the law checker calls two states, or two answers, the same.
#pragma once

#include <vector>

#include "twofold/algebra/fields.hpp"
#include "twofold/algebra/math.hpp"
#include "twofold/algebra/product.hpp"
#include "twofold/algebra/reduction.hpp"

TWOFOLD_BEGIN_NAMESPACE
namespace laws {
namespace detail {

//! |x| of every field: how large the numbers were that met, so that a cancelled difference is not measured against
//! itself.
using magnitudes = std::vector<double>;

template <class T>
void note_magnitudes(magnitudes& m, const T& x) {
  if constexpr (has_fields<T>()) {
    std::size_t at = 0;
    for_each_field(x, [&](const auto& e) {
      if (at == m.size()) m.push_back(0);
      const double size = math::fabs(static_cast<double>(e));
      if (math::is_finite(size) && size > m[at]) m[at] = size;
      ++at;
    });
  }
}

template <class T>
std::vector<long double> numbers(const T& x) {
  std::vector<long double> all;
  for_each_field(x, [&](const auto& e) { all.push_back(static_cast<long double>(e)); });
  return all;
}

//! The roundoff of the coarsest floating field; 0 if all fields are whole.
template <class T>
double coarsest_roundoff(const T& x) {
  double u = 0;
  for_each_field(x, [&](const auto& e) {
    using F = std::remove_cvref_t<decltype(e)>;
    if constexpr (std::is_floating_point_v<F>) {
      const double v = static_cast<double>(math::unit_roundoff<F>);
      u = v > u ? v : u;
    }
  });
  return u;
}

//! Field by field: equal, both NaN, or apart by no more than tolerance · the largest number seen in that field.
template <class T>
bool near_fields(const T& a, const T& b, const magnitudes& seen, double tolerance) {
  const auto x = numbers(a), y = numbers(b);
  if (x.size() != y.size()) return false;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (x[i] == y[i] || (x[i] != x[i] && y[i] != y[i])) continue;
    magnitudes m{i < seen.size() ? seen[i] : 0};
    note_magnitudes(m, static_cast<double>(x[i]));
    note_magnitudes(m, static_cast<double>(y[i]));
    const long double apart = x[i] < y[i] ? y[i] - x[i] : x[i] - y[i];
    if (!(apart <= static_cast<long double>(tolerance) * static_cast<long double>(m[0]))) return false;
  }
  return true;
}

template <class T>
bool identical(const T& a, const T& b) {
  if constexpr (has_fields<T>()) return near_fields(a, b, {}, 0);
  else if constexpr (requires {
                       { a == b } -> std::convertible_to<bool>;
                     })
    return a == b;
  else return false;
}

//! 1024 roundings, unless the user says otherwise: rounding is forgiven, a wrong formula is not.
template <class T>
double tolerance_for(const T& a, double asked) {
  return asked >= 0 ? asked : 1024 * coarsest_roundoff(a);
}

template <class R>
inline constexpr bool is_product = false;
template <class... R>
inline constexpr bool is_product<product<R...>> = true;

//! Two states: part by part in a product; the operator's own `same`; else identical; else near, where the laws hold
//! over the reals only.
template <class R>
bool equal_states(const R& r, const state_of<R>& a, const state_of<R>& b, const magnitudes& seen, double tolerance) {
  if (identical(a, b)) return true;
  if constexpr (is_product<R>) {
    if (!equal_states(r.head, a.head, b.head, seen, tolerance)) return false;
    if constexpr (requires { r.tail; }) return equal_states(r.tail, a.tail, b.tail, seen, tolerance);
    return true;
  } else if constexpr (has_same<R>) {
    return r.same(a, b);
  } else if constexpr (is_exact_over_machine<R> || !has_fields<state_of<R>>()) {
    return false;
  } else {
    return near_fields(a, b, seen, tolerance_for(a, tolerance));
  }
}

}  // namespace detail
}  // namespace laws
TWOFOLD_END_NAMESPACE
