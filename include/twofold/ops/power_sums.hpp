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
  static constexpr bool symmetric = true;
  TWOFOLD_HD constexpr state identity() const {
    state e{};
    TWOFOLD_UNROLL
    for (A& s : e.sums) s = -A(0);  // −0 is the neutral element of floating addition
    return e;
  }
  TWOFOLD_HD constexpr state combine(const state& a, const state& b) const {
    state s = a;
    combine_into(s, b);
    return s;
  }
  TWOFOLD_HD constexpr void combine_into(state& s, const state& b) const {
    s.count += b.count;
    TWOFOLD_UNROLL
    for (int k = 0; k < Order; ++k) s.sums[k] += b.sums[k];
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
  template <template <class> class Lanes>
  using over = power_sums<Lanes<X>, Lanes<A>, Order>;

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
    TWOFOLD_UNROLL
    for (int k = 0; k < Order; ++k, power *= d) v.sums[k] += power;
  }
  TWOFOLD_HD constexpr void act(const A& g, const A& h, value& v) const {
    if (g == h) return;
    const A d = g - h;
    for_each_step([&](int k) { v.sums[k] = math::fma(d, k == 0 ? static_cast<A>(v.count) : v.sums[k - 1], v.sums[k]); });
  }

  //! What part of a tile says of the mean: n and Σ (x − pivot), the pivot an element of the part.
  struct pivoted {
    std::int64_t count;
    A pivot;
    A sum;
  };
  //! The same where all parts of a tile know one pivot (`tile.pivot()`, an element of it): joining is adding.
  struct commonly_pivoted {
    std::int64_t count;
    A pivot;
    A sum;
    static constexpr bool symmetric = true;
  };
  template <class Tile>
  requires requires(const Tile& tile) { tile.pivot(); }
  TWOFOLD_HD constexpr commonly_pivoted survey_mean(const Tile& tile) const {
    commonly_pivoted p{0, observe(tile.pivot()), A(0)};
    TWOFOLD_UNROLL
    for (index i = 0, n = tile.size(); i < n; ++i)
      tile.apply(i, [&](const X& x) {
        p.count += 1;
        p.sum += static_cast<A>(x) - p.pivot;
      });
    return p;
  }
  TWOFOLD_HD constexpr commonly_pivoted join_means(const commonly_pivoted& a, const commonly_pivoted& b) const {
    return {a.count + b.count, a.pivot, a.sum + b.sum};
  }
  template <class Tile>
  TWOFOLD_HD constexpr pivoted survey_mean(const Tile& tile) const {
    pivoted p{0, A(0), A(0)};
    TWOFOLD_UNROLL
    for (index i = 0, n = tile.size(); i < n; ++i)
      tile.apply(i, [&](const X& x) {
        if (p.count == 0) p.pivot = observe(x);
        p.count += 1;
        p.sum += static_cast<A>(x) - p.pivot;
      });
    return p;
  }
  TWOFOLD_HD constexpr pivoted join_means(const pivoted& a, const pivoted& b) const {
    if (b.count == 0) return a;
    if (a.count == 0) return b;
    return {a.count + b.count, a.pivot, a.sum + math::fma(static_cast<A>(b.count), b.pivot - a.pivot, b.sum)};
  }
  template <class Pivoted>
  TWOFOLD_HD constexpr A centre(const Pivoted& p) const {
    return finite_or(p.pivot + p.sum / static_cast<A>(p.count), p.pivot);
  }

  //! The reference at which S_1 vanishes: the mean; g itself where that is not finite.
  TWOFOLD_HD constexpr A centre(const A& g, const value& v) const { return finite_or(g + v.sums[0] / static_cast<A>(v.count), g); }
  //! The mean of two pieces, reached from the larger one.
  TWOFOLD_HD constexpr A centre(const A& g, const value& v, const A& h, const value& w) const {
    const bool right = v.count < w.count;
    const A n_left = static_cast<A>(v.count), n_right = static_cast<A>(w.count), n = n_left + n_right;
    const A from = right ? A(h) : A(g), to = right ? A(g) : A(h), count = right ? A(n_left) : A(n_right);
    const A moved = math::fma(to - from, count, v.sums[0] + w.sums[0]);
    return finite_or(from + moved / n, from);
  }
  //! 4·S_1² > n·S_2: the reference is more than half a root-mean-square away from the mean.
  TWOFOLD_HD constexpr bool off_centre(const value& v) const { return A(4) * v.sums[0] * v.sums[0] > static_cast<A>(v.count) * v.sums[1]; }
  //! The reference is more than two standard deviations away from the mean: S_2 − S_1²/n would lose three bits or more.
  TWOFOLD_HD constexpr bool far_off_centre(const value& v) const {
    const A each = A(1) / static_cast<A>(v.count), off = v.sums[0] * each;
    return off * off > A(0.8) * (v.sums[1] * each);
  }
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
  //! The sums that the Order bidiagonal factors of the Pascal matrix change, one after the other: all but the first `first` for each
  //! factor, from the last down. Bounds are constants, so that a compiler keeps v in registers.
  template <class F>
  TWOFOLD_HD static constexpr void for_each_step(const F& step) {
    TWOFOLD_UNROLL
    for (int i = 0; i < Order * Order; ++i) {
      const int first = i / Order, k = Order - 1 - i % Order;
      if (k >= first) step(k);
    }
  }
  TWOFOLD_HD static constexpr A finite_or(const A& x, const A& otherwise) { return math::is_finite(x) ? x : otherwise; }
};

TWOFOLD_END_NAMESPACE
