// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Transport of structure: a monoid seen through other coordinates.
#pragma once

#include "twofold/algebra/adjoin.hpp"
#include "twofold/algebra/reduction.hpp"

TWOFOLD_BEGIN_NAMESPACE

namespace detail {
template <class Base, class Map>
struct transported {
  using input = typename Base::input;
  using state = typename Map::state;
  static constexpr bool commutative = is_commutative<Base>;
  Base base{};
  Map map{};
  template <class... X>
  requires reduces<Base, X...> TWOFOLD_HD constexpr state lift(const X&... x) const { return map.from_base(base.lift(x...)); }
  TWOFOLD_HD constexpr state combine(const state& a, const state& b) const {
    return map.from_base(base.combine(map.to_base(a), map.to_base(b)));
  }
  TWOFOLD_HD constexpr auto finalize(const state& s) const { return base.finalize(map.to_base(s)); }
  TWOFOLD_HD constexpr bool same(const state& a, const state& b) const requires has_same<Base> {
    return base.same(map.to_base(a), map.to_base(b));
  }
};
}  // namespace detail

//! @brief  a ⊙ b = φ⁻¹(φ(a) • φ(b)) for φ = Map::to_base, φ⁻¹ = Map::from_base, and the empty state adjoined, not
//!         transported.
//! @math   • associative ⇒ ⊙ associative, provided φ is injective on the non-empty states and its image closed under
//!         •
//! @laws   those of Base, over the reals: coordinates round
//!
//! A twist is the transport along φ(g, v) = A(g→0) v, evaluated without ever forming φ, which for softmax would be e^g
//! and overflow. Use transport to state what a merge *is*; use twist to run it.
template <reduction Base, class Map>
struct transport : adjoin<detail::transported<Base, Map>> {};

TWOFOLD_END_NAMESPACE
