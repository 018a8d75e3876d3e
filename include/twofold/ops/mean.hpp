// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Arithmetic mean: number and sum, the sum exact for integers and compensated for floating types.
#pragma once

#include <cstdint>

#include "twofold/algebra/accumulator.hpp"
#include "twofold/ops/sum.hpp"

TWOFOLD_BEGIN_NAMESPACE

namespace detail {

//! Two's complement integers of 128 bits: the sum of fewer than 2^63 64-bit integers is exact.
struct wide_integer_sum {
  struct state {
    std::uint64_t low;
    std::int64_t high;
    friend constexpr bool operator==(const state&, const state&) = default;
  };
  TWOFOLD_HD constexpr state identity() const { return {0, 0}; }
  template <class X>
  TWOFOLD_HD constexpr state lift(const X& x) const {
    return {static_cast<std::uint64_t>(x), x < X(0) ? std::int64_t{-1} : std::int64_t{0}};
  }
  TWOFOLD_HD constexpr state combine(const state& a, const state& b) const {
    const std::uint64_t low = a.low + b.low;
    const std::uint64_t high = static_cast<std::uint64_t>(a.high) + static_cast<std::uint64_t>(b.high) + (low < a.low);
    return {low, static_cast<std::int64_t>(high)};
  }
  //! sum/n in double: the quotient's and the remainder's part are rounded separately.
  TWOFOLD_HD constexpr double divided_by(const state& s, std::int64_t n) const {
    __extension__ using int128 = __int128;
    const int128 sum = static_cast<int128>(s.high) * (static_cast<int128>(1) << 64) + s.low;
    const int128 quotient = sum / n, remainder = sum % n;
    return static_cast<double>(quotient) + static_cast<double>(remainder) / static_cast<double>(n);
  }
};

template <class X>
struct compensated_mean_sum : compensated_sum<X, wide_of<X>> {
  using typename compensated_sum<X, wide_of<X>>::state;
  TWOFOLD_HD constexpr wide_of<X> divided_by(const state& s, std::int64_t n) const {
    return this->finalize(s) / static_cast<wide_of<X>>(n);
  }
};

template <class X>
using mean_sum = std::conditional_t<std::is_integral_v<X>, wide_integer_sum, compensated_mean_sum<X>>;

}  // namespace detail

//! @brief  Mean of the elements, in double (long double for itself).
//! @math   Σ x_i / n
//! @laws   commutative; integers: exact over the machine, and never wraps (128-bit sum)
//! @empty  NaN
//! @special ±inf and NaN as Σx/n in IEEE arithmetic; a sum beyond the largest number gives ±inf
//! @error  integers: 2u|mean|; floats: 2u|mean| + (h·u)²·Σ|x|/n, h the height of the tree
template <class X>
struct mean {
  using input = X;
  using answer = wide_of<X>;
  template <template <class> class Lanes>
  requires std::is_floating_point_v<X>
  using over = mean<Lanes<X>>;
  static constexpr const char* tag = "mean";
  struct state {
    std::int64_t count;
    typename detail::mean_sum<X>::state sum;
    friend constexpr bool operator==(const state&, const state&) = default;
  };
  static constexpr bool commutative = true;
  static constexpr bool exact_over_machine = std::is_integral_v<X>;

  TWOFOLD_HD constexpr state identity() const { return {0, total().identity()}; }
  TWOFOLD_HD constexpr state lift(const X& x) const { return {1, total().lift(x)}; }
  TWOFOLD_HD constexpr state combine(const state& a, const state& b) const { return {a.count + b.count, total().combine(a.sum, b.sum)}; }
  TWOFOLD_HD constexpr answer finalize(const state& s) const {
    return s.count == 0 ? math::nan<answer> : total().divided_by(s.sum, s.count);
  }
  TWOFOLD_HD constexpr bool valid(const state& s) const { return s.count >= 0; }
  TWOFOLD_HD constexpr bool same(const state& a, const state& b) const requires(!std::is_integral_v<X>) {
    return a.count == b.count && total().same(a.sum, b.sum);
  }

 private:
  TWOFOLD_HD static constexpr detail::mean_sum<X> total() { return {}; }
};

TWOFOLD_END_NAMESPACE
