// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Floating-point numbers as exact terms ±m·2^e, and exact sums rounded back, once and correctly. Bits only: no floating-point
//! instruction.
#pragma once

#include <type_traits>

#include "twofold/algebra/math.hpp"
#include "twofold/ops/reproducible/wide_integer.hpp"

TWOFOLD_BEGIN_NAMESPACE
namespace exact {

//! The layout of a binary format.
template <class T>
struct binary;
template <>
struct binary<float> {
  using bits = std::uint32_t;
  static constexpr int digits = 24, bias = 127, least = -149;  //!< `least`: exponent of the smallest subnormal
};
template <>
struct binary<double> {
  using bits = std::uint64_t;
  static constexpr int digits = 53, bias = 1023, least = -1074;
};

//! What a sum remembers of elements that are not finite; joined by "or".
enum special : std::uint32_t { none = 0, not_a_number = 1, plus_infinity = 2, minus_infinity = 4 };

//! ±low|high·2^exponent, or something that is not finite.
struct term {
  two_words magnitude;
  int exponent;
  bool negative;
  std::uint32_t not_finite;
  [[nodiscard]] TWOFOLD_HD constexpr bool zero() const { return (magnitude.low | magnitude.high) == 0; }
};

template <class T>
TWOFOLD_HD constexpr term term_of(const T& x) {
  using format = binary<T>;
  using bits = typename format::bits;
  const bits b = __builtin_bit_cast(bits, x), fraction = b & ((bits{1} << (format::digits - 1)) - 1);
  const int field = static_cast<int>(b >> (format::digits - 1)) & (2 * format::bias + 1);
  const bool negative = b >> (8 * sizeof(bits) - 1) != 0;
  if (field == 2 * format::bias + 1)
    return {{0, 0}, format::least, negative, fraction != 0 ? not_a_number : negative ? minus_infinity : plus_infinity};
  if (field == 0) return {{fraction, 0}, format::least, negative, none};
  return {{fraction | bits{1} << (format::digits - 1), 0}, format::least + field - 1, negative, none};
}

//! x·y; not finite as IEEE has it: inf·0 is NaN.
template <class T>
TWOFOLD_HD constexpr term product_of(const T& x, const T& y) {
  const term a = term_of(x), b = term_of(y);
  const bool negative = a.negative != b.negative;
  std::uint32_t odd = none;
  if ((a.not_finite | b.not_finite) != none) {
    const bool nan =
        ((a.not_finite | b.not_finite) & not_a_number) != 0 || (a.not_finite == none && a.zero()) || (b.not_finite == none && b.zero());
    odd = nan ? not_a_number : negative ? minus_infinity : plus_infinity;
    return {{0, 0}, 2 * binary<T>::least, negative, odd};
  }
  return {{a.magnitude.low * b.magnitude.low, multiply_high(a.magnitude.low, b.magnitude.low)}, a.exponent + b.exponent, negative, odd};
}

//! @brief  ±(m + something)·2^(e−63) rounded to the nearest, ties to even, with gradual underflow and overflow to infinity.
//! m has its top bit set: e is the exponent of the number. `inexact`: there is something, below m's last bit.
template <class T>
TWOFOLD_HD constexpr T rounded_to(bool negative, std::uint64_t m, bool inexact, int e) {
  using format = binary<T>;
  using bits = typename format::bits;
  constexpr int smallest = 1 - format::bias;
  const bits sign = negative ? bits{1} << (8 * sizeof(bits) - 1) : 0;
  const bits infinite = static_cast<bits>(2 * format::bias + 1) << (format::digits - 1);
  if (e > format::bias) return __builtin_bit_cast(T, static_cast<bits>(sign | infinite));
  const int digits = e < smallest ? format::digits - (smallest - e) : format::digits;
  if (digits < 0) return __builtin_bit_cast(T, sign);
  const int drop = 64 - digits;
  std::uint64_t kept = shifted_right(m, drop);
  const std::uint64_t half = std::uint64_t{1} << (drop - 1), rest = drop == 64 ? m : m & ((half << 1) - 1);
  if (rest > half || (rest == half && (inexact || (kept & 1) != 0))) ++kept;  // may carry into the exponent, up to infinity
  bits b = static_cast<bits>(kept);
  if (e >= smallest) b += static_cast<bits>(e + format::bias - 1) << (format::digits - 1);
  return __builtin_bit_cast(T, static_cast<bits>(sign | b));
}

//! @brief  (v + something)·2^exponent rounded to T; +0 for 0. `inexact`: something in (0, 1), of v's sign.
template <class T, int W>
TWOFOLD_HD constexpr T rounded(const wide_integer<W>& v, int exponent, bool inexact = false) {
  wide_integer<W> a = v;
  if (v.negative()) a.negate();
  int top = W - 1;
  while (top > 0 && a.words[top] == 0) --top;
  if (a.words[top] == 0) return T(0);
  const int by = leading_zeros(a.words[top]);
  std::uint64_t m = a.words[top] << by;
  if (top > 0) {
    m |= shifted_right(a.words[top - 1], 64 - by);
    inexact = inexact || a.words[top - 1] << by != 0;
  }
  for (int i = 0; i < top - 1; ++i) inexact = inexact || a.words[i] != 0;
  return rounded_to<T>(v.negative(), m, inexact, exponent + 64 * top + 63 - by);
}

//! What a sum with such elements is: NaN, ±inf, or (none) `otherwise`.
template <class T>
TWOFOLD_HD constexpr T special_or(std::uint32_t seen, const T& otherwise) {
  if (seen == none) return otherwise;
  if (seen == plus_infinity) return math::infinity<T>;
  if (seen == minus_infinity) return -math::infinity<T>;
  return math::nan<T>;
}

}  // namespace exact
TWOFOLD_END_NAMESPACE
