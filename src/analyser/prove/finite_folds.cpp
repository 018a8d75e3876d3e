// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Naming the extrema of rows.
#include "prove/finite_folds.hpp"

#include <algorithm>

#include "prove/brief.hpp"

namespace twofold::analyser {
namespace {

//! max from −∞ or min from ∞ over terms of elements and parameters alone.
bool is_extremum_of_row(const node& n) {
  if (!n.is(op::inner_fold)) return false;
  const term init = n.args[1], body = n.args[2];
  const bool from_nothing = (body->is(op::max) && init->is(op::minus_infinity)) || (body->is(op::min) && init->is(op::infinity));
  if (!from_nothing) return false;
  const term acc = symbol(symbol_kind::accumulator, n.name, init->type);
  const bool first = body->args[0] == acc;
  if (!first && body->args[1] != acc) return false;
  const term entry = body->args[first ? 1 : 0], count = n.args[0];
  const auto foreign = [&](const node& u) {  // the fold would be another number at every state, or at every round of a loop around it
    const bool bound = u.is_symbol(symbol_kind::accumulator) || u.is_symbol(symbol_kind::inner_index);
    return is_special(u) || (bound && (term(&u) == acc || u.name != n.name)) || u.is_symbol(symbol_kind::state) ||
           u.is_symbol(symbol_kind::left) || u.is_symbol(symbol_kind::right) || u.is_symbol(symbol_kind::result) ||
           u.is_symbol(symbol_kind::component) || u.is(op::inner_fold);
  };
  // an entry that has no value everywhere has conditions of its own, which nobody would see behind the name
  return entry->total && count->total && !contains(entry, foreign) && !contains(count, foreign);
}

}  // namespace

void finite_folds::visit(term& t) {
  if (!t) return;
  (void)contains(t, [&](const node& n) {
    if (!is_extremum_of_row(n) || names_.contains(term(&n))) return false;
    const std::string name = "extremum " + std::to_string(names_.size());
    const term s = symbol(symbol_kind::element, name, n.type);
    names_.emplace(term(&n), s);
    elements_.push_back({s, name, 0, {}});
    const std::string text = "rows are not empty: 1 <= " + brief(n.args[0]);
    if (std::find(assumptions_.begin(), assumptions_.end(), text) == assumptions_.end()) assumptions_.push_back(text);
    return false;
  });
  if (!names_.empty()) t = substitute(t, names_);
}

spec finite_folds::named(spec s) {
  for (pass& p : s.passes) {
    for (auto& v : p.state) {
      visit(v.init);
      visit(v.step);
    }
    for (auto& o : p.outputs) visit(o.value);
  }
  for (auto& o : s.outputs) visit(o.value);
  for (pass& p : s.passes) p.elements.insert(p.elements.end(), elements_.begin(), elements_.end());
  return s;
}
candidate finite_folds::named(candidate c) {
  for (auto& v : c.variables)
    for (term* t : {&v.init, &v.lift, &v.step, &v.merge}) visit(*t);
  for (term& t : c.invariant) visit(t);
  return c;
}
std::vector<output> finite_folds::named(std::vector<output> finalize) {
  for (auto& o : finalize) visit(o.value);
  return finalize;
}

}  // namespace twofold::analyser
