// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Softmax and log-softmax: a reduction whose answer is the map to apply to every element.
#pragma once

#include "twofold/algebra/twist.hpp"
#include "twofold/ops/exponential.hpp"

TWOFOLD_BEGIN_NAMESPACE

//! The map x ↦ exp(x)/Σ exp(x_i), closed over the state (M, l).
template <class T>
struct softmax_weights {
  template <template <class> class Lanes>
  using over = softmax_weights<Lanes<T>>;
  score_scale<T> score;
  T at;     //!< M, log2 units; −inf where nothing was visible
  T total;  //!< l
  //! Weight of an element; 0 for every element of an empty or all-masked row.
  TWOFOLD_HD T operator()(const T& x) const { return at == -math::infinity<T> ? T(0) : score.weight(x, at) / total; }
  //! @name For loops over many elements: where plain() holds, plain(x) is the same weight without special cases (the quotient by one
  //! reciprocal and one correction: one ulp).
  //! @{
  TWOFOLD_HD bool plain() const { return score.plain(at); }
  TWOFOLD_HD T plain(const T& x) const { return share(math::exp2(score.plain_exponent(x, at))); }
  //! The same for results that are rounded to fewer digits: weights below the smallest normal number are 0, and the quotient is a product
  //! with the reciprocal (two ulps).
  TWOFOLD_HD T plain_narrow(const T& x) const { return math::exp2_flushed(score.plain_exponent(x, at)) * (T(1) / total); }
  //! w/total.
  TWOFOLD_HD T share(const T& w) const {
    const T reciprocal = T(1) / total, q = w * reciprocal;
    return math::fma(math::fma(-q, total, w), reciprocal, q);
  }
  //! @}
};

//! @brief  Softmax of a row: reduce, then apply the answer to every element.
//! @math   w_i = exp(x_i) / Σ exp(x_j) = 2^(x_i·c − M) / l, c = log2(e)·factor
//! @laws   commutative; associative modulo `same`
//! @empty  all weights 0 (no element, or all −inf): never NaN, never a uniform row
//! @special NaN or +inf in a row makes every weight NaN, as in the float64 loop; −inf has weight 0
//! @error  |ΔW_i|/w_i ≤ B_l + ε_exp2 + u(1 + |x_i·c − M|·ln 2), B_l = T1 (numerics/bounds.hpp: softmax_sum)
//! @cost   one exp2 per element to reduce, one to apply
//! @source Milakov, Gimelshein, Online normalizer calculation for softmax (2018)
template <class T, class Gauge = gauge::integer>
struct softmax : twist<exponential<T, weight_sum<T>>, Gauge> {
  using input = T;
  using typename twist<exponential<T, weight_sum<T>>, Gauge>::state;
  static constexpr const char* tag = "softmax";
  TWOFOLD_HD softmax_weights<T> finalize(const state& s) const {
    return {this->how.score, s.at, s.at == math::infinity<T> ? math::nan<T> : s.amount};
  }
};

//! The map x ↦ x − ln Σ exp(x_i), closed over the state.
template <class T>
struct log_softmax_values {
  template <template <class> class Lanes>
  using over = log_softmax_values<Lanes<T>>;
  score_scale<T> score;
  T at;
  T log2_total;  //!< log2(l)
  TWOFOLD_HD T operator()(const T& x) const {
    if (at == -math::infinity<T>) return -math::infinity<T>;
    return (score.exponent(x, at) - log2_total) * static_cast<T>(math::ln_2);
  }
  //! @name As softmax_weights: the same values where plain() holds.
  //! @{
  TWOFOLD_HD bool plain() const { return score.plain(at); }
  TWOFOLD_HD T plain(const T& x) const { return (score.plain_exponent(x, at) - log2_total) * static_cast<T>(math::ln_2); }
  //! @}
};

//! @brief  Logarithm of softmax: reduce, then apply the answer to every element.
//! @math   x_i − ln Σ exp(x_j), evaluated as ((x_i·c − M) − log2 l)·ln 2: nothing as large as M is ever subtracted
//! @units  nats
//! @empty  −inf for every element (the logarithm of the weight 0)
//! @special as softmax: NaN or +inf in a row gives NaN; −inf gives −inf
//! @error  absolute: B + 2u|answer| + u|x_i·c − M|·ln 2; under gauge::maximum a dominating element keeps relative
//!         accuracy
template <class T, class Gauge = gauge::integer>
struct log_softmax : twist<exponential<T, compensated_weight_sum<T>>, Gauge> {
  using input = T;
  using typename twist<exponential<T, compensated_weight_sum<T>>, Gauge>::state;
  static constexpr const char* tag = "log_softmax";
  TWOFOLD_HD log_softmax_values<T> finalize(const state& s) const {
    if (s.at == math::infinity<T>) return {this->how.score, s.at, math::nan<T>};
    const T ln_total = natural_log(T(0), s.amount.high, s.amount.low);
    return {this->how.score, s.at, ln_total * static_cast<T>(math::log2_e)};
  }
};

TWOFOLD_END_NAMESPACE
