// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The twisting of softmax, log-sum-exp and attention: positive factors 2^(g−h) acting on sums of weights. All
//! exponents are in log2 units: a score s stands for the weight 2^(s·scale), scale = log2(e)·(score factor), rounded
//! once.
#pragma once

#include "twofold/algebra/math.hpp"
#include "twofold/algebra/reduction.hpp"

TWOFOLD_BEGIN_NAMESPACE

//! Scores in log2 units. `observe` and `exponent` use one and the same product s·scale, so that leaf and rescale
//! cannot disagree.
template <class T>
struct score_scale {
  template <template <class> class Lanes>
  using over = score_scale<Lanes<T>>;
  T scale = static_cast<T>(math::log2_e);

  //! fl(s·scale), kept finite for finite s: −FLT_MAX is a score, not a mask.
  TWOFOLD_HD constexpr T log2_of(const T& s) const {
    const T y = s * scale;
    if (math::is_finite(y) || !math::is_finite(s)) return y;
    return y < T(0) ? -math::largest<T> : math::largest<T>;
  }
  //! s·scale − g with one rounding. The element at the reference has exponent 0 even where that is +inf. At far references the rounding
  //! error of g itself would be a large exponent: there the product is rounded as g was.
  TWOFOLD_HD constexpr T exponent(const T& s, const T& g) const {
    const T y = s * scale;
    if (math::is_finite(y) && plain(g)) return math::fma(s, scale, -g);
    const T bounded = log2_of(s);
    return bounded == g ? T(0) : bounded - g;
  }
  TWOFOLD_HD T weight(const T& s, const T& g) const { return math::exp2(exponent(s, g)); }
  //! At such a reference (not infinite, not so large that half an ulp of it is more than 1/2) every exponent is one multiply-add: a product
  //! that overflows lies too far below g.
  TWOFOLD_HD constexpr bool plain(const T& g) const { return g < T(1) / math::unit_roundoff<T> && g > T(-1) / math::unit_roundoff<T>; }
  TWOFOLD_HD T plain_exponent(const T& s, const T& g) const { return math::fma(s, scale, -g); }
};

namespace detail {
//! Module over other numbers, where it says how.
template <class Module, template <class> class Lanes>
struct module_over {};
template <class Module, template <class> class Lanes>
requires requires { typename Module::template over<Lanes>; }
struct module_over<Module, Lanes> {
  using type = typename Module::template over<Lanes>;
};
}  // namespace detail

//! @brief  Weights 2^(s·scale − g) collected by Module, on which positive factors act: A(g→h) multiplies by 2^(g−h).
//! @laws   A(g→g) = id by select; the cocycle law is 2^(g−h)·2^(h−k) = 2^(g−k)
//! @special a score of −inf is absent; all −inf (or none) is the empty state; NaN stays NaN in every schedule; of
//!         +inf scores each counts 1 and all others 0, at reference +inf: finalize decides what that means
//!
//! Module: a commutative monoid with scale(v, f): v ← f·v; absorb(v, f, w): v ← v + f·w; add(v, p, x…): v ← v + p·(1,
//! x…)
template <class T, class Module>
struct exponential {
  using reference = T;
  using value = typename Module::state;
  template <template <class> class Lanes>
  using over = exponential<Lanes<T>, typename detail::module_over<Module, Lanes>::type>;
  score_scale<T> score{};
  Module sums{};

  TWOFOLD_HD constexpr const Module& base() const { return sums; }
  TWOFOLD_HD constexpr T nowhere() const { return -math::infinity<T>; }
  TWOFOLD_HD constexpr bool nothing(const T& g, const value&) const { return g == -math::infinity<T>; }

  template <class... X>
  TWOFOLD_HD constexpr bool absent(const T& s, const X&...) const {
    return s == -math::infinity<T>;
  }
  template <class... X>
  TWOFOLD_HD constexpr T observe(const T& s, const X&...) const {
    return score.log2_of(s);
  }
  template <class... X>
  requires requires(const Module& m, value& v, const T& p, const X&... x) { m.add(v, p, x...); }
  TWOFOLD_HD void add(value& v, const T& g, const T& s, const X&... x) const { sums.add(v, score.weight(s, g), x...); }
  TWOFOLD_HD void act(const T& g, const T& h, value& v) const {
    if (g != h) sums.scale(v, math::exp2(g - h));
  }
  TWOFOLD_HD void absorb(value& v, const T& g, const T& h, const value& w) const { sums.absorb(v, g == h ? T(1) : math::exp2(g - h), w); }
  TWOFOLD_HD bool near(const T&, const value& v, const value& w) const { return sums.near(v, w); }

  //! The largest reference that elements of the tile observe, −inf where none is visible. Scaling is monotone: scores are compared raw.
  template <class Tile>
  TWOFOLD_HD constexpr T survey_largest(const Tile& tile) const {
    T most = -math::infinity<T>;
    if (score.scale > T(0)) {
      if constexpr (requires { tile.largest(); }) most = tile.largest();
      else TWOFOLD_UNROLL
      for (index i = 0, n = tile.size(); i < n; ++i) tile.apply(i, [&](const T& s, const auto&...) { most = later(most, s); });
      return most == -math::infinity<T> ? most : score.log2_of(most);
    }
    TWOFOLD_UNROLL
    for (index i = 0, n = tile.size(); i < n; ++i)
      tile.apply(i, [&](const T& s, const auto&...) {
        if (!absent(s)) most = later(most, observe(s));
      });
    return most;
  }
  //! Σ of the weights at g, where no element observes more than g; absent ones weigh 0. Only where collects_at(g).
  template <class Tile>
  requires requires(const Module& m, value& v, const T& p) { m.add_bounded(v, p); }
  TWOFOLD_HD value collect(const T& g, const Tile& tile) const {
    if constexpr (requires { Tile::together(); }) {  // a tile that hands out some elements at once wants them added first
      constexpr int E = Tile::together();
      value v = sums.bounded(T(E));
      TWOFOLD_UNROLL
      for (int k = 0; k < static_cast<int>(tile.size()) / E; ++k)
        tile.apply_together(k, [&](const T(&x)[E]) {
          T p[E];
          TWOFOLD_UNROLL
          for (int e = 0; e < E; ++e) p[e] = math::exp2_flushed(score.plain_exponent(x[e], g));
          TWOFOLD_UNROLL
          for (int n = E, half = (n + 1) / 2; n > 1; n = half, half = (n + 1) / 2) TWOFOLD_UNROLL
          for (int e = 0; e < n - half; ++e) p[e] += p[e + half];
          sums.add_bounded(v, p[0]);
        });
      return sums.unbounded(v, T(E));
    } else {
      value v = sums.bounded();
      TWOFOLD_UNROLL
      for (index i = 0, n = tile.size(); i < n; ++i)
        tile.apply(i, [&](const T& s) { sums.add_bounded(v, math::exp2_flushed(score.plain_exponent(s, g))); });
      return sums.unbounded(v);
    }
  }
  //! Are sums at reference g as good at k, and weights there one multiply-add and one exponential?
  TWOFOLD_HD constexpr bool keeps_at(const T& g, const T& k) const { return collects_at(k) && k - g <= T(64); }
  TWOFOLD_HD void add_settled(value& v, const T& g, const T& s) const requires requires(const Module& m, value& sum, const T& p) {
    m.add_finite(sum, p);
  }
  { sums.add_finite(v, math::exp2_flushed(score.plain_exponent(s, g))); }
  //! The same where the sum outweighs every element that is still to come at its reference.
  TWOFOLD_HD bool outweighs(const value& v) const requires requires(const Module& m) { m.outweighs(v); }
  { return sums.outweighs(v); }
  TWOFOLD_HD void add_outweighed(value& v, const T& g, const T& s) const {
    sums.add_bounded(v, math::exp2_flushed(score.plain_exponent(s, g)));
  }
  TWOFOLD_HD constexpr bool collects_at(const T& g) const { return score.plain(g) && score.scale > T(0); }
  TWOFOLD_HD static constexpr T unseen() { return -math::infinity<T>; }

  //! @name collect in pieces, for a tile walked by vector lanes at a reference that is known before the tile is: weights are then not
  //! bounded by 1 but found to be at most 2^8 afterwards, or the tile is collected once more, at its own reference.
  //! @{
  static constexpr int head_room = 256;
  TWOFOLD_HD value begin_collecting() const requires requires(const Module& m) { m.bounded(T(head_room)); }
  { return sums.bounded(T(head_room)); }
  TWOFOLD_HD __attribute__((always_inline)) void collect_one(value& v, const T& g, const T& s) const {
    sums.add_bounded(v, math::exp2_flushed(score.plain_exponent(s, g)));
  }
  //! False (in a lane) where a weight may have been larger, or was NaN.
  TWOFOLD_HD auto collected_well(const value& v) const { return sums.bounded_sum(v, T(head_room)) <= T(head_room); }
  TWOFOLD_HD value end_collecting(const value& v) const { return sums.unbounded(v, T(head_room)); }
  //! @}

 private:
  TWOFOLD_HD static constexpr T later(const T& a, const T& b) {
#if defined(__CUDA_ARCH__)
    if constexpr (std::is_same_v<T, float>)
      if (!__builtin_is_constant_evaluated()) return math::larger_or_nan(a, b);
#endif
    return a < b || b != b ? b : a;
  }
};

//! Σ p as one number: enough for softmax.
template <class T>
struct weight_sum {
  using state = T;
  template <template <class> class Lanes>
  using over = weight_sum<Lanes<T>>;
  static constexpr bool commutative = true;
  static constexpr bool symmetric = true;
  TWOFOLD_HD constexpr T identity() const { return T(0); }
  TWOFOLD_HD constexpr T combine(const T& a, const T& b) const { return a + b; }
  TWOFOLD_HD constexpr T finalize(const T& v) const { return v; }
  TWOFOLD_HD constexpr void scale(T& v, const T& f) const { v *= f; }
  TWOFOLD_HD constexpr void absorb(T& v, const T& f, const T& w) const { v = math::fma(f, w, v); }
  TWOFOLD_HD constexpr void add(T& v, const T& p) const { v += p; }
  //! @name Sums of weights that are at most `most`.
  //! @{
  TWOFOLD_HD constexpr T bounded(const T& = T(1)) const { return T(0); }
  TWOFOLD_HD constexpr void add_bounded(T& v, const T& p) const { v += p; }
  TWOFOLD_HD constexpr T bounded_sum(const T& v, const T&) const { return v; }
  TWOFOLD_HD constexpr T unbounded(const T& v, const T& = T(1)) const { return v; }
  //! @}
  TWOFOLD_HD constexpr bool near(const T& v, const T& w) const { return math::close(v, w, v); }
};

//! Σ p as high + low: keeps e^(−40) beside 1, so that its logarithm is 4·10^−18 and not 0.
template <class T>
struct compensated_weight_sum {
  template <template <class> class Lanes>
  using over = compensated_weight_sum<Lanes<T>>;
  struct state {
    T high;
    T low;
    friend constexpr bool operator==(const state&, const state&) = default;
  };
  static constexpr bool commutative = true;
  static constexpr bool symmetric = false;  // high is, low is summed in the order of the arguments
  TWOFOLD_HD constexpr state identity() const { return {T(0), T(0)}; }
  TWOFOLD_HD constexpr state combine(const state& a, const state& b) const {
    state v = a;
    add(v, b.high);
    v.low += b.low;
    settle(v);
    return v;
  }
  TWOFOLD_HD constexpr T finalize(const state& v) const { return v.high + v.low; }
  TWOFOLD_HD constexpr void scale(state& v, const T& f) const {
    const T high = v.high * f;
    v.low = math::fma(v.high, f, -high) + v.low * f;  // the product's own error is kept too
    v.high = high;
    settle(v);
  }
  TWOFOLD_HD constexpr void absorb(state& v, const T& f, const state& w) const {
    state moved = w;
    scale(moved, f);
    add(v, moved.high);
    v.low += moved.low;
    settle(v);
  }
  TWOFOLD_HD constexpr void add(state& v, const T& p) const {
    add_finite(v, p);
    settle(v);
  }
  TWOFOLD_HD constexpr void add_finite(state& v, const T& p) const {
    const T sum = v.high + p, p_part = sum - v.high;
    v.low += (v.high - (sum - p_part)) + (p - p_part);
    v.high = sum;
  }
  //! @name Sums of weights at most `most`, a power of two: counted from it, so that the running sum is never the smaller summand and its
  //! rounding error takes three operations (Dekker's fast two-sum) instead of six.
  //! @{
  TWOFOLD_HD constexpr state bounded(const T& most = T(1)) const { return {most, T(0)}; }
  TWOFOLD_HD constexpr void add_bounded(state& v, const T& p) const {
    const T sum = v.high + p;
    v.low += p - (sum - v.high);
    v.high = sum;
  }
  TWOFOLD_HD constexpr T bounded_sum(const state& v, const T& most) const { return v.high - most; }
  //! Weights are at most 1: the sum itself is then what they are counted from.
  TWOFOLD_HD constexpr bool outweighs(const state& v) const { return v.high >= T(1); }
  TWOFOLD_HD constexpr state unbounded(const state& v, const T& most = T(1)) const {
    state w{v.high - most, v.low};
    const T low = w.low + ((v.high - w.high) - most);  // of weights far below `most` all is here: it may be large beside w.high
    w.low = T(0);
    add(w, low);
    return w;
  }
  //! @}
  TWOFOLD_HD constexpr bool near(const state& v, const state& w) const { return math::close(v.high + v.low, w.high + w.low, v.high); }

 private:
  //! The error of an infinite or NaN sum is not a number: drop it.
  TWOFOLD_HD static constexpr void settle(state& v) { v.low = math::select(math::is_finite(v.high), v.low, T(0)); }
};

//! ln(2^g·l) from ln l; ln 2 has two parts.
template <class T>
TWOFOLD_HD T natural_log_at(const T& g, const T& log) {
  constexpr T ln2_high = static_cast<T>(math::ln_2);
  constexpr T ln2_low =
      std::is_same_v<T, float> ? static_cast<T>(math::ln_2 - static_cast<double>(ln2_high)) : static_cast<T>(0x1.abc9e3b39803fp-56);
  return math::fma(g, ln2_high, math::fma(g, ln2_low, log));
}

//! ln(2^g·(high + low)), accurate where the result is near 0: low/high is added to the logarithm.
//! @error  2u|result| + u|ln(high)| where g·ln 2 and ln(high) do not cancel
template <class T>
TWOFOLD_HD T natural_log(const T& g, const T& high, const T& low) {
  if (!(g < math::infinity<T>) || g == -math::infinity<T>) return g;  // empty: −inf; +inf; NaN
  return natural_log_at(g, math::log(high) + low / high);
}
//! The same where g is finite and high a normal number.
template <class T>
TWOFOLD_HD T natural_log_settled(const T& g, const T& high, const T& low) {
  const math::log_parts<T> log = math::log_normal(high, g);
  return natural_log_at(log.exponent, math::fma(low, math::near_reciprocal(high), log.rest));
}

TWOFOLD_END_NAMESPACE
