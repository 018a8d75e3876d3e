// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Several reductions of the same elements in one pass.
#pragma once

#include "twofold/algebra/reduction.hpp"

TWOFOLD_BEGIN_NAMESPACE

//! What a product holds, of states or of answers: `get<0>(p)`, `get<1>(p)`, …
template <class Head, class... Tail>
struct many {
  Head head;
  many<Tail...> tail;
  friend constexpr bool operator==(const many&, const many&) = default;
};
template <class Only>
struct many<Only> {
  Only head;
  friend constexpr bool operator==(const many&, const many&) = default;
};

template <std::size_t I, class... T>
TWOFOLD_HD constexpr const auto& get(const many<T...>& m) {
  if constexpr (I == 0) return m.head;
  else return get<I - 1>(m.tail);
}

//! @brief  Runs every one of `of` on the same elements; a state is one state of each.
//! @math   (a1, a2) ⊕ (b1, b2) = (a1 ⊕ b1, a2 ⊕ b2)
//! @laws   associative; commutative, exact over the machine if all are
//! @empty  each part's own
template <reduction Head, reduction... Tail>
struct product {
  Head head{};
  product<Tail...> tail{};
  using state = many<state_of<Head>, state_of<Tail>...>;
  static constexpr bool commutative = is_commutative<Head> && is_commutative<product<Tail...>>;
  static constexpr bool exact_over_reals = is_exact_over_reals<Head> && is_exact_over_reals<product<Tail...>>;
  static constexpr bool exact_over_machine = is_exact_over_machine<Head> && is_exact_over_machine<product<Tail...>>;

  constexpr product() = default;
  TWOFOLD_HD constexpr explicit product(const Head& h, const Tail&... t) : head(h), tail(t...) {}

  TWOFOLD_HD constexpr state identity() const { return {head.identity(), tail.identity()}; }
  template <class... X>
  requires reduces<Head, X...> &&(reduces<Tail, X...>&&...)TWOFOLD_HD constexpr state lift(const X&... x) const {
    return {head.lift(x...), tail.lift(x...)};
  }
  template <class... X>
  requires reduces<Head, X...> &&(reduces<Tail, X...>&&...)TWOFOLD_HD constexpr void push_into(state& s, const X&... x) const {
    twofold::push_into(head, s.head, x...);
    twofold::push_into(tail, s.tail, x...);
  }
  TWOFOLD_HD constexpr state combine(const state& a, const state& b) const {
    return {head.combine(a.head, b.head), tail.combine(a.tail, b.tail)};
  }
  //! Each part reads the tile for itself, with its own reference.
  template <class Tile>
  TWOFOLD_HD constexpr state leaf(const Tile& tile) const {
    return {twofold::leaf(head, tile), twofold::leaf(tail, tile)};
  }
  TWOFOLD_HD constexpr bool same(const state& a, const state& b) const {
    return twofold::same(head, a.head, b.head) && twofold::same(tail, a.tail, b.tail);
  }
  TWOFOLD_HD constexpr auto finalize(const state& s) const {
    auto first = head.finalize(s.head);
    return prepend(first, tail.finalize(s.tail));
  }

 private:
  template <class A, class... B>
  TWOFOLD_HD static constexpr many<A, B...> prepend(const A& a, const many<B...>& b) {
    return {a, b};
  }
};

template <reduction Only>
struct product<Only> {
  Only head{};
  using state = many<state_of<Only>>;
  static constexpr bool commutative = is_commutative<Only>;
  static constexpr bool exact_over_reals = is_exact_over_reals<Only>;
  static constexpr bool exact_over_machine = is_exact_over_machine<Only>;

  constexpr product() = default;
  TWOFOLD_HD constexpr explicit product(const Only& only) : head(only) {}

  TWOFOLD_HD constexpr state identity() const { return {head.identity()}; }
  template <class... X>
  requires reduces<Only, X...> TWOFOLD_HD constexpr state lift(const X&... x) const { return {head.lift(x...)}; }
  template <class... X>
  requires reduces<Only, X...> TWOFOLD_HD constexpr void push_into(state& s, const X&... x) const {
    twofold::push_into(head, s.head, x...);
  }
  TWOFOLD_HD constexpr state combine(const state& a, const state& b) const { return {head.combine(a.head, b.head)}; }
  template <class Tile>
  TWOFOLD_HD constexpr state leaf(const Tile& tile) const {
    return {twofold::leaf(head, tile)};
  }
  TWOFOLD_HD constexpr bool same(const state& a, const state& b) const { return twofold::same(head, a.head, b.head); }
  TWOFOLD_HD constexpr auto finalize(const state& s) const {
    return many<std::remove_cvref_t<decltype(head.finalize(s.head))>>{head.finalize(s.head)};
  }
};

template <class... R>
product(R...) -> product<R...>;

TWOFOLD_END_NAMESPACE
