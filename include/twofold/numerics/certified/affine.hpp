// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Running bounds for affine recurrences: the errors of both numbers of a map, carried through composition.
#pragma once

#include "twofold/numerics/certified/enclosure.hpp"
#include "twofold/ops/affine.hpp"

TWOFOLD_BEGIN_NAMESPACE

//! @brief  (a, b) with |a − exact| ≤ scale_error and |b − exact| ≤ offset_error.
//! @math   composing left then right: E_a = |a_r|E_a' + (|a_l| + E_a')E_a'' + u|a|;  E_b = |a_r|E_b' + (|b_l| + E_b')E_a'' + E_b'' + u|b|
template <class T>
struct certified<affine_recurrence<T>> {
  static_assert(std::is_floating_point_v<T>, "integer recurrences are exact: there is no error to carry");
  struct state {
    affine<T> map;
    double scale_error, offset_error;
    double scale_variance, offset_variance;
    std::int64_t count;
    friend constexpr bool operator==(const state&, const state&) = default;
  };
  static constexpr const char* tag = "certified_affine_recurrence";
  affine_recurrence<T> of{};
  constexpr certified() = default;
  constexpr explicit certified(const affine_recurrence<T>& r) : of(r) {}

  constexpr state identity() const { return {of.identity(), 0, 0, 0, 0, 0}; }
  constexpr state lift(const T& a, const T& b) const { return {{a, b}, 0, 0, 0, 0, 1}; }
  constexpr state lift(const affine<T>& step) const { return {step, 0, 0, 0, 0, 1}; }
  constexpr state combine(const state& l, const state& r) const {
    if (l.count == 0) return r;
    if (r.count == 0) return l;
    const affine<T> m = of.combine(l.map, r.map);
    constexpr double u = detail::unit_of<T>, tiny = u * detail::tiny_units<T>;
    const double a = magnitude(r.map.scale), al = magnitude(l.map.scale), bl = magnitude(l.map.offset);
    const double ua = u * magnitude(m.scale), ub = u * magnitude(m.offset);
    state s{m, 0, 0, 0, 0, l.count + r.count};
    s.scale_error = (a * l.scale_error + (al + l.scale_error) * r.scale_error) + (ua + tiny);
    s.offset_error = ((a * l.offset_error + (bl + l.offset_error) * r.scale_error) + r.offset_error) + (ub + tiny);
    s.scale_variance = (a * a * l.scale_variance + al * al * r.scale_variance) + ua * ua;
    s.offset_variance = ((a * a * l.offset_variance + bl * bl * r.scale_variance) + r.offset_variance) + ub * ub;
    return s;
  }
  //! A step is exact: what combine does with its errors 0.
  constexpr void push_into(state& s, const T& step_scale, const T& step_offset) const {
    if (s.count == 0) {
      s = lift(step_scale, step_offset);
      return;
    }
    constexpr double u = detail::unit_of<T>, tiny = u * detail::tiny_units<T>;
    s.map = of.combine(s.map, {step_scale, step_offset});
    const double a = magnitude(step_scale), ua = u * magnitude(s.map.scale) + tiny, ub = u * magnitude(s.map.offset) + tiny;
    s.scale_error = a * s.scale_error + ua;
    s.offset_error = a * s.offset_error + ub;
    s.scale_variance = a * a * s.scale_variance + ua * ua;
    s.offset_variance = a * a * s.offset_variance + ub * ub;
    s.count += 1;
  }
  constexpr void push_into(state& s, const affine<T>& step) const { push_into(s, step.scale, step.offset); }
  bool same(const state& a, const state& b) const {
    const auto scale = [](const state& s) { return enclosure<T>{s.map.scale, s.scale_error, 0}; };
    const auto offset = [](const state& s) { return enclosure<T>{s.map.offset, s.offset_error, 0}; };
    return (a.count == 0) == (b.count == 0) && scale(a).near(scale(b)) && offset(a).near(offset(b));
  }
  //! h_n; `initial` counts as exact.
  enclosure<T> finalize(const state& s) const {
    const T h = of.finalize(s.map);
    if (s.count == 0) return {h, 0, 0};
    const double first = magnitude(of.initial), last = detail::unit_of<T> * magnitude(h);
    const double error = (s.scale_error * first + s.offset_error) + (first > 0 ? last + detail::unit_of<T> * detail::tiny_units<T> : 0);
    return {h, detail::paid_back(error, 8 * static_cast<double>(s.count) + 8),
            math::sqrt(s.scale_variance * first * first + s.offset_variance + (first > 0 ? last * last : 0))};
  }

 private:
  static constexpr double magnitude(const T& x) { return detail::magnitude_of(x); }
};

TWOFOLD_END_NAMESPACE
