// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The laws of a reduction, checked on your own operator: `laws::check(op)`, with samples, or with a generator.
//! Trials draw pieces a, b, c of input, run the loop over each, and compare the two sides of every law; a failure is
//! shrunk to few and simple elements. No exceptions, no printing: the answer is a report. Passing is evidence, never
//! proof.
#pragma once

#include <cstdint>
#include <tuple>
#include <vector>

#include "twofold/algebra/laws/equal.hpp"
#include "twofold/algebra/laws/generate.hpp"
#include "twofold/algebra/laws/report.hpp"
#include "twofold/algebra/laws/text.hpp"
#include "twofold/algebra/reduction.hpp"

TWOFOLD_BEGIN_NAMESPACE
namespace laws {

struct options {
  int trials = 400;
  int longest = 8;  //!< most elements in a piece
  std::uint64_t seed = 1;
  double tolerance = -1;    //!< relative to the largest number seen in a field; −1: 1024 roundings of the field's type
  int shrink_steps = 4000;  //!< most re-runs spent on making a counterexample small
};

namespace detail {

template <class E>
struct trial {
  std::vector<E> a, b, c;
};

//! f with an element's inputs: a tuple is several inputs unless the operator lifts tuples.
template <class R, class E, class F>
decltype(auto) with_inputs(const R&, const E& e, F&& f) {
  if constexpr (reduces<R, E>) return f(e);
  else return std::apply(f, e);
}

//! A piece of input as a tile.
template <class R, class E>
struct piece {
  const R& r;
  const std::vector<E>& elements;
  [[nodiscard]] index size() const { return static_cast<index>(elements.size()); }
  template <class F>
  void apply(index i, F&& f) const {
    with_inputs(r, elements[static_cast<std::size_t>(i)], f);
  }
};

//! The laws of one operator on one kind of element.
template <class R, class E>
class checker {
 public:
  using state = state_of<R>;
  using word = std::vector<E>;
  checker(const R& r, const options& o) : r_(r), o_(o) {}

  //! Does the law hold for these pieces?
  bool holds(law l, const trial<E>& t) const {
    return sides(l, t, [&](const char*, const auto& left, const auto& right) { return equal(t, left, right); });
  }
  //! The two sides in words, for a failure.
  counterexample explain(law l, const trial<E>& t) const {
    counterexample x;
    x.broken = l;
    x.elements = static_cast<index>(t.a.size() + t.b.size() + t.c.size());
    sides(l, t, [&](const char* statement, const auto& left, const auto& right) {
      if (equal(t, left, right)) return true;
      x.statement = statement;
      x.left_side = text(left);
      x.right_side = text(right);
      return false;
    });
    x.a = text(t.a);
    if (l != law::identity && l != law::leaf) x.b = text(t.b);
    if (l == law::associativity || l == law::push) x.c = text(t.c);
    return x;
  }

  //! The loop: push from the identity.
  state fold(const word& w) const {
    state s = r_.identity();
    for (const E& e : w) with_inputs(r_, e, [&](const auto&... x) { push_into(r_, s, x...); });
    return s;
  }

 private:
  //! compare(statement, left, right) for every equation of the law, until one fails.
  template <class Compare>
  bool sides(law l, const trial<E>& t, const Compare& compare) const {
    const state a = fold(t.a), b = fold(t.b), e = r_.identity();
    switch (l) {
      case law::identity:
        return compare("e ⊕ e = e", r_.combine(e, e), e) && compare("e ⊕ a = a", r_.combine(e, a), a) &&
               compare("a ⊕ e = a", r_.combine(a, e), a) && first_sides(t, e, compare);
      case law::push:
        return push_sides(t, a, b, compare);
      case law::associativity: {
        const state c = fold(t.c);
        return compare("(a ⊕ b) ⊕ c = a ⊕ (b ⊕ c)", r_.combine(r_.combine(a, b), c), r_.combine(a, r_.combine(b, c)));
      }
      case law::commutativity:
        return compare("a ⊕ b = b ⊕ a, as declared", r_.combine(a, b), r_.combine(b, a));
      case law::leaf:
        return compare("leaf(a) = the loop over a", twofold::leaf(r_, piece<R, E>{r_, t.a}), a);
      case law::whole:
        return whole_sides(t, a, b, compare);
    }
    return true;
  }

  //! The identity must be neutral for an element that did not start from it: max from 0 is not, on negative numbers.
  template <class Compare>
  bool first_sides(const trial<E>& t, const state& e, const Compare& compare) const {
    if (t.a.empty()) return true;
    return with_inputs(r_, t.a[0], [&](const auto&... x) {
      const state one = r_.lift(x...);
      return compare("e ⊕ lift(a) = lift(a)", r_.combine(e, one), one) && compare("lift(a) ⊕ e = lift(a)", r_.combine(one, e), one);
    });
  }

  //! c[0] is the pushed element.
  template <class Compare>
  bool push_sides(const trial<E>& t, const state& a, const state& b, const Compare& compare) const {
    if (t.c.empty()) return true;
    return with_inputs(r_, t.c[0], [&](const auto&... x) {
      const state bx = push(r_, b, x...);
      state in_place = b;
      push_into(r_, in_place, x...);
      return compare("push(b, c) = b ⊕ lift(c)", bx, r_.combine(b, r_.lift(x...))) && compare("push in place = push(b, c)", in_place, bx) &&
             compare("a ⊕ push(b, c) = push(a ⊕ b, c)", r_.combine(a, bx), push(r_, r_.combine(a, b), x...));
    });
  }

  template <class Compare>
  bool whole_sides(const trial<E>& t, const state& a, const state& b, const Compare& compare) const {
    word ab = t.a;
    ab.insert(ab.end(), t.b.begin(), t.b.end());
    const state merged = r_.combine(a, b), whole = fold(ab);
    return compare("a ⊕ b = the loop over a then b", merged, whole) && compare_answers(ab, merged, whole, compare);
  }

  //! An answer that is a map (softmax) is compared by what it makes of every element.
  template <class Compare>
  bool compare_answers(const word& elements, const state& merged, const state& whole, const Compare& compare) const {
    constexpr const char* statement = "finalize(a ⊕ b) = finalize(the loop over a then b)";
    const auto left = r_.finalize(merged), right = r_.finalize(whole);
    using answer = std::remove_cvref_t<decltype(left)>;
    if constexpr (std::is_invocable_v<const answer&, const E&>) {
      for (const E& x : elements)
        if (!compare(statement, left(x), right(x))) return false;
      return true;
    } else if constexpr (has_fields<answer>()) {
      return compare(statement, left, right);
    } else {
      return true;
    }
  }

  //! States by equal_states; answers by their own `near`, or against the largest number in them or in the elements
  //! they are made of.
  template <class T>
  bool equal(const trial<E>& t, const T& left, const T& right) const {
    magnitudes seen;
    if constexpr (std::is_same_v<T, state>) {
      for (const word* w : {&t.a, &t.b, &t.c}) note_magnitudes(seen, fold(*w));
      return equal_states(r_, left, right, seen, o_.tolerance);
    } else {
      if constexpr (requires {
                      { left.near(right) } -> std::convertible_to<bool>;
                    })
        return left.near(right);
      double largest = 1;
      const auto measure = [&](const auto& x) {
        magnitudes m;
        note_magnitudes(m, x);
        for (const double size : m) largest = size > largest ? size : largest;
      };
      measure(left);
      for (const word* w : {&t.a, &t.b, &t.c})
        for (const E& e : *w) with_inputs(r_, e, [&](const auto&... x) { (measure(x), ...); });
      seen.assign(numbers(left).size(), largest);
      return near_fields(left, right, seen, tolerance_for(left, o_.tolerance));
    }
  }

  const R& r_;
  const options& o_;
};

//! Fewer elements first, then simpler ones, until nothing helps or the budget is spent. `simpler(x, try_it)` as in
//! generate.hpp.
template <class R, class E, class Simpler>
trial<E> shrink(const checker<R, E>& k, law l, trial<E> t, int budget, const Simpler& simpler) {
  const auto still_fails = [&] { return --budget >= 0 && !k.holds(l, t); };
  for (bool progress = true; progress && budget > 0;) {
    progress = false;
    for (std::vector<E>* w : {&t.a, &t.b, &t.c}) {
      for (std::size_t i = 0; i < w->size();) {
        const E removed = (*w)[i];
        w->erase(w->begin() + static_cast<std::ptrdiff_t>(i));
        if (still_fails()) {
          progress = true;
        } else {
          w->insert(w->begin() + static_cast<std::ptrdiff_t>(i), removed);
          ++i;
        }
      }
      for (E& x : *w)
        while (budget > 0 && simpler(x, still_fails)) progress = true;
    }
  }
  return t;
}

template <class E, class R, class Generate, class Simpler>
report run(const R& r, const Generate& generate, const Simpler& simpler, const options& o) {
  const checker<R, E> k(r, o);
  random rng(o.seed);
  report out;
  bool looked_commutative = true, tried_commutative = false;
  const auto draw_piece = [&](int longest) {
    std::vector<E> w(static_cast<std::size_t>(rng.between(0, longest)));
    for (E& x : w) x = generate(rng);
    return w;
  };
  for (int i = 0; i < o.trials; ++i) {
    const int longest = i % 4 == 3 ? o.longest : (o.longest < 3 ? o.longest : 3);  // short pieces find most faults, and read better
    const trial<E> t{draw_piece(longest), draw_piece(longest), draw_piece(longest)};
    ++out.trials;
    for (const law l : {law::identity, law::push, law::associativity, law::commutativity, law::leaf, law::whole}) {
      if (l == law::commutativity && !is_commutative<R>) {
        if (!t.a.empty() && !t.b.empty()) tried_commutative = true, looked_commutative = looked_commutative && k.holds(l, t);
        continue;
      }
      if (k.holds(l, t)) continue;
      out.passed = false;
      out.failure = k.explain(l, shrink(k, l, t, o.shrink_steps, simpler));
      return out;
    }
  }
  if (tried_commutative && looked_commutative) out.note = "commutative in every trial, though not declared so";
  return out;
}

}  // namespace detail

//! @brief  Checks an operator on elements drawn by `generate(random&)`. A tuple stands for several inputs.
//! @laws   identity on both sides (and e ⊕ e = e), push rule, associativity, commutativity if declared, leaf = loop,
//!         merged answer = answer of the whole; on reachable states only
//! @error  states are compared by the operator's `same`; else exactly if it declares exact_over_machine; else within
//!         the tolerance
template <reduction R, class Generate>
requires std::is_invocable_v<const Generate&, random&>
[[nodiscard]] report check(const R& r, const Generate& generate, const options& o = {}) {
  using E = std::remove_cvref_t<decltype(generate(std::declval<random&>()))>;
  return detail::run<E>(
      r, generate, [](E&, const auto&) { return false; }, o);
}

//! @brief  The same on elements picked from samples; counterexamples shrink towards earlier samples, so put simple
//!         ones first.
template <reduction R, class Samples>
requires requires(const Samples& s) { s.begin() != s.end(); }
[[nodiscard]] report check(const R& r, const Samples& samples, const options& o = {}) {
  using E = std::remove_cvref_t<decltype(*samples.begin())>;
  const std::vector<E> all(samples.begin(), samples.end());
  if (all.empty()) return {};
  const auto pick = [&](random& g) { return all[g.next() % all.size()]; };
  const auto simpler = [&](E& x, const auto& still_fails) {
    const E old = x;
    for (const E& other : all) {
      if (detail::identical(other, old)) break;
      x = other;
      if (still_fails()) return true;
    }
    x = old;
    return false;
  };
  return detail::run<E>(r, pick, simpler, o);
}

//! @brief  The same on small numbers of the type the operator lifts.
template <reduction R>
[[nodiscard]] report check(const R& r, const options& o = {}) {
  using E = typename detail::element<R>::type;
  return detail::run<E>(
      r, [](random& g) { return detail::draw<E>(g); }, [](E& x, const auto& still_fails) { return detail::simplify(x, still_fails); }, o);
}

}  // namespace laws
TWOFOLD_END_NAMESPACE
