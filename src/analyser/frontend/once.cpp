// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file `if (i == target) t = x[i]`: the index meets a place once, so t, which is 0 until then, is a sum of which at most one term is not
//! 0. As a sum it needs no flag that says which piece held the place.
#include "frontend/passes.hpp"

namespace twofold::analyser::frontend {
namespace {

bool moves(const node& n) {
  return n.is_symbol(symbol_kind::index) || n.is_symbol(symbol_kind::element) || n.is_symbol(symbol_kind::state) || n.is(op::read) ||
         n.is(op::inner_fold);
}

//! The index, or it plus a number: met once in a walk.
bool is_index(term t) {
  if (t->is(op::cast)) return t->type.kind == sort::integer && is_index(t->args[0]);
  if (t->is(op::add)) return (t->args[1]->is(op::number) && is_index(t->args[0])) || (t->args[0]->is(op::number) && is_index(t->args[1]));
  return t->is_symbol(symbol_kind::index);
}

bool holds_once(term condition) {
  if (!condition->is(op::equal) || condition->args[0]->type.kind != sort::integer) return false;
  const term a = condition->args[0], b = condition->args[1];
  return (is_index(a) && !contains(b, moves)) || (is_index(b) && !contains(a, moves));
}

}  // namespace

void sum_what_is_set_once(pass& p) {
  for (state_variable& v : p.state) {
    const bool plain = !v.extent && v.type.kind != sort::boolean && is_number(v.init, 0) && v.step->is(op::select);
    if (!plain || v.step->args[2] != v.symbol || !holds_once(v.step->args[0])) continue;
    const auto reads_state = [](const node& n) { return n.is_symbol(symbol_kind::state); };
    if (contains(v.step->args[1], reads_state)) continue;
    v.step = add(v.symbol, select(v.step->args[0], v.step->args[1], v.init));
  }
}

}  // namespace twofold::analyser::frontend
