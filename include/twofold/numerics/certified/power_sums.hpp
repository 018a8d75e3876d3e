// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Running bounds for Welford's variance and higher moments: an error for every power sum, carried from reference
//! to reference by the absolute values of the same shift matrix.
#pragma once

#include "twofold/numerics/certified/enclosure.hpp"
#include "twofold/ops/moments.hpp"
#include "twofold/ops/welford.hpp"

TWOFOLD_BEGIN_NAMESPACE
namespace detail {

//! n, S_1 … S_Order, their errors in units of u, and V in u².
template <class A, int Order>
struct certified_powers {
  power_sum_values<A, Order> powers;
  double errors[Order];
  double variances[Order];
  TWOFOLD_HD friend constexpr bool operator==(const certified_powers& a, const certified_powers& b) {
    for (int k = 0; k < Order; ++k)
      if (!(a.errors[k] == b.errors[k]) || !(a.variances[k] == b.variances[k])) return false;
    return a.powers == b.powers;
  }
};

template <class X, class A, int Order>
struct certified_power_sums {
  using inner = power_sums<X, A, Order>;
  using reference = A;
  using value = certified_powers<A, Order>;
  inner of{};

  //! Sums of neighbours: every addition rounds.
  struct monoid {
    using state = value;
    static constexpr bool commutative = true;
    constexpr state identity() const { return {power_sum_monoid<A, Order>{}.identity(), {}, {}}; }
    constexpr state combine(const state& a, const state& b) const {
      state s{power_sum_monoid<A, Order>{}.combine(a.powers, b.powers), {}, {}};
      for (int k = 0; k < Order; ++k) {
        const double size = magnitude_of(s.powers.sums[k]);
        s.errors[k] = (a.errors[k] + b.errors[k]) + size;
        s.variances[k] = (a.variances[k] + b.variances[k]) + size * size;
      }
      return s;
    }
    constexpr state finalize(const state& s) const { return s; }
  };

  constexpr monoid base() const { return {}; }
  constexpr A nowhere() const { return of.nowhere(); }
  constexpr bool nothing(const A&, const value& v) const { return v.powers.count == 0; }
  constexpr bool valid(const value& v) const { return of.valid(v.powers); }
  constexpr A observe(const X& x) const { return of.observe(x); }
  //! d = x − g rounds once and d^k (2k − 1) times in all; then the sum rounds. (An element that is its own reference has d = 0.) The
  //! roundings of one sum count together in V.
  constexpr void add(value& v, const A& g, const X& x) const {
    const A d = static_cast<A>(x) - g;
    of.add(v.powers, g, x);
    A power = d;
    for (int k = 0; k < Order; ++k, power *= d) {
      const double roundings = (2 * k + 1) * (1 + 0x1p-20), least = k > 0 ? (k + 1) * tiny_units<A> : 0;
      const double lost = roundings * magnitude_of(power) + (magnitude_of(v.powers.sums[k]) + least);
      v.errors[k] += lost;
      v.variances[k] += lost * lost;
    }
  }
  constexpr void act(const A& g, const A& h, value& v) const {
    if (g == h) return;
    const A d = g - h, part = d - g;
    shift(v, d, magnitude_of(A((g - (d - part)) + (-h - part))) / unit_of<A>);  // what the difference lost, exactly
  }
  //! The action of a shift d that is off by at most d_error (units of u).
  constexpr void shift(value& v, const A& d, double d_error) const {
    const double size = magnitude_of(d);
    const A count = static_cast<A>(v.powers.count);
    const double count_error = static_cast<std::int64_t>(count) == v.powers.count ? 0 : magnitude_of(count);
    for (int i = 0; i < Order; ++i)
      for (int k = Order - 1; k >= i; --k) {
        const A lower = k == 0 ? count : v.powers.sums[k - 1];
        const double lower_error = k == 0 ? count_error : v.errors[k - 1], lower_variance = k == 0 ? 0 : v.variances[k - 1];
        v.powers.sums[k] = math::fma(d, lower, v.powers.sums[k]);
        const double rounded = magnitude_of(v.powers.sums[k]), moved = d_error * magnitude_of(lower);
        v.errors[k] += (size * lower_error + (moved + d_error * unit_of<A> * lower_error)) + (rounded + tiny_units<A>);
        v.variances[k] += size * size * lower_variance + (moved * moved + rounded * rounded);
      }
  }
  template <class Tile>
  requires requires(const inner& how, const Tile& tile) { how.survey_mean(tile); }
  constexpr auto survey_mean(const Tile& tile) const { return of.survey_mean(tile); }
  template <class Survey>
  constexpr Survey join_means(const Survey& a, const Survey& b) const {
    return of.join_means(a, b);
  }
  template <class Survey>
  constexpr A centre(const Survey& p) const {
    return of.centre(p);
  }
  constexpr A centre(const A& g, const value& v) const { return of.centre(g, v.powers); }
  constexpr A centre(const A& g, const value& v, const A& h, const value& w) const { return of.centre(g, v.powers, h, w.powers); }
  constexpr bool off_centre(const value& v) const { return of.off_centre(v.powers); }
  bool near(const A&, const value& v, const value& w) const {
    bool all = v.powers.count == w.powers.count;
    for (int k = 0; all && k < Order; ++k) all = enclosure<A>{v.powers.sums[k], error(v, k), 0}.near({w.powers.sums[k], error(w, k), 0});
    return all;
  }
  //! The guaranteed error of S_(k+1).
  static double error(const value& v, int k) {
    return paid_back(unit_of<A> * v.errors[k], 16 * Order * (static_cast<double>(v.powers.count) + 1));
  }
};

//! Roundings of x/n where n is a count: the quotient's, and the count's where it has too many bits.
template <class A>
double quotient_roundings(std::int64_t n) {
  return static_cast<std::int64_t>(static_cast<A>(n)) == n ? 1 : 2.01;
}

}  // namespace detail

//! Count, mean and variance, each with its error.
template <class A>
struct certified_variance {
  std::int64_t count;
  enclosure<A> mean;
  enclosure<A> variance;
  [[nodiscard]] bool near(const certified_variance& o) const { return count == o.count && mean.near(o.mean) && variance.near(o.variance); }
};

template <class X, class A, class Gauge>
struct certified<welford<X, A, Gauge>> : twist<detail::certified_power_sums<X, A, 2>, Gauge> {
  using input = X;
  using typename twist<detail::certified_power_sums<X, A, 2>, Gauge>::state;
  static constexpr const char* tag = "certified_welford";
  int correction = 1;
  constexpr certified() = default;
  constexpr explicit certified(const welford<X, A, Gauge>& r) : correction(r.correction) { this->how.of = r.how, this->gauge = r.gauge; }

  //! M2 = S2 − S1²/n, in units of the elements' squares.
  enclosure<A> m2(const state& s) const {
    const auto& v = s.amount;
    const A n = static_cast<A>(v.powers.count), s1 = v.powers.sums[0];
    const double u = detail::unit_of<A>, e1 = this->how.error(v, 0), offset = detail::magnitude_of(A(s1 / n)),
                 count = static_cast<double>(v.powers.count);
    const A square = twofold::detail::from_squares(v.powers.sums[1] - s1 * (s1 / n), s1);
    const double size = detail::magnitude_of(s1) * offset;
    const double rounded =
        u * (size * (detail::quotient_roundings<A>(v.powers.count) + 1) + detail::magnitude_of(square)) + u * detail::tiny_units<A>;
    const double error = this->how.error(v, 1) + (2 * offset + e1 / count) * e1 + rounded;
    const double variance = u * u * (v.variances[1] + 4 * offset * offset * v.variances[0]) + rounded * rounded;
    return {square, detail::or_none(error * (1 + 1e-6)), math::sqrt(variance)};
  }
  certified_variance<A> finalize(const state& s) const {
    const auto& v = s.amount;
    const std::int64_t n = v.powers.count;
    if (n == 0) return {0, {math::nan<A>, 0, 0}, {math::nan<A>, 0, 0}};
    const double u = detail::unit_of<A>, count = static_cast<double>(n);
    const A offset = v.powers.sums[0] / static_cast<A>(n), mean = s.at + offset;
    const double rounded =
        u * (detail::quotient_roundings<A>(n) * detail::magnitude_of(offset) + detail::magnitude_of(mean)) + u * detail::tiny_units<A>;
    const enclosure<A> of_mean{mean, detail::or_none((this->how.error(v, 0) / count + rounded) * (1 + 1e-6)),
                               math::sqrt(u * u * v.variances[0] / (count * count) + rounded * rounded)};
    if (n <= correction) return {n, of_mean, {math::nan<A>, 0, 0}};
    const enclosure<A> square = m2(s);
    const double weight = static_cast<double>(n - correction);
    const A variance = square.value / static_cast<A>(n - correction);
    const double last = u * detail::quotient_roundings<A>(n - correction) * detail::magnitude_of(variance) + u * detail::tiny_units<A>;
    return {n, of_mean, {variance, detail::or_none((square.error / weight + last) * (1 + 1e-6)), square.deviation / weight + last}};
  }
};

//! Count, mean and central moments, each with its error.
template <class A, int Order>
struct certified_moments {
  std::int64_t count;
  enclosure<A> mean;
  enclosure<A> central[Order + 1];
  [[nodiscard]] bool near(const certified_moments& o) const {
    bool all = count == o.count && mean.near(o.mean);
    for (int k = 2; k <= Order; ++k) all = all && central[k].near(o.central[k]);
    return all;
  }
};

template <class X, int Order, class A, class Gauge>
struct certified<moments<X, Order, A, Gauge>> : twist<detail::certified_power_sums<X, A, Order>, Gauge> {
  using input = X;
  using typename twist<detail::certified_power_sums<X, A, Order>, Gauge>::state;
  static constexpr const char* tag = "certified_moments";
  constexpr certified() = default;
  constexpr explicit certified(const moments<X, Order, A, Gauge>& r) { this->how.of = r.how, this->gauge = r.gauge; }
  certified_moments<A, Order> finalize(const state& s) const {
    const moments<X, Order, A, Gauge> plain{{this->how.of, this->gauge}};
    const auto answer = plain.finalize({s.at, s.amount.powers});
    certified_moments<A, Order> r{answer.count, {answer.mean, 0, 0}, {}};
    for (int k = 0; k <= Order; ++k) r.central[k] = {answer.central[k], 0, 0};
    if (answer.count == 0) return r;
    const double u = detail::unit_of<A>, count = static_cast<double>(answer.count), quotient = detail::quotient_roundings<A>(answer.count);
    auto v = s.amount;
    const A offset = v.powers.sums[0] / static_cast<A>(answer.count);
    const double offset_error =
        (this->how.error(v, 0) / count / u + quotient * detail::magnitude_of(offset) + detail::tiny_units<A>)*(1 + 1e-6);
    r.mean.error = detail::or_none(u * (offset_error + detail::magnitude_of(answer.mean)) * (1 + 1e-6));
    r.mean.deviation =
        u * math::sqrt(v.variances[0] / (count * count) + detail::magnitude_of(answer.mean) * detail::magnitude_of(answer.mean));
    if (offset != A(0)) this->how.shift(v, A(0) - offset, offset_error);
    else this->how.shift(v, A(0), offset_error);
    for (int k = 2; k <= Order; ++k) {
      const double last = u * quotient * detail::magnitude_of(answer.central[k]) + u * detail::tiny_units<A>;
      r.central[k].error = detail::or_none((this->how.error(v, k - 1) / count + last) * (1 + 1e-6));
      r.central[k].deviation = u * math::sqrt(v.variances[k - 1]) / count + last;
    }
    return r;
  }
};

TWOFOLD_END_NAMESPACE
