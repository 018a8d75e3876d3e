// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The values that break reductions.
#pragma once

#include <array>
#include <limits>

template <class T>
constexpr std::array<T, 13> special_values() {
  using l = std::numeric_limits<T>;
  return {T(0),  -T(0),    l::denorm_min(), -l::denorm_min(), l::min(),       -l::min(),     T(1),
          -T(1), l::max(), -l::max(),       l::infinity(),    -l::infinity(), l::quiet_NaN()};
}
