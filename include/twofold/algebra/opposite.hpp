// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The opposite of a reduction: the sequence read from right to left.
#pragma once

#include "twofold/algebra/reduction.hpp"

TWOFOLD_BEGIN_NAMESPACE

//! @brief  combine with its sides exchanged: reduces the reversed sequence without reversing it.
//! @math   a ⊕ᵒᵖ b = b ⊕ a
//! @laws   associative, commutative, exact as R is; opposite(opposite(R)) is R
template <reduction R>
struct opposite {
  R of{};
  using state = state_of<R>;
  static constexpr bool commutative = is_commutative<R>;
  static constexpr bool exact_over_reals = is_exact_over_reals<R>;
  static constexpr bool exact_over_machine = is_exact_over_machine<R>;
  TWOFOLD_HD constexpr state identity() const { return of.identity(); }
  template <class... X>
  requires reduces<R, X...> TWOFOLD_HD constexpr state lift(const X&... x) const { return of.lift(x...); }
  TWOFOLD_HD constexpr state combine(const state& a, const state& b) const { return of.combine(b, a); }
  TWOFOLD_HD constexpr auto finalize(const state& s) const { return of.finalize(s); }
  TWOFOLD_HD constexpr bool same(const state& a, const state& b) const requires has_same<R> { return of.same(a, b); }
};

template <class R>
opposite(R) -> opposite<R>;

TWOFOLD_END_NAMESPACE
