// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file A state that is a selection of elements (the k largest) can be replayed: pushing the right piece's kept elements one by one into
//! the left piece's state merges them.
#include <algorithm>

#include "derive/reduce.hpp"

namespace twofold::analyser::deriving {

std::optional<part_result> replay(const part& p, std::vector<std::string>&) {
  constexpr std::size_t most = 4;
  const auto group = with_upstream(p);
  if (group.size() > most || group.size() < 2) return std::nullopt;
  std::set<term> elements;
  for (const auto* v : group) {
    if (v->extent || v->type != group[0]->type) return std::nullopt;
    for (term s : symbols(v->step))
      if (s->is_symbol(symbol_kind::element) || s->is_symbol(symbol_kind::index)) elements.insert(s);
  }
  if (elements.size() != 1 || (*elements.begin())->type != group[0]->type) return std::nullopt;
  substitution now;
  for (const auto* v : group) now[v->symbol] = left_of(v->symbol);
  for (const auto* w : group) {
    substitution next, at = now;
    at[*elements.begin()] = right_of(w->symbol);
    for (const auto* v : group) next[v->symbol] = substitute(v->step, at);
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
