// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Central moments to order 4: Welford's twist with a larger shift matrix.
#pragma once

#include "twofold/algebra/accumulator.hpp"
#include "twofold/algebra/twist.hpp"
#include "twofold/ops/power_sums.hpp"

TWOFOLD_BEGIN_NAMESPACE

//! Population moments about the mean: central[k] = Σ (x−mean)^k / n, central[0] = 1, central[1] = 0. All NaN for no
//! element.
template <class A, int Order>
struct moments_result {
  std::int64_t count;
  A mean;
  A central[Order + 1];
  TWOFOLD_HD A variance() const { return central[2]; }
  TWOFOLD_HD A standard_deviation() const { return math::sqrt(central[2]); }
  //! Equal up to rounding: a third moment may cancel, and is measured against σ³.
  TWOFOLD_HD bool near(const moments_result& other) const {
    const A size = math::fabs(mean) + standard_deviation();
    bool all = count == other.count && math::close(mean, other.mean, size);
    A power = central[2];
    for (int k = 2; k <= Order; ++k, power *= standard_deviation())
      all = all && math::close(central[k], other.central[k], k == 4 ? central[4] : power);
    return all;
  }
  //! central[3] / variance^(3/2); NaN for constant data.
  TWOFOLD_HD A skewness() const requires(Order >= 3) { return central[3] / (central[2] * math::sqrt(central[2])); }
  //! central[4] / variance² (a normal distribution has 3); NaN for constant data.
  TWOFOLD_HD A kurtosis() const requires(Order >= 4) { return central[4] / (central[2] * central[2]); }
};

//! @brief  Count, mean and central moments 2…Order (Order ≤ 4).
//! @math   μ_k = Σ (x−mean)^k / n, from S_j about the reference by one last shift to the exact mean
//! @laws   commutative and associative modulo `same`
//! @empty  count 0, all moments NaN. One element: all central moments 0
//! @special as welford
//! @error  |Δμ_k| = O(d·u)·Σ|x−mean|^k/n, d the height of the tree; counts become floating before any product
//! @source Pébay (2008), formulas for merging moments; here one product of bidiagonal matrices
template <class X, int Order = 4, class A = wide_of<X>, class Gauge = gauge::mean>
requires(Order >= 2 && Order <= 4) struct moments : twist<power_sums<X, A, Order>, Gauge> {
  using input = X;
  using typename twist<power_sums<X, A, Order>, Gauge>::state;
  static constexpr const char* tag = "moments";
  TWOFOLD_HD constexpr moments_result<A, Order> finalize(const state& s) const {
    const std::int64_t count = s.amount.count;
    const A n = static_cast<A>(count), offset = count == 0 ? math::nan<A> : s.amount.sums[0] / n;
    moments_result<A, Order> r{count, s.at + offset, {count == 0 ? math::nan<A> : A(1), count == 0 ? offset : A(0)}};
    auto v = s.amount;
    this->how.act(A(0), offset, v);  // from the reference to the mean: only their difference matters
    for (int k = 2; k <= Order; ++k)
      r.central[k] = (k % 2 == 0 ? detail::from_squares(v.sums[k - 1], s.amount.sums[0]) : v.sums[k - 1]) / n;
    return r;
  }
};

TWOFOLD_END_NAMESPACE
