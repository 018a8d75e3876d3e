// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Functions of <cmath> by their name in the IR, in the precision of their arguments, as C++ overloads choose them.
#pragma once

#include <cmath>
#include <limits>

#include "ir/program.hpp"

namespace twofold::analyser {

//! NaN for what is not a function of real numbers.
template <class T>
T real_function(function f, T a, T b, T c) {
  switch (f) {
    case function::exp:
      return std::exp(a);
    case function::exp2:
      return std::exp2(a);
    case function::expm1:
      return std::expm1(a);
    case function::log:
      return std::log(a);
    case function::log2:
      return std::log2(a);
    case function::log10:
      return std::log10(a);
    case function::log1p:
      return std::log1p(a);
    case function::sqrt:
      return std::sqrt(a);
    case function::cbrt:
      return std::cbrt(a);
    case function::pow:
      return std::pow(a, b);
    case function::sin:
      return std::sin(a);
    case function::cos:
      return std::cos(a);
    case function::tan:
      return std::tan(a);
    case function::asin:
      return std::asin(a);
    case function::acos:
      return std::acos(a);
    case function::atan:
      return std::atan(a);
    case function::sinh:
      return std::sinh(a);
    case function::cosh:
      return std::cosh(a);
    case function::tanh:
      return std::tanh(a);
    case function::erf:
      return std::erf(a);
    case function::erfc:
      return std::erfc(a);
    case function::floor:
      return std::floor(a);
    case function::ceil:
      return std::ceil(a);
    case function::trunc:
      return std::trunc(a);
    case function::round:
      return std::round(a);
    case function::nearbyint:
      return std::nearbyint(a);
    case function::abs:
      return std::abs(a);
    case function::fmin:
      return std::fmin(a, b);
    case function::fmax:
      return std::fmax(a, b);
    case function::fmod:
      return std::fmod(a, b);
    case function::fdim:
      return std::fdim(a, b);
    case function::hypot:
      return std::hypot(a, b);
    case function::copysign:
      return std::copysign(a, b);
    case function::atan2:
      return std::atan2(a, b);
    case function::fma:
      return std::fma(a, b, c);
    default:
      return std::numeric_limits<T>::quiet_NaN();
  }
}

}  // namespace twofold::analyser
