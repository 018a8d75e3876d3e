// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file An identity for operators that have none: the empty state is adjoined, and told from a value by a flag.
#pragma once

#include "twofold/algebra/reduction.hpp"

TWOFOLD_BEGIN_NAMESPACE

//! A value or nothing. Trivial where T is, and usable in device code.
template <class T>
struct maybe {
  bool has = false;
  T value{};
  TWOFOLD_HD constexpr bool has_value() const { return has; }
  TWOFOLD_HD constexpr explicit operator bool() const { return has; }
  TWOFOLD_HD constexpr const T& operator*() const { return value; }
  TWOFOLD_HD constexpr const T* operator->() const { return &value; }
  TWOFOLD_HD constexpr T value_or(const T& other) const { return has ? value : other; }
  TWOFOLD_HD friend constexpr bool operator==(const maybe& a, const maybe& b) { return a.has == b.has && (!a.has || a.value == b.value); }
};

//! @brief  Semigroup → monoid: "nothing yet" is a state of its own, neutral by select and never by arithmetic.
//! @math   S ∪ {e}, e ⊕ s = s ⊕ e = s
//! @laws   associative, commutative, exact as S is
//! @empty  finalize gives maybe<answer> without a value
template <class Semigroup>
struct adjoin {
  using input = typename Semigroup::input;
  using state = maybe<typename Semigroup::state>;
  static constexpr bool commutative = is_commutative<Semigroup>;
  static constexpr bool exact_over_reals = is_exact_over_reals<Semigroup>;
  static constexpr bool exact_over_machine = is_exact_over_machine<Semigroup>;
  Semigroup of{};

  TWOFOLD_HD constexpr state identity() const { return {}; }
  template <class... X>
  requires requires(const Semigroup& s, const X&... x) { s.lift(x...); }
  TWOFOLD_HD constexpr state lift(const X&... x) const { return {true, of.lift(x...)}; }
  TWOFOLD_HD constexpr state combine(const state& a, const state& b) const {
    if (!b.has) return a;
    if (!a.has) return b;
    return {true, of.combine(a.value, b.value)};
  }
  TWOFOLD_HD constexpr auto finalize(const state& s) const {
    using answer = std::remove_cvref_t<decltype(of.finalize(s.value))>;
    return s.has ? maybe<answer>{true, of.finalize(s.value)} : maybe<answer>{};
  }
  TWOFOLD_HD constexpr bool same(const state& a, const state& b) const requires has_same<Semigroup> {
    return a.has == b.has && (!a.has || of.same(a.value, b.value));
  }
};

TWOFOLD_END_NAMESPACE
