// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Sources: random-access sequences of elements that schedules cut into tiles. One array, several arrays walked
//! together, rows of a matrix, or a masked view of any of these. A tile of a source is again a source.
#pragma once

#include <tuple>

#include "twofold/algebra/reduction.hpp"

TWOFOLD_BEGIN_NAMESPACE

//! size(), apply(i, f): calls f(inputs of element i…), and sub(first, last): the elements [first, last) as a source.
template <class S>
concept source = requires(const S& s, index i) {
  { s.size() } -> std::convertible_to<index>;
  s.sub(i, i);
};

//! One strided array. stride in elements, may be negative or zero.
template <class T>
struct array_source {
  const T* data = nullptr;
  index count = 0;
  index stride = 1;
  [[nodiscard]] TWOFOLD_HD constexpr index size() const { return count; }
  template <class F>
  TWOFOLD_HD constexpr decltype(auto) apply(index i, F&& f) const { return f(data[i * stride]); }
  [[nodiscard]] TWOFOLD_HD constexpr array_source sub(index first, index last) const {
    return {data + first * stride, last - first, stride};
  }
};

TWOFOLD_END_NAMESPACE
