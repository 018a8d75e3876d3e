// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Attention of one query: softmax and log-sum-exp's twist once more, the factor acting on (l, o) together.
#pragma once

#include "twofold/algebra/twist.hpp"
#include "twofold/algebra/values.hpp"
#include "twofold/ops/exponential.hpp"

TWOFOLD_BEGIN_NAMESPACE

//! l = Σ p and o = Σ p·v: one number and a row of them.
template <class T, int D>
struct weighted_rows {
  struct state {
    T l;
    values<T, D> o;
    friend constexpr bool operator==(const state&, const state&) = default;
  };
  static constexpr bool commutative = true;
  index head_size = D;

  //! A dynamic o is allocated when the first row arrives; until then it stands for zeros.
  TWOFOLD_HD constexpr state identity() const { return {T(0), {}}; }
  TWOFOLD_HD constexpr state combine(const state& a, const state& b) const {
    state v = a;
    absorb(v, T(1), b);
    return v;
  }
  TWOFOLD_HD constexpr state finalize(const state& v) const { return v; }
  TWOFOLD_HD constexpr void scale(state& v, const T& f) const {
    v.l *= f;
    for (index j = 0, d = v.o.size(); j < d; ++j) v.o[j] *= f;
  }
  TWOFOLD_HD constexpr void absorb(state& v, const T& f, const state& w) const {
    v.l = math::fma(f, w.l, v.l);
    if (w.o.size() == 0) return;
    allocate(v);
    for (index j = 0, d = width(); j < d; ++j) v.o[j] = math::fma(f, w.o[j], v.o[j]);
  }
  template <class Row>
  TWOFOLD_HD constexpr void add(state& v, const T& p, const Row& row) const {
    allocate(v);
    v.l += p;
    for (index j = 0, d = width(); j < d; ++j) v.o[j] += p * static_cast<T>(row[j]);
  }
  //! Rows are compared against l and the larger of them: a column that cancels cannot say how large its terms were.
  TWOFOLD_HD bool near(const state& v, const state& w) const {
    T size = v.l;
    for (index j = 0, d = v.o.size(); j < d; ++j) size = size < math::fabs(v.o[j]) ? math::fabs(v.o[j]) : size;
    if (v.o.size() != w.o.size() || !math::close(v.l, w.l, v.l)) return false;
    for (index j = 0, d = v.o.size(); j < d; ++j)
      if (!math::close(v.o[j], w.o[j], size)) return false;
    return true;
  }

  //! head_size, known when compiling where it can be.
  TWOFOLD_HD constexpr index width() const { return D == dynamic ? head_size : D; }

 private:
  TWOFOLD_HD constexpr void allocate(state& v) const {
    if constexpr (D == dynamic) {
      if (v.o.size() != head_size) v.o = values<T, D>(head_size);
    }
  }
};

//! The output row and the log-sum-exp of the scores, in both units by name.
template <class T, int D>
struct attention_result {
  values<T, D> output;  //!< [head_size]; zeros where nothing was visible
  T lse_log2;           //!< log2 Σ 2^(s·scale); −inf where nothing was visible
  T lse_ln;             //!< the same in nats
};

//! @brief  Attention of one query over (score, value row) pairs; partial results merge wherever they were made.
//! @math   state (M, l, o): l·2^M = Σ 2^(s·c), o·2^M = Σ 2^(s·c)·v; output o/l; c = log2(e)·score_factor, computed in
//!         double and rounded once; merge multiplies l and o of each side by 2^(its M − M)
//! @shape  lift(s, v): s raw dot product q·k; v: [head_size], anything with operator[]
//! @units  M and lse_log2 in log2 units, lse_ln in nats
//! @laws   commutative; associative modulo `same`
//! @empty  output 0, log-sum-exp −inf: no row, all masked, or all scores −inf
//! @special masked rows (tile.hpp: masked) and rows of score −inf are never read, whatever they hold; a visible NaN
//!         gives NaN; a +inf score gives NaN output, as the float64 loop, and log-sum-exp +inf
//! @error  |Δo/l| ≤ (2C + 2u + ε + 2uW)·max|v|, C as in T1 (numerics/bounds.hpp)
//! @cost   one exp2 and head_size multiply-adds per row; a merge 2·head_size more
//! @source Dao, Fu, Ermon, Rudra, Ré, FlashAttention (2022)
template <class T, int D = dynamic, class Gauge = gauge::integer>
struct attention : twist<exponential<T, weighted_rows<T, D>>, Gauge> {
  using base = twist<exponential<T, weighted_rows<T, D>>, Gauge>;
  using typename base::state;
  static constexpr const char* tag = "attention";

  //! Head size known when compiling; scores are multiplied by 1/√D.
  attention() requires(D != dynamic) : attention(index{D}) {}
  //! score_factor 0 stands for 1/√head_size.
  explicit attention(index head_size, double score_factor = 0) {
    if (score_factor == 0) score_factor = 1 / math::sqrt(static_cast<double>(head_size));
    this->how.score.scale = static_cast<T>(math::log2_e * score_factor);
    this->how.sums.head_size = head_size;
  }

  //! A state that was loaded from somewhere has rows of this head size, or none.
  TWOFOLD_HD bool valid(const state& s) const { return s.amount.o.size() == 0 || s.amount.o.size() == head_size(); }

  TWOFOLD_HD index head_size() const { return this->how.sums.width(); }

  TWOFOLD_HD attention_result<T, D> finalize(const state& s) const {
    attention_result<T, D> r{values<T, D>(head_size()), s.at, s.at};
    if (this->empty(s)) return r;
    const T l = s.at == math::infinity<T> ? math::nan<T> : s.amount.l;
    for (index j = 0, d = s.amount.o.size(); j < d; ++j) r.output[j] = s.amount.o[j] / l;
    r.lse_ln = natural_log(s.at, s.amount.l, T(0));
    if (s.at < math::infinity<T>) r.lse_log2 = s.at + math::log2(s.amount.l);
    return r;
  }

  //! @name The state of a partial result that was already divided by its denominator, given with its log-sum-exp.
  //! @error  costs u·|lse| on the weight of the partial result: carry states, not results, where you can
  //! @{
  template <class Row>
  TWOFOLD_HD state from_partial_log2(const Row& output, const T& lse_log2) const {
    state s = this->identity();
    if (lse_log2 == -math::infinity<T>) return s;
    s.at = this->gauge.round(lse_log2);
    this->how.sums.add(s.amount, math::exp2(lse_log2 - s.at), output);
    return s;
  }
  template <class Row>
  TWOFOLD_HD state from_partial_ln(const Row& output, const T& lse_ln) const {
    return from_partial_log2(output, lse_ln * static_cast<T>(math::log2_e));
  }
  //! @}
};

TWOFOLD_END_NAMESPACE
