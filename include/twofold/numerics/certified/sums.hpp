// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Running bounds for sums: every addition loses at most u times its result.
#pragma once

#include "twofold/numerics/certified/enclosure.hpp"
#include "twofold/ops/sum.hpp"

TWOFOLD_BEGIN_NAMESPACE

//! The state of a sum, its error in units of u, and V in u².
template <class A>
struct certified_sum_state {
  A value;
  double error;
  double variance;
  std::int64_t count;
  friend constexpr bool operator==(const certified_sum_state&, const certified_sum_state&) = default;
};

namespace detail {

//! Plain sums; R gives the merge, and where it has one the order within a leaf.
template <class R, class X, class A>
struct certified_sum {
  static_assert(std::is_floating_point_v<A>, "integer sums are exact: there is no error to carry");
  using input = X;
  using state = certified_sum_state<A>;
  static constexpr const char* tag = "certified_sum";
  static constexpr bool commutative = true;
  R of{};
  constexpr certified_sum() = default;
  constexpr explicit certified_sum(const R& r) : of(r) {}

  constexpr state identity() const { return {of.identity(), 0, 0, 0}; }
  constexpr state lift(const X& x) const { return {of.lift(x), 0, 0, 1}; }
  constexpr state combine(const state& a, const state& b) const {
    if (a.count == 0) return b;
    if (b.count == 0) return a;
    const A s = of.combine(a.value, b.value);
    const double size = magnitude_of(s);
    return {s, (a.error + b.error) + size, (a.variance + b.variance) + size * size, a.count + b.count};
  }
  constexpr void push_into(state& s, const X& x) const {
    if (s.count == 0) {
      s = lift(x);
      return;
    }
    s.value = of.combine(s.value, of.lift(x));
    const double size = magnitude_of(s.value);
    s.error += size, s.variance += size * size, s.count += 1;
  }
  bool same(const state& a, const state& b) const { return finalize(a).near(finalize(b)); }
  enclosure<A> finalize(const state& s) const {
    const double u = unit_of<A>;
    return {of.finalize(s.value), paid_back(u * s.error, 4 * static_cast<double>(s.count) + 4), u * math::sqrt(s.variance)};
  }
};

}  // namespace detail

//! |ŝ − s| ≤ u·Σ|every partial sum but single elements|.
template <class X, class A>
struct certified<sum<X, A>> : detail::certified_sum<sum<X, A>, X, A> {
  using detail::certified_sum<sum<X, A>, X, A>::certified_sum;
};

template <class X, class A>
struct certified<pairwise_sum<X, A>> : detail::certified_sum<pairwise_sum<X, A>, X, A> {
  using base = detail::certified_sum<pairwise_sum<X, A>, X, A>;
  using base::base;
  using typename base::state;
  template <class Tile>
  constexpr state leaf(const Tile& tile) const {
    return range(tile, 0, tile.size());
  }

 private:
  template <class Tile>
  constexpr state range(const Tile& tile, index first, index last) const {  // as pairwise_sum's
    if (last - first > 8) {
      const index middle = first + (last - first) / 2;
      return this->combine(range(tile, first, middle), range(tile, middle, last));
    }
    state s = this->identity();
    for (index i = first; i < last; ++i) tile.apply(i, [&](const X& x) { this->push_into(s, x); });
    return s;
  }
};

//! The high parts are summed exactly; what rounds is the sum of their errors, and the final high + low.
template <class X, class A>
struct certified<compensated_sum<X, A>> {
  using input = X;
  using inner = typename compensated_sum<X, A>::state;
  struct state {
    inner value;
    double error;
    double variance;
    std::int64_t count;
    friend constexpr bool operator==(const state&, const state&) = default;
  };
  static constexpr const char* tag = "certified_compensated_sum";
  static constexpr bool commutative = true;
  compensated_sum<X, A> of{};
  constexpr certified() = default;
  constexpr explicit certified(const compensated_sum<X, A>& r) : of(r) {}

  constexpr state identity() const { return {of.identity(), 0, 0, 0}; }
  constexpr state lift(const X& x) const { return {of.lift(x), 0, 0, 1}; }
  constexpr state combine(const state& a, const state& b) const {
    if (a.count == 0) return b;
    if (b.count == 0) return a;
    const inner v = of.combine(a.value, b.value);
    const double lows = magnitude(a.value.low + b.value.low), low = magnitude(v.low);
    const double lost = math::is_finite(v.high) ? lows + low : math::infinity<double>;
    return {v, (a.error + b.error) + lost, (a.variance + b.variance) + (lows * lows + low * low), a.count + b.count};
  }
  //! An element has no low part: one rounding less.
  constexpr void push_into(state& s, const X& x) const {
    if (s.count == 0) {
      s = lift(x);
      return;
    }
    s.value = of.combine(s.value, of.lift(x));
    const double low = math::is_finite(s.value.high) ? magnitude(s.value.low) : math::infinity<double>;
    s.error += low, s.variance += low * low, s.count += 1;
  }
  bool same(const state& a, const state& b) const { return finalize(a).near(finalize(b)); }
  enclosure<A> finalize(const state& s) const {
    const double u = detail::unit_of<A>;
    const A value = of.finalize(s.value);
    const double last = s.count > 1 ? magnitude(value) : 0;
    return {value, detail::paid_back(u * (s.error + last), 6 * static_cast<double>(s.count) + 4), u * math::sqrt(s.variance + last * last)};
  }

 private:
  static constexpr double magnitude(const A& x) { return detail::magnitude_of(x); }
};

TWOFOLD_END_NAMESPACE
