// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Pruning of choices that an outer choice has made already.
#include "derive/condition.hpp"

namespace twofold::analyser::deriving {
namespace {

//! The parts of a condition that are known when it holds (or does not).
void learn(term c, bool value, substitution& known) {
  known[c] = boolean(value);
  if (c->is(op::logical_not)) learn(c->args[0], !value, known);
  if (c->is(value ? op::logical_and : op::logical_or))
    for (term a : c->args) learn(a, value, known);
}

term under(term t, term c, bool value) {
  substitution known;
  learn(c, value, known);
  return pruned(substitute(t, known));
}

}  // namespace

term pruned(term t) {
  if (t->args.empty()) return t;
  if (t->is(op::select)) {
    const term c = pruned(t->args[0]);
    if (c->is(op::number)) return pruned(t->args[c->value != 0 ? 1 : 2]);
    return select(c, under(t->args[1], c, true), under(t->args[2], c, false));
  }
  if (t->is(op::logical_and) || t->is(op::logical_or)) {
    const term a = pruned(t->args[0]);
    if (a->is(op::number)) return make(t->kind, {a, pruned(t->args[1])}, t->type);
    return make(t->kind, {a, under(t->args[1], a, t->is(op::logical_and))}, t->type);
  }
  std::vector<term> args;
  for (term a : t->args) args.push_back(pruned(a));
  return rebuild(t, std::move(args));
}

}  // namespace twofold::analyser::deriving
