// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Twist: the one construct from which softmax, Welford's variance and attention are each made in a few lines.
//!
//! A state is (reference g, value v). Two states add up only at a common reference; when a reference moves from g to
//! k, the value is carried along by an automorphism A(g→k) of the base monoid:
//!
//!     (g, v) ⊙ (h, w) = (k,  A(g→k) v ⊕ A(h→k) w)        k chosen by the gauge
//!
//!     softmax      g: maximum         v: Σ 2^(s−g)                A: a positive factor 2^(g−k)
//!     attention    g: maximum         v: Σ 2^(s−g), Σ 2^(s−g)·v   A: the same factor
//!     Welford      g: mean            v: n, Σ(x−g), Σ(x−g)²       A: the shift matrix of g−k
//!
//! Because A(g→g) = id and A(h→k)∘A(g→h) = A(g→k) (the cocycle law), (g, v) and (h, A(g→h)v) are the same state, and
//! ⊙ is associative modulo that sameness *whatever* k the gauge picks: its choice is a matter of rounding and
//! overflow alone. The empty state is adjoined: recognised by `nothing(g, v)` and decided by select, never by
//! arithmetic with −inf or 0.
#pragma once

#include "twofold/algebra/adjoin.hpp"
#include "twofold/algebra/gauge.hpp"
#include "twofold/algebra/reduction.hpp"

TWOFOLD_BEGIN_NAMESPACE

//! What a twisting supplies: the base monoid V (commutative; its states are the values), references G, and A(g→h).
//! - `base()` the monoid V
//! - `act(g, h, v)` v ← A(g→h) v, in place; A(g→g) must leave v untouched, bit for bit
//! - `add(v, g, x…)` v ← v ⊕ (the value of one element at reference g)
//! - `observe(x…)` the reference that the element itself would choose
//! - `nowhere()` the reference of the empty state, and `nothing(g, v)`: is this the empty state?
//! - `absent(x…)` optional: the element has no influence (a score of −inf)
//! - `absorb(v, g, k, w)` optional: v ← v ⊕ A(g→k) w in one go; `near(g, v, w)`: equality up to rounding; `valid(v)`
template <class T>
concept twisting = requires(const T& t, const typename T::reference& g, typename T::value& v) {
  t.base();
  { t.nowhere() } -> std::convertible_to<typename T::reference>;
  { t.nothing(g, v) } -> std::convertible_to<bool>;
  t.act(g, g, v);
};

template <class Reference, class Value>
struct twist_state {
  Reference at;
  Value amount;
  TWOFOLD_HD friend constexpr bool operator==(const twist_state& a, const twist_state& b) { return a.at == b.at && a.amount == b.amount; }
};

//! @brief  The reduction of a twisting under a gauge. Operators derive from it and add finalize.
//! @laws   associative and commutative modulo `same`; strictly so over the reals when the gauge's merge is (max,
//!         integer, mean)
//! @cost   merge: at most two actions and one base addition; none for a side whose reference stands or that is empty
template <twisting Twisting, class Gauge>
struct twist {
  using reference = typename Twisting::reference;
  using value = typename Twisting::value;
  using state = twist_state<reference, value>;
  static constexpr bool commutative = true;

  Twisting how{};
  Gauge gauge{};

  TWOFOLD_HD constexpr state identity() const { return {how.nowhere(), how.base().identity()}; }
  TWOFOLD_HD constexpr bool empty(const state& s) const { return how.nothing(s.at, s.amount); }

  template <class... X>
  requires requires(const Twisting& t, value& v, const reference& g, const X&... x) { t.add(v, g, x...); }
  TWOFOLD_HD constexpr state lift(const X&... x) const {
    state s = identity();
    push_into(s, x...);
    return s;
  }

  TWOFOLD_HD constexpr state combine(const state& a, const state& b) const {
    state s = a;
    combine_into(s, b);
    return s;
  }

  //! s ⊙ b in place.
  TWOFOLD_HD constexpr void combine_into(state& s, const state& b) const {
    if (empty(b)) return;
    if (empty(s)) {
      s = b;
      return;
    }
    const reference k = gauge.merge(how, s, b);
    how.act(s.at, k, s.amount);
    absorb(s.amount, b, k);
    s.at = k;
  }

  //! s ⊙ lift(x…) in place: the body of the loop.
  template <class... X>
  TWOFOLD_HD constexpr void push_into(state& s, const X&... x) const {
    if (absent(x...)) return;
    const reference k = empty(s) ? gauge.of(how, x...) : gauge.extend(how, s, x...);
    if (!empty(s)) how.act(s.at, k, s.amount);
    how.add(s.amount, k, x...);
    s.at = k;
  }

  //! The state of a tile at one reference: no action at all inside the tile.
  template <class Tile>
  TWOFOLD_HD constexpr state leaf(const Tile& tile) const {
    if constexpr (requires { gauge.survey(how, tile); }) {
      const auto seen = survey(tile);
      return state_at(seen, collect(tile, seen));
    } else {
      return at_one_reference(tile, gauge.settle(how, tile));
    }
  }

  //! s ⊙ leaf(tile) in place: the tile is collected at the reference that the two have together. No merge, and an action only where the
  //! reference of s moves.
  template <class Tile>
  TWOFOLD_HD constexpr void leaf_into(state& s, const Tile& tile) const {
    if constexpr (requires { gauge.extend_by(how, s, tile); }) {
      const reference k = gauge.extend_by(how, s, tile);
      if (empty(s)) s = identity();
      else if (!(k == s.at)) how.act(s.at, k, s.amount);
      s.at = k;
      s.amount = how.base().combine(s.amount, value_at(tile, k));
    } else {
      combine_into(s, leaf(tile));
    }
  }

  //! The reference of two states and both written there, so that many states are merged by references first and by values then: where the
  //! gauge's merge is the later reference.
  static constexpr bool merges_by_reference = requires(const Gauge& policy, const Twisting& twisting, const state& s) {
    policy.join(twisting, s.at, s.at);
    requires std::is_same_v<std::remove_cvref_t<decltype(policy.merge(twisting, s, s))>,
                            std::remove_cvref_t<decltype(policy.join(twisting, s.at, s.at))>>;
    requires Gauge::symmetric_join;
  };

  //! @name leaf in steps, for a tile whose parts are held by several threads. Each surveys its part; surveys are joined; each collects
  //! the value of its part at the one reference that follows; values are added without any action; the sum at that reference is the
  //! state. A part where nothing is visible collects to the base monoid's identity.
  //! @{
  template <class Tile>
  requires requires(const Gauge& policy, const Twisting& twisting, const Tile& tile) { policy.survey(twisting, tile); }
  TWOFOLD_HD constexpr auto survey(const Tile& tile) const { return gauge.survey(how, tile); }
  template <class Survey>
  TWOFOLD_HD constexpr Survey join(const Survey& a, const Survey& b) const {
    return gauge.join(how, a, b);
  }
  template <class Tile, class Survey>
  TWOFOLD_HD constexpr value collect(const Tile& tile, const Survey& seen) const {
    const maybe<reference> g = gauge.reference(how, seen);
    return g.has ? value_at(tile, g.value) : how.base().identity();
  }
  //! The value of a tile at a reference that will do for it.
  template <class Tile>
  TWOFOLD_HD constexpr value value_at(const Tile& tile, const reference& g) const {
    if constexpr (requires { how.collect(g, tile); })
      if (how.collects_at(g)) return how.collect(g, tile);
    return at_one_reference(tile, {true, g}).amount;
  }
  TWOFOLD_HD constexpr value add_values(const value& a, const value& b) const { return how.base().combine(a, b); }
  template <class Survey>
  TWOFOLD_HD constexpr state state_at(const Survey& seen, const value& v) const {
    const maybe<reference> g = gauge.reference(how, seen);
    return g.has ? state{g.value, v} : identity();
  }
  //! Do join and add_values give the same bits for exchanged arguments?
  static constexpr bool symmetric_join = [] {
    if constexpr (requires { Gauge::symmetric_join; }) return Gauge::symmetric_join;
    else return false;
  }();
  static constexpr bool symmetric_values = is_symmetric<decltype(std::declval<const Twisting&>().base())>;
  //! @}

  //! @name Instead of a survey, where a reference can be guessed: everybody collects at guess(tile), values are added, and only if
  //! misses(value) is all of it collected once more at better(guess, value).
  //! @{
  template <class Tile>
  requires requires(const Gauge& policy, const Twisting& twisting, const Tile& tile) { policy.guess(twisting, tile); }
  TWOFOLD_HD constexpr reference guess(const Tile& tile) const { return gauge.guess(how, tile); }
  TWOFOLD_HD constexpr bool misses(const value& v) const { return gauge.misses(how, v); }
  TWOFOLD_HD constexpr reference better(const reference& g, const value& v) const { return how.centre(g, v); }
  //! @}

  //! @name What scans use: the states of neighbours, or of all prefixes of a tile, written at one reference, where nothing is lost by it
  //! because none lies far below.
  //! @{
  TWOFOLD_HD constexpr bool keeps_at(const state& s, const reference& k) const requires requires(const Twisting& t) { t.keeps_at(k, k); }
  { return how.keeps_at(s.at, k); }
  TWOFOLD_HD constexpr reference later_reference(const reference& a, const reference& b) const requires
      requires(const Gauge& policy, const Twisting& t) {
    policy.join(t, a, b);
  }
  { return gauge.join(how, a, b); }
  //! Moves s to the reference that it and the tile have together. False, and s stands, where that would lose something.
  template <class Tile>
  requires requires(const Gauge& p, const Twisting& t, const state& s, const Tile& tile) { t.keeps_at(p.extend_by(t, s, tile), s.at); }
  TWOFOLD_HD constexpr bool settle_for(state& s, const Tile& tile) const {
    const reference k = gauge.extend_by(how, s, tile);
    if (!how.keeps_at(s.at, k)) return false;
    how.act(s.at, k, s.amount);
    s.at = k;
    return true;
  }
  //! s ⊙ lift(x…), where s has settled for a tile that holds x….
  template <class... X>
  TWOFOLD_HD constexpr void push_settled(state& s, const X&... x) const {
    how.add_settled(s.amount, s.at, x...);
  }
  //! Does s, which has settled for a tile, outweigh each of its elements? It then does so to the tile's end, and sums are cheaper.
  TWOFOLD_HD constexpr bool outweighs(const state& s) const {
    if constexpr (requires { how.outweighs(s.amount); }) return how.outweighs(s.amount);
    else return false;
  }
  template <class... X>
  TWOFOLD_HD constexpr void push_outweighed(state& s, const X&... x) const {
    if constexpr (requires { how.add_outweighed(s.amount, s.at, x...); }) how.add_outweighed(s.amount, s.at, x...);
    else how.add_settled(s.amount, s.at, x...);
  }
  //! @}

  //! An element without influence, where there is one.
  TWOFOLD_HD static constexpr auto unseen() requires requires { Twisting::unseen(); }
  { return Twisting::unseen(); }

 private:
  template <class Tile>
  TWOFOLD_HD constexpr state at_one_reference(const Tile& tile, const maybe<reference>& g) const {
    state s = identity();
    if (!g.has) return s;  // nothing visible
    s.at = g.value;
    TWOFOLD_UNROLL
    for (index i = 0, n = tile.size(); i < n; ++i)
      tile.apply(i, [&](const auto&... x) {
        if (!absent(x...)) how.add(s.amount, s.at, x...);
      });
    return s;
  }

 public:
  //! Could this operator have made the state? Asked of states that were loaded from somewhere.
  TWOFOLD_HD constexpr bool valid(const state& s) const {
    if constexpr (requires { how.valid(s.amount); }) return how.valid(s.amount);
    else return true;
  }

  //! The same state written at reference k: a change of gauge.
  TWOFOLD_HD constexpr state at_reference(state s, const reference& k) const {
    if (empty(s)) return s;
    how.act(s.at, k, s.amount);
    s.at = k;
    return s;
  }

  //! Equality modulo gauge: both are written at one reference and their values compared (by the twisting's `near`,
  //! with its tolerance, where arithmetic rounds).
  TWOFOLD_HD constexpr bool same(const state& a, const state& b) const {
    if (empty(a) || empty(b)) return empty(a) && empty(b);
    const reference k = gauge.merge(how, a, b);
    const state x = at_reference(a, k), y = at_reference(b, k);
    if constexpr (requires {
                    { how.near(k, x.amount, y.amount) } -> std::convertible_to<bool>;
                  }) {
      return how.near(k, x.amount, y.amount);
    } else {
      return x.amount == y.amount;
    }
  }

 private:
  template <class... X>
  TWOFOLD_HD constexpr bool absent(const X&... x) const {
    return !gauge::detail::present(how, x...);
  }
  //! v ← v ⊕ A(b.at→k) b.amount, fused where the twisting knows how (no copy of a long value).
  TWOFOLD_HD constexpr void absorb(value& v, const state& b, const reference& k) const {
    if constexpr (requires { how.absorb(v, b.at, k, b.amount); }) {
      how.absorb(v, b.at, k, b.amount);
    } else {
      value w = b.amount;
      how.act(b.at, k, w);
      v = how.base().combine(v, w);
    }
  }
};

TWOFOLD_END_NAMESPACE
