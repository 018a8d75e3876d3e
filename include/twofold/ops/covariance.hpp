// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Covariance and correlation of two variables: Welford's twist in the plane.
#pragma once

#include <cstdint>

#include "twofold/algebra/accumulator.hpp"
#include "twofold/algebra/math.hpp"
#include "twofold/algebra/twist.hpp"
#include "twofold/ops/power_sums.hpp"

TWOFOLD_BEGIN_NAMESPACE

template <class A>
struct point {
  A x;
  A y;
  friend constexpr bool operator==(const point&, const point&) = default;
};

//! n and Σ of dx, dy, dx², dx·dy, dy² with dx = x − g.x, dy = y − g.y.
template <class A>
struct plane_sums {
  std::int64_t count;
  A x, y, xx, xy, yy;
  friend constexpr bool operator==(const plane_sums&, const plane_sums&) = default;
};

//! The twisting: vectors (n, Sx, Sy, Sxx, Sxy, Syy), carried from one reference point to another by the shift.
template <class X, class A>
struct plane_shift {
  using reference = point<A>;
  using value = plane_sums<A>;
  template <template <class> class Lanes>
  using over = plane_shift<Lanes<X>, Lanes<A>>;
  struct monoid {
    using state = value;
    TWOFOLD_HD constexpr state identity() const { return {0, -A(0), -A(0), -A(0), -A(0), -A(0)}; }
    TWOFOLD_HD constexpr state combine(const state& a, const state& b) const {
      return {a.count + b.count, a.x + b.x, a.y + b.y, a.xx + b.xx, a.xy + b.xy, a.yy + b.yy};
    }
  };
  TWOFOLD_HD constexpr monoid base() const { return {}; }
  TWOFOLD_HD constexpr reference nowhere() const { return {A(0), A(0)}; }
  TWOFOLD_HD constexpr bool nothing(const reference&, const value& v) const { return v.count == 0; }
  TWOFOLD_HD constexpr bool valid(const value& v) const { return v.count >= 0; }
  TWOFOLD_HD constexpr reference observe(const X& x, const X& y) const {
    return {finite_or(static_cast<A>(x), A(0)), finite_or(static_cast<A>(y), A(0))};
  }
  TWOFOLD_HD constexpr void add(value& v, const reference& g, const X& x, const X& y) const {
    const A dx = static_cast<A>(x) - g.x, dy = static_cast<A>(y) - g.y;
    v = base().combine(v, {1, dx, dy, dx * dx, dx * dy, dy * dy});
  }
  TWOFOLD_HD constexpr void act(const reference& g, const reference& h, value& v) const {
    const A n = static_cast<A>(v.count);
    if (g.x != h.x) {
      const A d = g.x - h.x;
      v.xx = math::fma(d, v.x + math::fma(d, n, v.x), v.xx);
      v.xy = math::fma(d, v.y, v.xy);
      v.x = math::fma(d, n, v.x);
    }
    if (g.y != h.y) {
      const A d = g.y - h.y;
      v.yy = math::fma(d, v.y + math::fma(d, n, v.y), v.yy);
      v.xy = math::fma(d, v.x, v.xy);
      v.y = math::fma(d, n, v.y);
    }
  }
  TWOFOLD_HD constexpr reference centre(const reference& g, const value& v) const {
    const A n = static_cast<A>(v.count);
    return {finite_or(g.x + v.x / n, g.x), finite_or(g.y + v.y / n, g.y)};
  }
  TWOFOLD_HD constexpr reference centre(const reference& g, const value& v, const reference& h, const value& w) const {
    if (v.count < w.count) return centre(h, w, g, v);
    const A m = static_cast<A>(w.count), n = static_cast<A>(v.count) + m;
    return {finite_or(g.x + math::fma(h.x - g.x, m, v.x + w.x) / n, g.x), finite_or(g.y + math::fma(h.y - g.y, m, v.y + w.y) / n, g.y)};
  }
  TWOFOLD_HD constexpr bool off_centre(const value& v) const {
    const A n = static_cast<A>(v.count);
    return A(4) * v.x * v.x > n * v.xx || A(4) * v.y * v.y > n * v.yy;
  }
  TWOFOLD_HD bool near(const reference&, const value& v, const value& w) const {
    const A root_n = math::sqrt(static_cast<A>(v.count)), x = math::sqrt(v.xx), y = math::sqrt(v.yy);
    return v.count == w.count && math::close(v.x, w.x, root_n * x) && math::close(v.y, w.y, root_n * y) && math::close(v.xx, w.xx, v.xx) &&
           math::close(v.xy, w.xy, x * y) && math::close(v.yy, w.yy, v.yy);
  }

 private:
  TWOFOLD_HD static constexpr A finite_or(const A& x, const A& otherwise) { return math::is_finite(x) ? x : otherwise; }
};

template <class A>
struct covariance_result {
  std::int64_t count;
  A mean_x, mean_y;                      //!< NaN for no element
  A variance_x, covariance, variance_y;  //!< divided by n − correction; NaN for n ≤ correction
  //! Pearson's r, in [−1, 1]; NaN where a variance is 0. The roots are taken apart: their product cannot overflow.
  TWOFOLD_HD A correlation() const {
    const A r = covariance / math::sqrt(variance_x) / math::sqrt(variance_y);
    return r > A(1) ? A(1) : r < A(-1) ? A(-1) : r;
  }
};

//! @brief  Means, variances and covariance of pairs (x, y).
//! @math   Σ (x−mean_x)(y−mean_y) / (n − correction)
//! @laws   commutative and associative modulo `same`
//! @empty  count 0, everything else NaN
//! @special ±inf and NaN as in welford, per variable
//! @error  |ΔCxy| = O(d·u)·√(Cxx·Cyy): relative to the spread, not to the covariance, which may cancel
template <class X, class A = wide_of<X>, class Gauge = gauge::mean>
struct covariance : twist<plane_shift<X, A>, Gauge> {
  using typename twist<plane_shift<X, A>, Gauge>::state;
  static constexpr const char* tag = "covariance";
  int correction = 1;  //!< 1: sample; 0: population

  TWOFOLD_HD constexpr covariance_result<A> finalize(const state& s) const {
    constexpr A none = math::nan<A>;
    const plane_sums<A>& v = s.amount;
    if (v.count == 0) return {0, none, none, none, none, none};
    const A n = static_cast<A>(v.count), dx = v.x / n, dy = v.y / n;
    covariance_result<A> r{v.count, s.at.x + dx, s.at.y + dy, none, none, none};
    if (v.count <= correction) return r;
    const A weight = static_cast<A>(v.count - correction);
    r.variance_x = detail::from_squares(v.xx - v.x * dx, v.x) / weight;
    r.covariance = (v.xy - v.x * dy) / weight;
    r.variance_y = detail::from_squares(v.yy - v.y * dy, v.y) / weight;
    return r;
  }
};

TWOFOLD_END_NAMESPACE
