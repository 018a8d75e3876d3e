// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Arithmetic of numbers that may be one of the two infinities, as pairs of a condition and a number.
#include "frontend/extended.hpp"

#include <algorithm>
#include <optional>

namespace twofold::analyser::frontend {
namespace {

//! `value` where `set`; where not, +∞ (`up`) or −∞.
struct extended {
  term set, value;
  bool up = false;
};

bool always(const extended& e) { return is_number(e.set, 1); }

class elimination {
 public:
  elimination(const std::map<term, extended>& variables) : variables_(variables) {}

  //! t in pairs; nothing where it does more with an infinity than to compare, choose and shift.
  std::optional<extended> number_of(term t) const {
    if (!speaks(t)) return extended{boolean(true), t};
    if (const auto v = variables_.find(t); v != variables_.end()) return v->second;
    if (t->is(op::infinity) || t->is(op::minus_infinity)) return extended{boolean(false), number(0L, t->type), t->is(op::infinity)};
    if (t->is(op::select)) {
      const auto c = truth_of(t->args[0]);
      const auto a = number_of(t->args[1]), b = number_of(t->args[2]);
      if (!c || !a || !b) return std::nullopt;
      return both(*a, *b, select(*c, a->set, b->set), select(*c, a->value, b->value));
    }
    if (t->is(op::cast)) {
      auto a = number_of(t->args[0]);
      if (a) a->value = cast(a->value, t->type);
      return a;
    }
    if (t->is(op::neg)) {
      auto a = number_of(t->args[0]);
      if (a) a->value = neg(a->value), a->up = !a->up;
      return a;
    }
    if (t->args.size() != 2 || !(t->is(op::add) || t->is(op::max) || t->is(op::min))) return std::nullopt;
    const auto a = number_of(t->args[0]), b = number_of(t->args[1]);
    if (!a || !b) return std::nullopt;
    if (t->is(op::add)) return both(*a, *b, logical_and(a->set, b->set), add(a->value, b->value));
    const term chosen = make(t->kind, {a->value, b->value}, t->type);
    const bool up = always(*a) ? b->up : a->up;
    if (up == t->is(op::max)) return both(*a, *b, logical_and(a->set, b->set), chosen);  // the infinity wins
    return both(*a, *b, logical_or(a->set, b->set), select(a->set, select(b->set, chosen, a->value), b->value));
  }

  std::optional<term> truth_of(term t) const {
    if (!speaks(t)) return t;
    if (t->is(op::less) || t->is(op::less_equal) || t->is(op::equal)) {
      const auto a = number_of(t->args[0]), b = number_of(t->args[1]);
      if (!a || !b) return std::nullopt;
      const auto at = [&](const extended& e) { return e.up ? infinity(e.value->type) : minus_infinity(e.value->type); };
      const auto compare = [&](term x, term y) {
        return t->is(op::less) ? less(x, y) : t->is(op::less_equal) ? less_equal(x, y) : equal(x, y);
      };
      const term mixed_left = select(b->set, compare(at(*a), b->value), compare(at(*a), at(*b)));
      return select(a->set, select(b->set, compare(a->value, b->value), compare(a->value, at(*b))), mixed_left);
    }
    if (t->type.kind != sort::boolean || !(t->is(op::logical_and) || t->is(op::logical_or) || t->is(op::logical_not) || t->is(op::select)))
      return std::nullopt;
    std::vector<term> args;
    for (term a : t->args) {
      const auto r = truth_of(a);
      if (!r) return std::nullopt;
      args.push_back(*r);
    }
    return rebuild(t, std::move(args));
  }

 private:
  bool speaks(term t) const {
    return contains(t, [&](const node& n) { return n.is(op::infinity) || n.is(op::minus_infinity) || variables_.contains(term(&n)); });
  }
  static std::optional<extended> both(const extended& a, const extended& b, term set, term value) {
    if (!always(a) && !always(b) && a.up != b.up) return std::nullopt;  // either infinity
    return extended{set, value, always(a) ? b.up : a.up};
  }

  const std::map<term, extended>& variables_;
};

}  // namespace

std::map<term, term> without_infinite_states(record& l, const std::map<term, term>& flags, const std::map<term, term>& finite) {
  // those that may stay infinite, and the infinite starts that their steps read
  std::map<term, extended> chosen;
  const auto starts_infinite = [&](const carried& v) {
    return !v.extent && flags.contains(v.symbol) && (v.init->is(op::infinity) || v.init->is(op::minus_infinity));
  };
  const auto choose = [&](const carried& v) { chosen.emplace(v.symbol, extended{flags.at(v.symbol), v.symbol, v.init->is(op::infinity)}); };
  substitution first;
  for (const carried& v : l.state)
    if (!v.extent) first[v.symbol] = v.init;
  for (const carried& v : l.state)
    if (starts_infinite(v)) {
      const auto f = finite.find(v.symbol);
      const bool may_stay =
          contains(substitute(v.step, first), [](const node& n) { return n.is(op::infinity) || n.is(op::minus_infinity); });
      if (may_stay && f != finite.end() && f->second && !is_number(f->second, 1)) choose(v);
    }
  if (chosen.empty()) return {};
  for (bool grown = true; grown;) {
    grown = false;
    for (const carried& v : l.state)
      for (const carried& u : l.state)
        if (chosen.contains(v.symbol) && !chosen.contains(u.symbol) && starts_infinite(u) && mentions(v.step, u.symbol)) {
          if (finite.find(u.symbol) == finite.end() || !finite.at(u.symbol)) return {};
          choose(u);
          grown = true;
        }
  }
  const elimination eliminate(chosen);
  std::vector<carried> state = l.state;
  std::vector<written> writes = l.writes;
  for (carried& v : state) {
    const bool own = chosen.contains(v.symbol);
    if (v.type.kind == sort::boolean) {
      const auto t = eliminate.truth_of(v.step);
      if (!t) return {};
      v.step = *t;
      continue;
    }
    const bool infinite_start = v.init->is(op::infinity) || v.init->is(op::minus_infinity);
    const bool speaks = contains(v.step, [&](const node& n) { return chosen.contains(term(&n)); });
    if (!own && (infinite_start || !speaks)) {
      if (speaks) return {};
      continue;
    }
    const auto t = eliminate.number_of(v.step);
    if (!t || (!own && !always(*t))) return {};
    v.step = always(*t) ? t->value : select(t->set, t->value, number(0L, v.type));
    if (own) v.init = number(0L, v.type);
  }
  for (written& w : writes)
    if (contains(w.value, [&](const node& n) { return chosen.contains(term(&n)); })) return {};
  std::map<term, term> meaning;
  for (const carried& v : l.state)
    if (chosen.contains(v.symbol)) meaning[v.result] = v.init;
  l.state = std::move(state);
  l.writes = std::move(writes);
  return meaning;
}

}  // namespace twofold::analyser::frontend
