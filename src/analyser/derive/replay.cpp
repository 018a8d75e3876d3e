// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file A state that is a selection of elements (the k largest, the least pair) can be replayed: pushing the right piece's kept elements
//! one by one into the left piece's state merges them. A flag may say whether a place is taken.
#include <algorithm>

#include "derive/reduce.hpp"
#include "derive/semiring.hpp"

namespace twofold::analyser::deriving {
namespace {

//! The element that the step may put into its variable; nothing if it may be another one.
void leaves(term t, std::set<term>& to) {
  if (t->is(op::select)) {
    leaves(t->args[1], to);
    leaves(t->args[2], to);
  } else if (t->is(op::max) || t->is(op::min)) {
    for (term a : t->args) leaves(a, to);
  } else {
    to.insert(t);
  }
}
bool is_read(term t) { return t->is_symbol(symbol_kind::element) || t->is_symbol(symbol_kind::index); }

struct place {
  std::vector<std::pair<term, const state_variable*>> kept;  // element → the variable that keeps it
  const state_variable* taken = nullptr;                     // a flag, or always
};

//! The group as places of one element tuple each.
std::optional<std::vector<place>> places_of(const std::vector<const state_variable*>& group, const std::set<term>& elements) {
  std::map<term, std::vector<const state_variable*>> keepers;
  std::vector<const state_variable*> flags;
  for (const auto* v : group) {
    if (v->extent) return std::nullopt;
    if (v->type.kind == sort::boolean && !elements.contains(v->symbol)) {
      flags.push_back(v);
      continue;
    }
    std::set<term> all, kept;
    leaves(tidied(v->step), all);
    for (term t : all)
      if (is_read(t)) kept.insert(t);
    if (kept.empty() && elements.size() == 1) kept = elements;  // by what another variable lets go
    if (kept.size() != 1 || (*kept.begin())->type != v->type) return std::nullopt;
    keepers[*kept.begin()].push_back(v);
  }
  if (keepers.size() != elements.size()) return std::nullopt;
  const std::size_t k = keepers.begin()->second.size();
  std::vector<place> r(k);
  for (const auto& [e, list] : keepers) {
    if (list.size() != k) return std::nullopt;
    for (std::size_t i = 0; i < k; ++i) r[i].kept.emplace_back(e, list[i]);
  }
  for (place& p : r)
    for (const auto* f : flags)
      if (std::any_of(p.kept.begin(), p.kept.end(), [&](const auto& e) { return f->name == e.second->name + "_set"; })) p.taken = f;
  return r;
}

}  // namespace

std::optional<part_result> replay(const part& p, std::vector<std::string>&) {
  constexpr std::size_t most = 8;
  const auto group = with_upstream(p);
  if (group.size() > most || group.size() < 2) return std::nullopt;
  std::set<term> elements;
  for (const auto* v : group)
    for (term s : symbols(v->step))
      if (is_read(s)) elements.insert(s);
  if (elements.empty() || elements.size() > 3) return std::nullopt;
  const auto places = places_of(group, elements);
  if (!places) return std::nullopt;
  substitution now;
  for (const auto* v : group) now[v->symbol] = left_of(v->symbol);
  for (const place& w : *places) {
    substitution next, at = now;
    for (const auto& [e, v] : w.kept) at[e] = right_of(v->symbol);
    for (const auto* v : group) {
      const term pushed = substitute(v->step, at);
      next[v->symbol] = w.taken ? select(right_of(w.taken->symbol), pushed, now[v->symbol]) : pushed;
    }
    now = next;
  }
  std::vector<candidate::variable> own;
  for (const auto* v : p.variables) {
    own.push_back(carried(*v));
    own.back().merge = now[v->symbol];
  }
  auto r = reduce(p.upstream, own, {});
  if (r) r->mechanism = "replay of kept elements";
  return r;
}

}  // namespace twofold::analyser::deriving
