// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file See without_position.hpp.
#include "without_position.hpp"

#include <algorithm>
#include <set>

namespace twofold::analyser {
namespace {

bool is_index(const node& n) { return n.is_symbol(symbol_kind::index); }

//! Every term that is evaluated once per element.
std::vector<term> evaluated(const pass& p) {
  std::vector<term> r;
  for (const state_variable& v : p.state) r.push_back(v.step);
  for (const element_output& o : p.outputs) r.push_back(o.value);
  return r;
}

//! The integer type that every use of the index is converted to; its own type where there is no such one.
type type_in_use(const pass& p, term index) {
  std::set<const node*> converted, bare;
  std::optional<type> to;
  bool alike = true;
  for (term t : evaluated(p))
    (void)contains(t, [&](const node& n) {
      const bool integer = n.is(op::cast) && n.type.kind == sort::integer && n.type.is_signed;
      for (term a : n.args) {
        if (a != index) continue;
        alike &= integer && (!to || *to == n.type);
        if (integer) to = n.type;
      }
      return false;
    });
  alike &= std::none_of(p.state.begin(), p.state.end(), [&](const state_variable& v) { return v.step == index; });
  return alike && to ? *to : index->type;
}

}  // namespace

std::optional<spec> with_carried_index(const spec& s) {
  if (s.passes.size() != 1 || !s.passes[0].position_aware || s.passes[0].reverse || !s.passes[0].begin) return std::nullopt;
  spec r = s;
  pass& p = r.passes[0];
  term index;
  for (term t : evaluated(p))
    (void)contains(t, [&](const node& n) {
      if (is_index(n)) index = term(&n);
      return false;
    });
  if (!index) return std::nullopt;
  const type t = type_in_use(p, index);
  std::string name = index->name;
  const auto taken = [&](const std::string& n) {
    return std::any_of(p.state.begin(), p.state.end(), [&](const state_variable& v) { return v.name == n; }) ||
           std::any_of(s.parameters.begin(), s.parameters.end(), [&](const parameter& q) { return q.name == n; }) ||
           std::any_of(s.results.begin(), s.results.end(), [&](term q) { return q->name == n; });
  };
  while (taken(name)) name += "_";
  const term counter = symbol(symbol_kind::state, name, t);
  const substitution carried{{index, cast(counter, index->type)}, {cast(index, t), counter}};
  for (state_variable& v : p.state) v.step = substitute(v.step, carried);
  for (element_output& o : p.outputs) {
    o.is_scan |= contains(o.value, is_index);
    o.value = substitute(o.value, carried);
  }
  p.position_aware = false;
  p.state.push_back({name, t, counter, cast(p.begin, t), add(counter, number(1, t)), {}, {}, p.where});
  r.results.push_back(symbol(symbol_kind::result, name, t));
  return r;
}

}  // namespace twofold::analyser
