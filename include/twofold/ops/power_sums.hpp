// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The twisting of moments: sums of powers about a reference, which a shift matrix carries from one reference
//! to another.
#pragma once

#include <cstdint>

#include "twofold/algebra/math.hpp"
#include "twofold/algebra/reduction.hpp"

TWOFOLD_BEGIN_NAMESPACE

//! n and S_k = Σ (x−g)^k for k = 1…Order.
template <class A, int Order>
struct power_sum_values {
  std::int64_t count;
  A sums[Order];  //!< sums[k−1] = S_k
  TWOFOLD_HD friend constexpr bool operator==(const power_sum_values& a, const power_sum_values& b) {
    for (int k = 0; k < Order; ++k)
      if (!(a.sums[k] == b.sums[k])) return false;
    return a.count == b.count;
  }
};

namespace detail {
//! A sum of squares in its codomain [0, inf]: never below 0; where squares of finite numbers overflowed (S_1 is
//! finite), inf and not the NaN of inf − inf; NaN where there was a NaN or an infinity among the elements.
template <class A>
TWOFOLD_HD constexpr A from_squares(const A& m, const A& s1) {
  if (math::is_nan(m) && math::is_finite(s1)) return math::infinity<A>;
  return m < A(0) ? A(0) : m;
}
}  // namespace detail

//! The base monoid: vectors (n, S_1, …, S_Order) under addition.
template <class A, int Order>
struct power_sum_monoid {
  using state = power_sum_values<A, Order>;
  static constexpr bool commutative = true;
  TWOFOLD_HD constexpr state identity() const {
    state e{};
    for (A& s : e.sums) s = -A(0);  // −0 is the neutral element of floating addition
    return e;
  }
  TWOFOLD_HD constexpr state combine(const state& a, const state& b) const {
    state s = a;
    s.count += b.count;
    for (int k = 0; k < Order; ++k) s.sums[k] += b.sums[k];
    return s;
  }
  TWOFOLD_HD constexpr state finalize(const state& s) const { return s; }
};

//! @brief  Elements x about a reference g. A(g→h) is the Pascal matrix of d = g−h: S_k' = Σ_j C(k,j) d^(k−j) S_j.
//! @laws   A(g→g) = id by select; A(h→k)∘A(g→h) = A(g→k) since Pascal matrices of d and d' multiply to that of d + d'
//! @special references are always finite: an element that is not adds its infinity or NaN to the sums, where IEEE
//!         addition keeps it, whatever the schedule
//! @error  g−h is rounded relative to itself, so the spread of the data matters and its offset does not
//! @cost   act: Order·(Order+1)/2 fused multiply-adds
template <class X, class A, int Order>
struct power_sums {
  static_assert(Order >= 2, "TF1011: moments need at least order 2: take mean for order 1 (TF1011: twofold explain TF1011)");
  using reference = A;
  using value = power_sum_values<A, Order>;

  TWOFOLD_HD constexpr power_sum_monoid<A, Order> base() const { return {}; }
  TWOFOLD_HD constexpr A nowhere() const { return A(0); }
  TWOFOLD_HD constexpr bool nothing(const A&, const value& v) const { return v.count == 0; }
  TWOFOLD_HD constexpr bool valid(const value& v) const { return v.count >= 0; }
  TWOFOLD_HD constexpr A observe(const X& x) const {
    const A g = static_cast<A>(x);
    return math::is_finite(g) ? g : A(0);
  }
  TWOFOLD_HD constexpr void add(value& v, const A& g, const X& x) const {
    const A d = static_cast<A>(x) - g;
    A power = d;
    v.count += 1;
    for (int k = 0; k < Order; ++k, power *= d) v.sums[k] += power;
  }
  TWOFOLD_HD constexpr void act(const A& g, const A& h, value& v) const {
    if (g == h) return;
    const A d = g - h;
    for (int first = 0; first < Order; ++first)  // Order bidiagonal factors of the Pascal matrix
      for (int k = Order - 1; k >= first; --k) v.sums[k] = math::fma(d, k == 0 ? static_cast<A>(v.count) : v.sums[k - 1], v.sums[k]);
  }

  //! The reference at which S_1 vanishes: the mean; g itself where that is not finite.
  TWOFOLD_HD constexpr A centre(const A& g, const value& v) const { return finite_or(g + v.sums[0] / static_cast<A>(v.count), g); }
  //! The mean of two pieces, reached from the larger one.
  TWOFOLD_HD constexpr A centre(const A& g, const value& v, const A& h, const value& w) const {
    if (v.count < w.count) return centre(h, w, g, v);
    const A n = static_cast<A>(v.count) + static_cast<A>(w.count);
    const A moved = math::fma(h - g, static_cast<A>(w.count), v.sums[0] + w.sums[0]);
    return finite_or(g + moved / n, g);
  }
  //! 4·S_1² > n·S_2: the reference is more than half a root-mean-square away from the mean.
  TWOFOLD_HD constexpr bool off_centre(const value& v) const { return A(4) * v.sums[0] * v.sums[0] > static_cast<A>(v.count) * v.sums[1]; }
  //! Sums at one reference that differ by rounding only: S_k is measured by Σ|x−g|^k, for odd k by its Cauchy–Schwarz
  //! bound.
  TWOFOLD_HD bool near(const A&, const value& v, const value& w) const {
    if (v.count != w.count) return false;
    const auto even = [&](int k) { return k == 0 ? static_cast<A>(v.count) : v.sums[k - 1]; };
    for (int k = 1; k <= Order; ++k) {
      const A size = k % 2 == 0  ? even(k)
                     : k < Order ? math::sqrt(even(k - 1)) * math::sqrt(even(k + 1))
                                 : even(k - 1) * math::sqrt(even(2));
      if (!math::close(v.sums[k - 1], w.sums[k - 1], size)) return false;
    }
    return true;
  }

 private:
  TWOFOLD_HD static constexpr A finite_or(const A& x, const A& otherwise) { return math::is_finite(x) ? x : otherwise; }
};

TWOFOLD_END_NAMESPACE
