// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Least squares: the straight line through pairs, from the state of the covariance.
#pragma once

#include "twofold/ops/covariance.hpp"

TWOFOLD_BEGIN_NAMESPACE

//! y ≈ intercept + slope·x.
template <class A>
struct fitted_line {
  std::int64_t count;
  A slope, intercept;  //!< NaN for fewer than two elements, or where all x are equal
  A residual;          //!< Σ (y − intercept − slope·x)²
  A determination;     //!< r²: the share of y's variance that the line explains; NaN where y is constant
  TWOFOLD_HD constexpr A operator()(const A& x) const { return math::fma(slope, x, intercept); }
};

//! @brief  Simple linear regression of y on x.
//! @math   slope Cxy/Cxx, intercept mean_y − slope·mean_x, residual Cyy − Cxy²/Cxx
//! @laws   commutative and associative modulo `same`: the state is the covariance's, so offsets cost no accuracy
//! @empty  count 0, everything else NaN
//! @special ±inf and NaN as in covariance
//! @error  |Δslope| = O(d·u)·√(Cyy/Cxx), d the height of the tree
template <class X, class A = wide_of<X>, class Gauge = gauge::mean>
struct regression : covariance<X, A, Gauge> {
  using typename covariance<X, A, Gauge>::state;
  static constexpr const char* tag = "regression";

  TWOFOLD_HD constexpr fitted_line<A> finalize(const state& s) const {
    constexpr A none = math::nan<A>;
    covariance<X, A, Gauge> sums = *this;
    sums.correction = 0;
    const covariance_result<A> c = sums.finalize(s);
    if (c.count < 2 || c.variance_x == A(0)) return {c.count, none, none, none, none};
    const A n = static_cast<A>(c.count), slope = c.covariance / c.variance_x, left = c.variance_y - slope * c.covariance;
    const A residual = left < A(0) ? A(0) : left;  // rounding only
    return {c.count, slope, math::fma(-slope, c.mean_x, c.mean_y), n * residual, A(1) - residual / c.variance_y};
  }
};

TWOFOLD_END_NAMESPACE
