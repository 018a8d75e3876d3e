// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file `for j: best = max(best, c[j])` inside of the loop that carries the vector c: the greatest of all rows and columns is the greatest
//! over the columns of what each column has at most. So best is carried column by column, and is one number again after the loop.
#include <algorithm>

#include "frontend/passes.hpp"

namespace twofold::analyser::frontend {
namespace {

bool mentions_symbol(term t, term symbol) {
  return t && contains(t, [&](const node& n) { return term(&n) == symbol; });
}

//! op(v, fold of op over the components): max, min, and, or, where one value may be met twice.
struct spread {
  op kind;
  term fold, entry;  // entry: over the fold's own index
};
std::optional<spread> spread_of(const carried& v) {
  const term t = v.step;
  const bool idempotent = t->is(op::max) || t->is(op::min) || t->is(op::logical_and) || t->is(op::logical_or);
  if (v.extent || !idempotent) return std::nullopt;
  const std::size_t own = t->args[0] == v.symbol ? 0 : 1;
  const term fold = t->args[1 - own];
  if (t->args[own] != v.symbol || !fold->is(op::inner_fold) || mentions_symbol(fold, v.symbol)) return std::nullopt;
  const term body = fold->args[2], acc = symbol(symbol_kind::accumulator, fold->name, v.type);
  if (body->kind != t->kind) return std::nullopt;
  const std::size_t at = body->args[0] == acc ? 0 : 1;
  const term entry = body->args[1 - at];
  if (body->args[at] != acc || mentions_symbol(entry, acc)) return std::nullopt;
  return spread{t->kind, fold, entry};
}

//! Every vector of the state is read at the fold's own index, and has as many components as the fold has rounds.
bool reads_components(const record& l, const spread& s) {
  const term index = symbol(symbol_kind::inner_index, s.fold->name, long_type);
  bool reads = false, fits = true;
  for (const carried& v : l.state)
    (void)contains(s.entry, [&](const node& n) {
      if (!n.is(op::read) || n.args[0] != v.symbol) return false;
      reads = true;
      fits &= n.args.size() == 2 && n.args[1] == index && v.extent && to_polynomial(v.extent) == to_polynomial(s.fold->args[0]);
      return false;
    });
  return reads && fits;
}

}  // namespace

substitution spread_over_components(record& l) {
  substitution results;
  for (carried& v : l.state) {
    const auto s = spread_of(v);
    if (!s || !reads_components(l, *s)) continue;
    const bool read =
        std::any_of(l.state.begin(), l.state.end(), [&](const carried& u) { return &u != &v && mentions_symbol(u.step, v.symbol); }) ||
        std::any_of(l.writes.begin(), l.writes.end(), [&](const written& w) { return mentions_symbol(w.value, v.symbol); });
    if (read) continue;
    const std::string& name = s->fold->name;
    const term own = analyser::read(v.symbol, {position()}, v.type), index = symbol(symbol_kind::inner_index, name, long_type);
    v.extent = s->fold->args[0];
    v.step = make(s->kind, {own, substitute(s->entry, {{index, position()}})}, v.type);
    results[v.result] =
        inner_fold(name, v.extent, v.init,
                   make(s->kind, {symbol(symbol_kind::accumulator, name, v.type), analyser::read(v.result, {index}, v.type)}, v.type));
  }
  return results;
}

}  // namespace twofold::analyser::frontend
