// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Running bounds for softmax and log-sum-exp: the error is one more twisted number, on which the same factor acts
//! (its square on the variance). The twist, its gauges and its leaves are the operators' own.
#pragma once

#include "twofold/numerics/certified/enclosure.hpp"
#include "twofold/ops/log_sum_exp.hpp"
#include "twofold/ops/softmax.hpp"

TWOFOLD_BEGIN_NAMESPACE
namespace detail {

//! log 2 and a little: pays for 2^e − 1 ≤ 0.6932·|e| and the products of errors, u·|x| ≤ 10^−5 where a weight is not 0.
inline constexpr double ln2_and_more = 0.6932;

//! The error of a factor 2^(g−h) in units of u: none where both are integers, whose difference and power are exact.
template <class T>
double factor_roundings(const T& g, const T& h, double exp2_roundings) {
  constexpr T whole = sizeof(T) == 4 ? T(0x1p22) : T(0x1p51);
  if (math::ceil(g) == g && math::ceil(h) == h && math::fabs(g) <= whole && math::fabs(h) <= whole) return 0;
  return exp2_roundings + ln2_and_more * math::fabs(static_cast<double>(g) - static_cast<double>(h));
}

//! A sum of weights with its error in units of u, and V in u².
template <class Inner>
struct certified_weights {
  Inner sum;
  double error;
  double variance;
  std::int64_t count;
  friend constexpr bool operator==(const certified_weights&, const certified_weights&) = default;
};

//! The module of exponential.hpp, with errors. `k` is the error of a weight or a factor in units of u; 0: exact.
template <class T, class Module>
struct certified_module;

template <class T>
struct certified_module<T, weight_sum<T>> {
  using state = certified_weights<T>;
  static constexpr bool commutative = true;
  weight_sum<T> of{};
  static constexpr bool bounded_sums = true;

  constexpr state identity() const { return {of.identity(), 0, 0, 0}; }
  constexpr state combine(const state& a, const state& b) const {
    state v = a;
    absorb(v, T(1), 0, b);
    return v;
  }
  constexpr state finalize(const state& v) const { return v; }
  constexpr void scale(state& v, const T& f, double k) const {
    const double factor = static_cast<double>(f), least = tiny_units<T> * (2 + static_cast<double>(v.sum) + v.error);
    of.scale(v.sum, f);
    const double l = static_cast<double>(v.sum), lost = k > 0 ? k * l : 0, rounded = k > 0 ? l : 0;
    v.error = (factor + factor * k * unit_of<T>)*v.error + ((lost + rounded) + least);
    v.variance = factor * factor * v.variance + (lost * lost + rounded * rounded);
  }
  constexpr void absorb(state& v, const T& f, double k, const state& w) const {
    const double factor = static_cast<double>(f), least = tiny_units<T> * (2 + static_cast<double>(w.sum) + w.error);
    of.absorb(v.sum, f, w.sum);
    const double lost = k * factor * static_cast<double>(w.sum), rounded = v.count > 0 ? static_cast<double>(v.sum) : 0;
    v.error += (factor + factor * k * unit_of<T>)*w.error + ((lost + rounded) + least);
    v.variance += factor * factor * w.variance + (lost * lost + rounded * rounded);
    v.count += w.count;
  }
  constexpr void add(state& v, const T& p, double k) const {
    of.add(v.sum, p);
    account(v, p, k, static_cast<double>(v.sum));
  }
  constexpr state bounded() const { return {of.bounded(), 0, 0, 0}; }
  constexpr void add_bounded(state& v, const T& p, double k) const {
    of.add_bounded(v.sum, p);
    account(v, p, k, static_cast<double>(v.sum));
  }
  constexpr void unbounded(state& v) const { v.sum = of.unbounded(v.sum); }
  static constexpr double amount(const state& v) { return static_cast<double>(v.sum); }

 private:
  static constexpr void account(state& v, const T& p, double k, double rounded) {
    const double lost = k * static_cast<double>(p);
    if (v.count == 0) rounded = 0;  // the first weight is stored, not added
    v.error += (lost + rounded) + tiny_units<T>;
    v.variance += lost * lost + rounded * rounded;
    v.count += 1;
  }
};

//! high + low: the high parts are summed exactly, so that only roundings of the low part are lost.
template <class T>
struct certified_module<T, compensated_weight_sum<T>> {
  using inner = typename compensated_weight_sum<T>::state;
  using state = certified_weights<inner>;
  static constexpr bool commutative = true;
  compensated_weight_sum<T> of{};

  constexpr state identity() const { return {of.identity(), 0, 0, 0}; }
  constexpr state combine(const state& a, const state& b) const {
    state v = a;
    absorb(v, T(1), 0, b);
    return v;
  }
  constexpr state finalize(const state& v) const { return v; }
  constexpr void scale(state& v, const T& f, double k) const {
    const double factor = static_cast<double>(f), least = tiny_units<T> * (3 + magnitude(v.sum.high) + v.error);
    const double product = magnitude(v.sum.low * f);
    of.scale(v.sum, f);
    const double lost = k * magnitude(v.sum.high), rounded = k > 0 ? product + magnitude(v.sum.low) : 0;
    v.error = (factor + factor * k * unit_of<T>)*v.error + ((lost + rounded) + least);
    v.variance = factor * factor * v.variance + (lost * lost + rounded * rounded);
  }
  constexpr void absorb(state& v, const T& f, double k, const state& w) const {
    state moved = w;
    scale(moved, f, k);
    of.add(v.sum, moved.sum.high);
    const double first = magnitude(v.sum.low);
    v.sum.low += moved.sum.low;
    if (!math::is_finite(v.sum.high)) v.sum.low = T(0);
    const double rounded = v.count > 0 ? first + magnitude(v.sum.low) : 0;
    v.error += moved.error + rounded;
    v.variance += moved.variance + rounded * rounded;
    v.count += w.count;
  }
  constexpr void add(state& v, const T& p, double k) const {
    of.add(v.sum, p);
    account(v, p, k, 0);
  }
  constexpr state bounded() const { return {of.bounded(), 0, 0, 0}; }
  constexpr void add_bounded(state& v, const T& p, double k) const {
    of.add_bounded(v.sum, p);
    account(v, p, k, p < T(2) ? 0 : 8 * static_cast<double>(p));  // the fast two-sum is exact only below 2
  }
  constexpr void unbounded(state& v) const {
    v.sum = of.unbounded(v.sum);
    v.error += magnitude(v.sum.low);
  }
  static constexpr double amount(const state& v) { return static_cast<double>(v.sum.high) + static_cast<double>(v.sum.low); }

 private:
  static constexpr double magnitude(const T& x) { return magnitude_of(x); }
  static constexpr void account(state& v, const T& p, double k, double more) {
    const double lost = k * static_cast<double>(p), rounded = magnitude(v.sum.low) + more;
    v.error += (lost + rounded) + tiny_units<T>;
    v.variance += lost * lost + rounded * rounded;
    v.count += 1;
  }
};

//! The twisting: exponential's scores and references, and sums that carry their errors.
template <class T, class Module>
struct certified_exponential {
  using reference = T;
  using sums_type = certified_module<T, Module>;
  using value = typename sums_type::state;
  exponential<T, Module> of{};
  sums_type sums{};
  double exp2_roundings = 1.03;  //!< relative error of this machine's exp2, in units of u (primitives.hpp)

  constexpr const sums_type& base() const { return sums; }
  constexpr T nowhere() const { return of.nowhere(); }
  constexpr bool nothing(const T& g, const value&) const { return g == -math::infinity<T>; }
  template <class... X>
  constexpr bool absent(const T& s, const X&...) const {
    return s == -math::infinity<T>;
  }
  template <class... X>
  constexpr T observe(const T& s, const X&...) const {
    return of.observe(s);
  }
  template <class... X>
  requires requires(const sums_type& m, value& v, const T& p, const X&... x) { m.add(v, p, 0.0, x...); }
  void add(value& v, const T& g, const T& s, const X&... x) const {
    const T e = of.score.exponent(s, g);
    // saturated, or so far from 0 that the reference itself is rounded by more than a weight: no guarantee
    const double k = of.score.plain(g) && s * of.score.scale <= math::largest<T> ? roundings(e) : math::infinity<double>;
    sums.add(v, math::exp2(e), k, x...);
  }
  void act(const T& g, const T& h, value& v) const {
    if (g != h) sums.scale(v, math::exp2(g - h), factor_roundings(g, h, exp2_roundings));
  }
  void absorb(value& v, const T& g, const T& h, const value& w) const {
    if (g == h) sums.absorb(v, T(1), 0, w);
    else sums.absorb(v, math::exp2(g - h), factor_roundings(g, h, exp2_roundings), w);
  }
  template <class Tile>
  constexpr T survey_largest(const Tile& tile) const {
    return of.survey_largest(tile);
  }
  template <class Tile>
  requires requires(const sums_type& m, value& v, const T& p) { m.add_bounded(v, p, 0.0); }
  value collect(const T& g, const Tile& tile) const {
    value v = sums.bounded();
    for (index i = 0, n = tile.size(); i < n; ++i)
      tile.apply(i, [&](const T& s) {
        const T e = of.score.plain_exponent(s, g);
        sums.add_bounded(v, math::exp2_flushed(e), e < T(-1074) ? 0 : roundings(e));  // an absent one weighs 0, exactly
      });
    sums.unbounded(v);
    return v;
  }
  constexpr bool collects_at(const T& g) const { return of.collects_at(g); }
  bool near(const T&, const value& v, const value& w) const {
    return enclosure<double>{sums_type::amount(v), error(v), 0}.near({sums_type::amount(w), error(w), 0});
  }
  //! The guaranteed error of a sum of weights, in its own unit.
  static double error(const value& v) { return paid_back(unit_of<T> * v.error, 12 * static_cast<double>(v.count) + 12); }
  static double deviation(const value& v) { return unit_of<T> * math::sqrt(v.variance); }
  //! |δc|/u of the scale against the real number it stands for.
  [[nodiscard]] double scale_roundings() const { return of.score.scale == static_cast<T>(math::log2_e) ? 0.2244 : 1.0001; }

 private:
  double roundings(const T& e) const { return exp2_roundings * (1 + 0x1p-16) + ln2_and_more * math::fabs(static_cast<double>(e)); }
};

//! |Δ ln(2^g·l)| in nats of natural_log, where l has relative error r: the logarithm of the error, and the roundings of the function.
template <class T>
double natural_log_error(const T& g, const T& high, const T& low, double relative, double answer, double count, double scale_roundings) {
  if (!(relative < 1) || !math::is_finite(g)) return math::infinity<double>;
  constexpr double u = unit_of<T>, log_roundings = 2;  // of math::log, generously: primitives.hpp
  const double log = math::fabs(static_cast<double>(math::log(high))), rest = math::fabs(static_cast<double>(low / high));
  const double at = math::fabs(static_cast<double>(g)), size = math::fabs(answer);
  const double rounded = (log_roundings + 3) * log + 4 * rest + (sizeof(T) == 4 ? 2e-7 * at * u : 1e-15 * at * u) + size;
  return or_none(-math::log1p(-relative) * (1 + 0x1p-40) +
                 u * (rounded + scale_roundings * (size + math::log(count < 1 ? 1 : count))) * (1 + 0x1p-20));
}

}  // namespace detail

//! The map of softmax, with a bound on the relative error of each of its weights.
template <class T>
struct certified_softmax_weights {
  softmax_weights<T> weights;
  enclosure<T> total;  //!< l at its reference
  double exp2_roundings;
  double scale_roundings;
  T operator()(const T& x) const { return weights(x); }
  //! Guaranteed relative error of weights(x); absolute underflow apart, below the smallest normal number.
  [[nodiscard]] double relative_error(const T& x) const {
    const double l = static_cast<double>(total.value), r = total.error / l;
    if (!(r < 1)) return math::infinity<double>;
    const double e = math::fabs(static_cast<double>(weights.score.exponent(x, weights.at))), u = detail::unit_of<T>;
    return detail::or_none((r / (1 - r) + u * (exp2_roundings + 1 + detail::ln2_and_more * e * (1 + scale_roundings))) * (1 + 1e-4));
  }
  [[nodiscard]] bool near(const certified_softmax_weights& o) const {
    if (weights.at == o.weights.at) return total.near(o.total);
    const double moved = static_cast<double>(math::exp2(o.weights.at - weights.at));
    return total.near({static_cast<T>(static_cast<double>(o.total.value) * moved), o.total.error * moved * (1 + 1e-6), 0});
  }
};

template <class T, class Gauge>
struct certified<softmax<T, Gauge>> : twist<detail::certified_exponential<T, weight_sum<T>>, Gauge> {
  using input = T;
  using base = twist<detail::certified_exponential<T, weight_sum<T>>, Gauge>;
  using typename base::state;
  static constexpr const char* tag = "certified_softmax";
  constexpr certified() = default;
  constexpr explicit certified(const softmax<T, Gauge>& r) { this->how.of = r.how, this->gauge = r.gauge; }
  certified_softmax_weights<T> finalize(const state& s) const {
    const softmax<T, Gauge> plain{{this->how.of, this->gauge}};
    const auto& v = s.amount;
    return {plain.finalize({s.at, v.sum}),
            {v.sum, this->how.error(v), this->how.deviation(v)},
            this->how.exp2_roundings,
            this->how.scale_roundings()};
  }
};

template <class T, class Gauge>
struct certified<log_sum_exp<T, Gauge>> : twist<detail::certified_exponential<T, compensated_weight_sum<T>>, Gauge> {
  using input = T;
  using base = twist<detail::certified_exponential<T, compensated_weight_sum<T>>, Gauge>;
  using typename base::state;
  static constexpr const char* tag = "certified_log_sum_exp";
  constexpr certified() = default;
  constexpr explicit certified(const log_sum_exp<T, Gauge>& r) { this->how.of = r.how, this->gauge = r.gauge; }
  enclosure<T> finalize(const state& s) const {
    const auto& v = s.amount;
    const T answer = natural_log(s.at, v.sum.high, v.sum.low);
    if (this->empty(s)) return {answer, 0, 0};
    const double l = this->how.sums.amount(v), e = this->how.error(v);
    const double relative = e < l ? e / (l - e) : math::infinity<double>;
    return {answer,
            detail::natural_log_error(s.at, v.sum.high, v.sum.low, relative < 1 ? e / l : relative, static_cast<double>(answer),
                                      static_cast<double>(v.count), this->how.scale_roundings()),
            math::sqrt(square(this->how.deviation(v) / l) + square(detail::unit_of<T> * static_cast<double>(answer)))};
  }

 private:
  static constexpr double square(double x) { return x * x; }
};

TWOFOLD_END_NAMESPACE
