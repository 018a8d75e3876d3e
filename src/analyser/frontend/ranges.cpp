// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The range of a loop: which parts of its condition bound the iteration number, and where they end it.
#include <algorithm>

#include "frontend/polynomial.hpp"
#include "frontend/summary.hpp"

namespace twofold::analyser::frontend {
namespace {

void conjuncts(term c, std::vector<term>& out) {
  if (c->is(op::logical_and)) {
    for (term a : c->args) conjuncts(a, out);
  } else if (c->is(op::logical_not) && c->args[0]->is(op::logical_or)) {
    for (term a : c->args[0]->args) conjuncts(logical_not(a), out);
  } else {
    out.push_back(c);
  }
}

//! The comparison as D > 0 (D an integer polynomial), or D ≠ 0.
struct bound {
  polynomial distance;
  bool unequal = false;
};
std::optional<bound> as_bound(term c) {
  const bool negated = c->is(op::logical_not);
  const term t = negated ? c->args[0] : c;
  if (!t->is(op::less) && !t->is(op::less_equal) && !(t->is(op::equal) && negated)) return std::nullopt;
  if (t->args[0]->type.kind != sort::integer) return std::nullopt;
  const polynomial a = to_polynomial(t->args[0]), b = to_polynomial(t->args[1]), one = to_polynomial(number(1L, long_type));
  if (t->is(op::equal)) {
    // i != -1 of an unsigned i is met at 2^bits - 1: modulo 2^bits, the distance nearest to zero is meant.
    polynomial d = b - a;
    if (const type u = t->args[0]->type; u.is_modular())
      if (const auto last = d.terms.find({}); last != d.terms.end()) {
        const mpz_class range = mpz_class(1) << static_cast<unsigned>(u.bits);
        mpz_class r = last->second % range;
        if (r > range / 2) r -= range;
        if (r < -range / 2) r += range;
        if (r == 0) d.terms.erase(last);
        else last->second = r;
      }
    return bound{d, true};
  }
  if (t->is(op::less)) return negated ? bound{a - b + one} : bound{b - a};
  return negated ? bound{a - b} : bound{b - a + one};
}

//! Where an unsigned comparison says something else than the integers do: a side that is below 0 is a very large number there.
//! Null if it does not; "" if it does, else what must not be negative.
std::optional<std::string> wraps_below_zero(term c, term k) {
  const term t = c->is(op::logical_not) ? c->args[0] : c;
  if (t->is(op::equal)) return std::nullopt;  // modulo 2^bits on both sides
  for (term side : t->args) {
    if (!side->type.is_modular()) continue;
    const polynomial p = to_polynomial(side);
    const bool moves = mentions(p, k);
    const auto form = affine_in(p, k);
    const polynomial start = moves && form ? form->rest : p;
    if (const auto v = start.constant()) {
      if (*v < 0) return std::string();
      continue;
    }
    if (!moves) {  // a length that is negative is a very large one
      if (contains(side, [&](const node& n) { return n.is(op::cast) && n.type.is_modular() && !n.args[0]->type.is_modular(); }))
        return to_text(to_term(start));
      continue;
    }
    if (std::all_of(start.terms.begin(), start.terms.end(), [](const auto& m) { return m.second < 0; })) return std::string();
    const bool was_signed = contains(side, [&](const node& n) {
      return n.is(op::cast) && n.type.is_modular() && !n.args[0]->type.is_modular() && n.args[0] != k && mentions(n.args[0], k);
    });
    if (was_signed) return to_text(to_term(start));
  }
  return std::nullopt;
}

//! Does an unsigned index run down past a bound that may be 0? lo <= i then holds for ever: below 0 comes the largest number.
bool never_ends(term c, term k) {
  const bool negated = c->is(op::logical_not);
  const term t = negated ? c->args[0] : c;
  const bool inclusive = negated ? t->is(op::less) : t->is(op::less_equal);
  if (!inclusive || !t->args[0]->type.is_modular()) return false;
  const term low = t->args[negated ? 1 : 0];
  const auto lowest = to_polynomial(low).constant();
  return !mentions(low, k) && !(lowest && *lowest > 0);
}

//! p / q where q is one monomial that divides every term of p.
std::optional<polynomial> divide(const polynomial& p, const polynomial& q) {
  if (q.terms.size() != 1) return std::nullopt;
  const auto& [m, c] = *q.terms.begin();
  polynomial r;
  for (const auto& [n, d] : p.terms) {
    if (d % c != 0 || !std::includes(n.begin(), n.end(), m.begin(), m.end())) return std::nullopt;
    std::vector<term> rest;
    std::set_difference(n.begin(), n.end(), m.begin(), m.end(), std::back_inserter(rest));
    r.terms[rest] = d / c;
  }
  return r;
}

//! Number of iterations until D = rest + slope·k is no longer positive (or no longer ≠ 0).
std::optional<polynomial> iterations(const bound& b, term k) {
  auto form = affine_in(b.distance, k);
  if (!form || form->slope.is_zero()) return std::nullopt;
  const polynomial down = polynomial{} - form->slope;
  if (auto c = form->slope.constant(); c && *c > 0 && !b.unequal) return std::nullopt;
  if (auto c = form->slope.constant(); c && abs(*c) == 1) return *c < 0 ? form->rest : polynomial{} - form->rest;
  return divide(form->rest, down);
}

}  // namespace

void executor::split_condition(iteration& it, const summary& s) const {
  std::vector<term> all;
  conjuncts(it.condition, all);
  it.stay = boolean(true);
  for (term c : all) {
    const bool data = contains(
        c, [&](const node& n) { return n.is(op::read) || n.type.kind == sort::real || (s.settled && n.is_symbol(symbol_kind::state)); });
    if (!data && as_bound(c) && (!s.settled || mentions(c, s.k))) it.bounds.push_back(c);
    else it.stay = logical_and(it.stay, c);
  }
  // i < n && i != stop: how far the loop goes is what the first says. The other ends it only where it is met, which may be never.
  const bool ordered = std::any_of(it.bounds.begin(), it.bounds.end(), [](term c) { return !as_bound(c)->unequal; });
  std::vector<term> kept;
  for (term c : it.bounds) {
    if (as_bound(c)->unequal && (ordered || !kept.empty())) it.stay = logical_and(it.stay, c);
    else kept.push_back(c);
  }
  it.bounds = std::move(kept);
}

void executor::find_range(const loop_form& f, const memory& entry, const iteration& it, summary& s) {
  const auto no_range = [&](std::string why) {
    if (exploring_) return;  // a trial does not know yet what moves
    refuse("TF4018", f.at, "a loop whose range is not understood", std::move(why),
           "walk an index from one bound to the other in steps of one: for (i = 0; i < n; ++i)");
  };
  for (term c : it.bounds) {
    const auto b = as_bound(c);
    const auto n = b ? iterations(*b, s.k) : std::nullopt;
    if (n && !exploring_) {
      if (const auto low = wraps_below_zero(c, s.k)) {
        if (low->empty()) no_range("it compares unsigned numbers, and one side starts below 0, where the largest number is");
        recording_.assume(*low + " >= 0");
      }
      if (const polynomial step = affine_in(b->distance, s.k)->slope; !step.constant()) {
        const bool down = std::all_of(step.terms.begin(), step.terms.end(), [](const auto& m) { return m.second < 0; });
        recording_.assume(to_text(to_term(down ? polynomial{} - step : step)) + " >= 1");
      }
    }
    if (n && never_ends(c, s.k)) no_range("an unsigned index never falls below 0: after 0 comes its largest value, and the loop goes on");
    if (!n) {
      no_range("the condition does not count down to an end in steps of one");
      continue;
    }
    if (std::any_of(n->terms.begin(), n->terms.end(),
                    [&](const auto& m) { return std::any_of(m.first.begin(), m.first.end(), [&](term a) { return varies(a, s.k); }); }))
      no_range("the number of iterations depends on the data or on an outer loop");
    for (int d = 0; d < s.depth; ++d)
      if (mentions(*n, iteration_symbol(d))) no_range("the number of iterations depends on an outer loop");
    const term t = to_term(*n);
    s.count = !s.count ? t : to_polynomial(s.count) == *n ? s.count : min(cast(s.count, long_type), cast(t, long_type));
  }
  if (!s.count) {
    no_range("no index is compared with an end");
    s.count = symbol(symbol_kind::opaque, "?", long_type);
  }
  if (f.body_first && !exploring_) recording_.assume("the range is not empty");
  s.done.first = number(0L, long_type);
  s.done.index_name = f.index_name;
  for (const auto& [l, by] : s.closed) {
    if (l.what != leaf::kind::scalar || !(is_number(by, 1) || is_number(by, -1))) continue;
    const term form = closed_form(entry, l, by, s.k);
    for (term c : it.bounds) {
      if (!contains(c, [&](const node& n) { return &n == form.operator->(); })) continue;
      s.done.first = get(entry, l);
      s.done.direction = is_number(by, 1) ? 1 : -1;
      s.done.index_name = objects_.at(l.object).name;
      const term t = c->is(op::logical_not) ? c->args[0] : c;
      if (s.done.direction == 1 && it.bounds.size() == 1 && (t->is(op::equal) || (t->is(op::less) && !c->is(op::logical_not)))) {
        const term other = t->args[0] == form || (t->args[0]->is(op::cast) && t->args[0]->args[0] == form) ? t->args[1] : t->args[0];
        if (!mentions(other, s.k)) s.done.last = other;
      }
    }
  }
}

}  // namespace twofold::analyser::frontend
