// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file What all mechanisms share: the symbols of the two pieces, lifts, names.
#include "derive/part.hpp"

#include <algorithm>

namespace twofold::analyser::deriving {

term left_of(term s) { return symbol(symbol_kind::left, s->name, s->type); }
term right_of(term s) { return symbol(symbol_kind::right, s->name, s->type); }

substitution sides(const std::vector<candidate::variable>& variables, symbol_kind side) {
  substitution s;
  for (const auto& v : variables) s[v.symbol] = symbol(side, v.symbol->name, v.symbol->type);
  return s;
}
substitution merges(const std::vector<candidate::variable>& variables) {
  substitution s;
  for (const auto& v : variables) s[v.symbol] = v.merge;
  return s;
}

candidate::variable carried(const state_variable& v) {
  candidate::variable c;
  c.name = v.name;
  c.type = v.type;
  c.kind = role::carried;
  c.symbol = v.symbol;
  c.init = v.init;
  c.step = v.step;
  c.extent = v.extent;
  c.component = v.component;
  return c;
}

term lift_of(const state_variable& v, const pass& loop) {
  substitution s;
  for (const auto& w : loop.state) s[w.symbol] = w.init;
  return substitute(v.step, s);
}
term lift_of(const candidate::variable& v, const std::vector<candidate::variable>& all) {
  if (v.lift) return v.lift;
  substitution s;
  for (const auto& w : all)
    if (w.init) s[w.symbol] = w.init;
  return substitute(v.step, s);
}

std::vector<const state_variable*> with_upstream(const part& p) {
  std::vector<const state_variable*> r = p.variables;
  for (std::size_t i = 0; i < r.size(); ++i)
    for (const auto& v : p.loop.state) {
      const bool in = std::find(r.begin(), r.end(), &v) != r.end();
      if (!in && has_symbol(r[i]->step, v.symbol)) r.push_back(&v);
    }
  std::sort(r.begin(), r.end());
  return r;
}

bool has_state(term t) {
  return contains(t, [](const node& n) { return n.is_symbol(symbol_kind::state); });
}
bool has_symbol(term t, term s) {
  return contains(t, [&](const node& n) { return &n == &*s; });
}
bool has_infinity(term t) {
  return contains(t, [](const node& n) { return n.is(op::infinity) || n.is(op::minus_infinity) || n.is(op::nan); });
}

std::string fresh_name(const std::string& stem, const part& p, const std::vector<candidate::variable>& added) {
  std::set<std::string> taken;
  const auto take = [&](term t) {
    if (!t) return;
    for (term s : symbols(t)) taken.insert(s->name);
  };
  for (const auto& v : p.loop.state) {
    taken.insert(v.name);
    take(v.init);
    take(v.step);
  }
  for (const auto& v : p.upstream) taken.insert(v.name);
  for (const auto& v : added) taken.insert(v.name);
  for (const auto& e : p.loop.elements) taken.insert(e.array);
  std::string name = stem;
  for (int k = 2; taken.contains(name); ++k) name = stem + "_" + std::to_string(k);
  return name;
}

candidate::variable added_variable(const std::string& stem, const part& p, const std::vector<candidate::variable>& added, type t,
                                   std::string why) {
  candidate::variable c;
  c.name = fresh_name(stem, p, added);
  c.type = t;
  c.kind = role::added;
  c.symbol = symbol(symbol_kind::state, c.name, t);
  c.why = std::move(why);
  return c;
}

}  // namespace twofold::analyser::deriving
