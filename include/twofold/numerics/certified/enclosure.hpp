// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file What running bounds share: the answer with its error, and how the bound pays for its own rounding.
#pragma once

#include <cstdint>

#include "twofold/algebra/math.hpp"
#include "twofold/algebra/reduction.hpp"

TWOFOLD_BEGIN_NAMESPACE

//! @brief  value ± error: the exact result of the same operator on the same elements lies within. deviation is a model, not a promise: the
//!         root of the summed squares of all local roundings; 4 of it is "typical".
template <class A>
struct enclosure {
  A value{};
  double error = 0;      //!< guaranteed; infinite where nothing can be guaranteed
  double deviation = 0;  //!< √V
  [[nodiscard]] double typical() const { return 4 * deviation; }
  [[nodiscard]] double low() const { return static_cast<double>(value) - error; }
  [[nodiscard]] double high() const { return static_cast<double>(value) + error; }
  //! Two enclosures of one number meet.
  [[nodiscard]] bool near(const enclosure& other) const {
    if (value == other.value || (math::is_nan(value) && math::is_nan(other.value))) return true;
    const double apart = math::fabs(static_cast<double>(value) - static_cast<double>(other.value));
    return apart <= (error + other.error) * (1 + 0x1p-40);
  }
};

//! @brief  Wraps an operator: every state carries a bound on its own error, which rides along any schedule as a reduction (theorem
//!         T6). value() of a state has the bits of the plain operator under that schedule.
//! @laws   those of the operator; two states are the same where their enclosures meet
//! @cost   measured at most 3 times the plain operator (bench/results/certified_cost.json)
//! @error  the bound is computed in double, of non-negative terms: after k operations it can be short by (1 − 2^−53)^k, which
//!         finalize pays back. It takes magnitudes from computed values and adds their own errors where it multiplies, so that no
//!         "first order" is left over. Underflow is counted, by the smallest subnormal per operation.
//!
//! Specialised for sum, pairwise_sum, compensated_sum; softmax, log_sum_exp, attention; welford, moments; affine_recurrence.
template <class R>
struct certified;

template <class R>
certified(R) -> certified<R>;

namespace detail {

//! The error of one operation that underflows, in units of u.
template <class T>
inline constexpr double tiny_units = sizeof(T) == 4 ? 0x1p-125 : 0x1p-1021;
template <class T>
inline constexpr double unit_of = static_cast<double>(math::unit_roundoff<T>);

//! |x| in double: one instruction, no branch on a sign that may be random.
template <class A>
constexpr double magnitude_of(const A& x) {
  if constexpr (sizeof(A) == 4) return static_cast<double>(__builtin_fabsf(x));
  else return __builtin_fabs(static_cast<double>(x));
}

//! A bound that is not a number is no bound.
constexpr double or_none(double error) { return error < math::infinity<double> ? error : math::infinity<double>; }

//! A bound of `operations` rounded steps (in u of its own type), made good for its own roundings; infinite where it is not a number.
inline double paid_back(double error, double operations, double own_u = 0x1p-53) {
  const double short_by = operations * own_u;
  return or_none(short_by < 0.25 ? error * (1 + 2 * short_by) : math::infinity<double>);
}

}  // namespace detail
TWOFOLD_END_NAMESPACE
