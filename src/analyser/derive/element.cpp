// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The right piece in the element's place. A step often says how to merge: if (x > m) { m = x; at = i; } compares m with an
//! element and keeps one of two; with the right piece's (m, at) for (x, i) it is the merge. Arguments, payloads, first and last
//! occurrences, counts of the extremum come out of it.
#include <algorithm>

#include "derive/condition.hpp"
#include "derive/reduce.hpp"
#include "derive/semiring.hpp"

namespace twofold::analyser::deriving {
namespace {

bool speaks_of_element(term t) {
  return contains(t, [](const node& n) { return n.is_symbol(symbol_kind::element) || n.is_symbol(symbol_kind::index); });
}

//! What w becomes on one element, whatever the initial value: the step at the identity of its merge.
term fresh_value(const candidate::variable& w) {
  term start = w.init;
  if (w.merge && w.merge->is(op::max)) start = minus_infinity(w.type);
  if (w.merge && w.merge->is(op::min)) start = infinity(w.type);
  return start ? substitute(w.step, {{w.symbol, start}}) : term();
}

class rewriting {
 public:
  rewriting(const part& p, const state_variable& v) : v_(v) {
    for (const auto& w : p.upstream) {
      const term fresh = fresh_value(w);
      if (fresh && speaks_of_element(fresh) && !has_state(fresh) && !has_infinity(fresh)) element_[fresh] = right_of(w.symbol);
      state_[w.symbol] = left_of(w.symbol);
      if (w.init && w.merge && w.merge->is(op::add)) counters_.push_back(&w);
    }
    state_[v.symbol] = left_of(v.symbol);
  }

  //! The merge, or nothing if an element is left over.
  std::optional<term> operator()() {
    const term m = leaf_or_choice(tidied(v_.step));
    if (!m || speaks_of_element(m)) return std::nullopt;
    return m;
  }

 private:
  term leaf_or_choice(term t) {
    if (t->is(op::select)) {
      const term c = substitute(substitute(t->args[0], element_), state_);
      const term a = leaf_or_choice(t->args[1]), b = leaf_or_choice(t->args[2]);
      return a && b ? select(c, a, b) : term();
    }
    const term own = left_of(v_.symbol), other = right_of(v_.symbol);
    if (t == v_.symbol) return own;
    if (!has_symbol(t, v_.symbol)) return shifted(t, other);
    for (op k : {op::add, op::max, op::min, op::logical_and, op::logical_or})
      if (t->is(k) && (t->args[0] == v_.symbol || t->args[1] == v_.symbol) && !has_state(t->args[t->args[0] == v_.symbol ? 1 : 0]))
        return make(k, {own, other}, t->type);
    return {};
  }

  //! A value taken from a counter that runs along is relative to where the piece began.
  term shifted(term t, term other) {
    for (const auto* n : counters_)
      if (has_symbol(t, n->symbol)) {
        const term moved = sub(substitute(t, {{n->symbol, add(n->symbol, number(1, n->type))}}), t);
        if (!(is_number(moved, 1) || same_shift(t, n->symbol)) || n->type != t->type) return {};
        return add(other, sub(left_of(n->symbol), n->init));
      }
    return has_state(t) ? term() : other;
  }
  static bool same_shift(term t, term n) {
    const auto f = linear_in(expanded(t), expanded(n).begin()->first.begin()->first);
    return f && f->slope == constant(1);
  }

  const state_variable& v_;
  substitution element_, state_;
  std::vector<const candidate::variable*> counters_;
};

}  // namespace

std::optional<part_result> in_place_of_element(const part& p, std::vector<std::string>&) {
  if (p.variables.size() != 1 || p.variables[0]->extent) return std::nullopt;
  const state_variable& v = *p.variables[0];
  if (!contains(tidied(v.step), [](const node& n) { return n.is(op::select); })) return std::nullopt;
  const auto merge = rewriting(p, v)();
  if (!merge) return std::nullopt;
  candidate::variable c = carried(v);
  c.merge = *merge;
  auto r = reduce(p.upstream, {c}, {});
  if (r) r->mechanism = "right piece in the element's place";
  return r;
}

}  // namespace twofold::analyser::deriving
