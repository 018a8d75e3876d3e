// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Maps around a reduction: before lifting (premap), after finalizing (postmap).
#pragma once

#include "twofold/algebra/reduction.hpp"

TWOFOLD_BEGIN_NAMESPACE

namespace detail {
//! Receives the inputs that a premap hands on.
template <class R>
struct lift_with {
  const R& r;
  template <class... Y>
  requires reduces<R, Y...> TWOFOLD_HD constexpr state_of<R> operator()(const Y&... y) const { return r.lift(y...); }
};
}  // namespace detail

//! @brief  Reduces f(x) instead of x: sum of squares is premap{sum<double>{}, [](double x) { return x * x; }}.
//! @math   lift'(x…) = lift(f(x…)). A function that yields several inputs takes a continuation as its last argument
//!         and calls it: premap{op, [q](auto key, auto value, auto then) { return then(dot(q, key), value); }}
//! @laws   those of R
template <reduction R, class F>
struct premap {
  R of;
  F f;
  using state = state_of<R>;
  static constexpr bool commutative = is_commutative<R>;
  static constexpr bool exact_over_reals = is_exact_over_reals<R>;
  static constexpr bool exact_over_machine = is_exact_over_machine<R>;

  TWOFOLD_HD constexpr state identity() const { return of.identity(); }
  template <class... X>
  requires requires(const R& r, const F& g, const X&... x) { r.lift(g(x...)); } || requires(const R& r, const F& g, const X&... x) {
    g(x..., detail::lift_with<R>{r});
  }
  TWOFOLD_HD constexpr state lift(const X&... x) const {
    if constexpr (requires { of.lift(f(x...)); }) return of.lift(f(x...));
    else return f(x..., detail::lift_with<R>{of});
  }
  TWOFOLD_HD constexpr state combine(const state& a, const state& b) const { return of.combine(a, b); }
  //! The tile seen through f: R keeps its own leaf.
  template <class Tile>
  TWOFOLD_HD constexpr state leaf(const Tile& tile) const {
    return twofold::leaf(of, mapped_tile<Tile>{*this, tile});
  }
  TWOFOLD_HD constexpr auto finalize(const state& s) const { return of.finalize(s); }
  TWOFOLD_HD constexpr bool same(const state& a, const state& b) const requires has_same<R> { return of.same(a, b); }

 private:
  template <class Tile>
  struct mapped_tile {
    const premap& map;
    const Tile& tile;
    [[nodiscard]] TWOFOLD_HD constexpr index size() const { return tile.size(); }
    template <class G>
    TWOFOLD_HD constexpr void apply(index i, G&& g) const {
      tile.apply(i, [&](const auto&... x) {
        if constexpr (requires { map.of.lift(map.f(x...)); }) g(map.f(x...));
        else map.f(x..., [&](const auto&... y) { g(y...); });
      });
    }
  };
};
template <class R, class F>
premap(R, F) -> premap<R, F>;

//! @brief  f(answer) instead of the answer.
//! @laws   those of R
template <reduction R, class F>
struct postmap : R {
  F f;
  constexpr postmap(const R& r, const F& g) : R(r), f(g) {}
  TWOFOLD_HD constexpr auto finalize(const state_of<R>& s) const { return f(R::finalize(s)); }
};
template <class R, class F>
postmap(R, F) -> postmap<R, F>;

TWOFOLD_END_NAMESPACE
