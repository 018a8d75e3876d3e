// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Rounding to any format of formats.hpp, on the host and in constant expressions: what lets a report emulate a
//! format that C++ has no type for.
#pragma once

#include "twofold/algebra/math.hpp"
#include "twofold/numerics/formats.hpp"

TWOFOLD_BEGIN_NAMESPACE
namespace numerics {

//! What becomes of a number beyond the largest one of the format: infinity (NaN for e4m3, which has none), as IEEE arithmetic and
//! plain casts do, or the largest number, as saturating casts do.
enum class overflow : unsigned char { to_infinity, saturate };

namespace detail {
constexpr double next_power_below(double x) {  // 2^⌊log2 x⌋ of a normal x > 0
  return __builtin_bit_cast(double, __builtin_bit_cast(unsigned long long, x) & 0x7ff0000000000000ull);
}
}  // namespace detail

//! @brief  x rounded to the format: to nearest, ties to even, subnormals kept.
//! @error  |round_to(f, x) − x| ≤ max(u|x|, smallest_subnormal/2) below the overflow threshold
//! @special NaN and infinities stay what they are (e4m3: an infinity is NaN, or the largest number where it saturates)
constexpr double round_to(const format& f, double x, overflow beyond = overflow::to_infinity) {
  if (f.precision == 53 || x == 0 || x != x) return x;
  const bool negative = x < 0;
  double size = negative ? -x : x;
  if (size <= f.largest() * 2) {
    const double binade = size < f.smallest_normal() ? f.smallest_normal() : detail::next_power_below(size);
    const double quantum = binade * power_of_two(1 - f.precision), shift = quantum * 0x1.8p52;
    size = (size + shift) - shift;  // doubles beside `shift` lie one quantum apart: the addition rounds, ties to even
  }
  if (size > f.largest()) {
    if (beyond == overflow::saturate) size = f.largest();
    else size = f.lost_codes > 0 ? math::nan<double> : math::infinity<double>;
  }
  return negative ? -size : size;
}

}  // namespace numerics
TWOFOLD_END_NAMESPACE
