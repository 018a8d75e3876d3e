// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Running bounds for attention: one error for l, and one for every column of o.
#pragma once

#include "twofold/numerics/certified/exponential.hpp"
#include "twofold/ops/attention.hpp"

TWOFOLD_BEGIN_NAMESPACE
namespace detail {

//! l and o, the error of l in double, those of the columns in T (they are many): all in units of u.
template <class T, int D>
struct certified_rows {
  typename weighted_rows<T, D>::state sum;
  double error;
  double variance;
  std::int64_t count;
  std::int64_t height;  //!< operations on the longest path: what the columns' errors are short by
  values<T, D> errors;
  friend constexpr bool operator==(const certified_rows&, const certified_rows&) = default;
};

template <class T, int D>
struct certified_module<T, weighted_rows<T, D>> {
  using state = certified_rows<T, D>;
  static constexpr bool commutative = true;
  weighted_rows<T, D> of{};
  static constexpr T tiny = static_cast<T>(tiny_units<T>);

  constexpr state identity() const { return {of.identity(), 0, 0, 0, 0, {}}; }
  constexpr state combine(const state& a, const state& b) const {
    state v = a;
    absorb(v, T(1), 0, b);
    return v;
  }
  constexpr state finalize(const state& v) const { return v; }
  constexpr void scale(state& v, const T& f, double k) const {
    const double factor = static_cast<double>(f), least = tiny_units<T> * (2 + static_cast<double>(v.sum.l) + v.error);
    for (index j = 0, d = v.errors.size(); j < d; ++j)
      v.errors[j] = raised(f, k) * v.errors[j] + tiny * (T(1) + v.errors[j] + magnitude(v.sum.o[j]));
    of.scale(v.sum, f);
    const double l = static_cast<double>(v.sum.l), lost = k > 0 ? k * l : 0, rounded = k > 0 ? l : 0;
    v.error = (factor + factor * k * unit_of<T>)*v.error + ((lost + rounded) + least);
    v.variance = factor * factor * v.variance + (lost * lost + rounded * rounded);
    v.height += 1;
    if (!(k > 0)) return;
    const T each = static_cast<T>(k + 1);
    for (index j = 0, d = v.errors.size(); j < d; ++j) v.errors[j] += each * magnitude(v.sum.o[j]);
  }
  constexpr void absorb(state& v, const T& f, double k, const state& w) const {
    const double factor = static_cast<double>(f), least = tiny_units<T> * (2 + static_cast<double>(w.sum.l) + w.error);
    const bool first = v.count == 0;
    of.absorb(v.sum, f, w.sum);
    const double lost = k * factor * static_cast<double>(w.sum.l), rounded = first ? 0 : static_cast<double>(v.sum.l);
    v.error += (factor + factor * k * unit_of<T>)*w.error + ((lost + rounded) + least);
    v.variance += factor * factor * w.variance + (lost * lost + rounded * rounded);
    v.count += w.count;
    v.height = (v.height > w.height ? v.height : w.height) + 1;
    if (w.errors.size() == 0) return;
    allocate(v);
    const T each = static_cast<T>(k), sum = first ? T(0) : T(1);
    for (index j = 0, d = v.errors.size(); j < d; ++j)
      v.errors[j] += raised(f, k) * w.errors[j] + (each * f * magnitude(w.sum.o[j]) + sum * magnitude(v.sum.o[j])) +
                     tiny * (T(1) + w.errors[j] + magnitude(w.sum.o[j]));
  }
  template <class Row>
  constexpr void add(state& v, const T& p, double k, const Row& row) const {
    allocate(v);
    v.sum.l += p;
    const double lost = k * static_cast<double>(p), rounded = v.count > 0 ? static_cast<double>(v.sum.l) : 0;
    v.error += (lost + rounded) + tiny_units<T>;
    v.variance += lost * lost + rounded * rounded;
    v.count += 1;
    v.height += 1;
    if constexpr (requires {
                    { row.data } -> std::convertible_to<const T*>;
                    row.stride == index{1};
                  }) {
      if (row.stride == 1) [[likely]]
        return add_columns(v, p, k, row.data);
    }
    add_columns(v, p, k, row);
  }
  static constexpr double amount(const state& v) { return static_cast<double>(v.sum.l); }
  //! The guaranteed error of o_j.
  static double error_of(const state& v, index j) {
    // underflow: factors are at most 1, so one smallest number per element is enough
    const double error = static_cast<double>(v.errors[j]) + tiny_units<T> * static_cast<double>(v.count);
    return paid_back(unit_of<T> * error, 4 * static_cast<double>(v.height) + 12, unit_of<T>);
  }

 private:
  static constexpr T magnitude(const T& x) {
    if constexpr (sizeof(T) == 4) return __builtin_fabsf(x);
    else return __builtin_fabs(x);
  }
  static constexpr T raised(const T& f, double k) { return static_cast<T>(static_cast<double>(f) * (1 + k * unit_of<T>)); }
  //! of.add's own arithmetic, and a column's error beside it: p's own error, the product's rounding, the sum's.
  template <class Row>
  constexpr void add_columns(state& v, const T& p, double k, const Row& row) const {
    const T each = static_cast<T>(k + 1) * p;
    T* const __restrict o = &v.sum.o[0], * const __restrict errors = &v.errors[0];
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC ivdep
#endif
    for (index j = 0, d = of.width(); j < d; ++j) {
      const T x = static_cast<T>(row[j]);
      o[j] += p * x;
      errors[j] += each * magnitude(x) + magnitude(o[j]);
    }
  }
  constexpr void allocate(state& v) const {
    if constexpr (D == dynamic) {
      if (v.errors.size() != of.head_size) v.errors = values<T, D>(of.head_size);
      if (v.sum.o.size() != of.head_size) v.sum.o = values<T, D>(of.head_size);
    }
  }
};

}  // namespace detail

//! Output row and log-sum-exp with their errors.
template <class T, int D>
struct certified_attention_result {
  values<T, D> output;      //!< [head_size]
  values<double, D> error;  //!< [head_size], guaranteed
  enclosure<T> lse_ln;      //!< nats
  double deviation;         //!< √V of l, relative
  [[nodiscard]] bool near(const certified_attention_result& o) const {
    bool all = lse_ln.near(o.lse_ln) && output.size() == o.output.size();
    for (index j = 0, d = output.size(); all && j < d; ++j) all = enclosure<T>{output[j], error[j], 0}.near({o.output[j], o.error[j], 0});
    return all;
  }
};

//! @error |Δ(o_j/l)| ≤ (E_j + |O_j|·E_l)/(l − E_l) + u|O_j|
template <class T, int D, class Gauge>
struct certified<attention<T, D, Gauge>> : twist<detail::certified_exponential<T, weighted_rows<T, D>>, Gauge> {
  using base = twist<detail::certified_exponential<T, weighted_rows<T, D>>, Gauge>;
  using typename base::state;
  static constexpr const char* tag = "certified_attention";
  explicit certified(const attention<T, D, Gauge>& r) {
    this->how.of = r.how, this->gauge = r.gauge;
    this->how.sums.of = r.how.sums;
  }
  certified_attention_result<T, D> finalize(const state& s) const {
    const index width = this->how.sums.of.width();
    certified_attention_result<T, D> r{values<T, D>(width), values<double, D>(width), {s.at, 0, 0}, 0};
    if (this->empty(s)) return r;
    const auto& v = s.amount;
    constexpr double u = detail::unit_of<T>;
    const double l = static_cast<double>(v.sum.l), e = this->how.error(v);
    const double least = e < l ? (l - e) * (1 - 0x1p-50) : 0;
    for (index j = 0, d = v.sum.o.size(); j < d; ++j) {
      r.output[j] = v.sum.o[j] / (s.at == math::infinity<T> ? math::nan<T> : v.sum.l);
      const double size = math::fabs(static_cast<double>(r.output[j]));
      const double error = (this->how.sums.error_of(v, j) + size * (1 + 2 * u) * e) / least + u * size + u * detail::tiny_units<T>;
      r.error[j] = detail::or_none(error * (1 + 0x1p-40));
    }
    r.deviation = this->how.deviation(v) / l;
    const T lse = natural_log(s.at, v.sum.l, T(0));
    r.lse_ln = {lse,
                detail::natural_log_error(s.at, v.sum.l, T(0), e < l ? e / l : math::infinity<double>, static_cast<double>(lse),
                                          static_cast<double>(v.count), this->how.scale_roundings()),
                r.deviation};
    return r;
  }
};

TWOFOLD_END_NAMESPACE
