// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The nearest float or double to a rational, ties to even. (GMP's own conversion truncates; through double it would round twice.)
#pragma once

#include <gmpxx.h>

#include <cmath>
#include <limits>
#include <utility>

namespace twofold::analyser {

template <class T>
T nearest(const mpq_class& v) {
  if (::abs(v) > mpq_class(std::numeric_limits<T>::max())) {
    const mpq_class half_ulp = mpq_class(std::numeric_limits<T>::max()) - mpq_class(std::nextafter(std::numeric_limits<T>::max(), T{0}));
    const bool overflows = ::abs(v) >= mpq_class(std::numeric_limits<T>::max()) + half_ulp / 2;
    const T r = overflows ? std::numeric_limits<T>::infinity() : std::numeric_limits<T>::max();
    return sgn(v) < 0 ? -r : r;
  }
  T low = static_cast<T>(v.get_d());
  while (mpq_class(low) > v) low = std::nextafter(low, -std::numeric_limits<T>::infinity());
  T high = std::nextafter(low, std::numeric_limits<T>::infinity());
  while (std::isfinite(high) && mpq_class(high) <= v) low = std::exchange(high, std::nextafter(high, std::numeric_limits<T>::infinity()));
  if (!std::isfinite(high)) return low;
  const mpq_class below = v - mpq_class(low), above = mpq_class(high) - v;
  if (below != above) return below < above ? low : high;
  int exponent = 0;
  const T mantissa = std::ldexp(std::frexp(low, &exponent), std::numeric_limits<T>::digits);
  return std::fmod(mantissa, T{2}) == 0 ? low : high;
}

}  // namespace twofold::analyser
