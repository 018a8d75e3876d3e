// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file A flag that watches a running sum: ok' = ok ∧ (s + g(x) ≥ K). What matters of a piece is the lowest (or highest) value that the
//! watched expression reaches within it, counted from where the piece begins.
#include <algorithm>

#include "derive/reduce.hpp"
#include "derive/sampling.hpp"
#include "derive/semiring.hpp"

namespace twofold::analyser::deriving {
namespace {

//! 0 ≤ d or 0 < d with d = ±s + e(x): s a sum that is merged already.
struct watch {
  const candidate::variable* sum = nullptr;
  int sign = 1;
  term rest;  // e(x)
  bool strict = false;
};

std::optional<watch> watched(term c, const std::vector<candidate::variable>& upstream) {
  if (c->is(op::logical_not) && (c->args[0]->is(op::less) || c->args[0]->is(op::less_equal))) {  // ¬(a < b) is b ≤ a
    const term inner = c->args[0];
    c = inner->is(op::less) ? less_equal(inner->args[1], inner->args[0]) : less(inner->args[1], inner->args[0]);
  }
  if (!c->is(op::less) && !c->is(op::less_equal)) return std::nullopt;
  if (c->args[0]->type.is_modular() || c->args[0]->type.kind == sort::boolean) return std::nullopt;
  const term difference = sub(c->args[1], c->args[0]);
  for (const auto& w : upstream) {
    if (!w.merge || !w.init || !w.merge->is(op::add) || has_infinity(w.init) || w.type != difference->type) continue;
    const auto r = linear_row(semiring::plus_times, difference, {w.symbol});
    if (!r || !is_number(r->front().present, 1) || has_state(r->back().value)) continue;
    const term slope = r->front().value;
    if (is_number(slope, 1) || is_number(slope, -1)) return watch{&w, is_number(slope, 1) ? 1 : -1, r->back().value, c->is(op::less)};
  }
  return std::nullopt;
}

void conjuncts(term t, bool conjunction, std::vector<term>& to) {
  if (t->is(conjunction ? op::logical_and : op::logical_or))
    for (term a : t->args) conjuncts(a, conjunction, to);
  else to.push_back(t);
}

//! A watch that looks at some elements only (a bracket that closes) may look at all of them, if the sum itself is what it looks at there
//! and nothing that it passes over could set the flag.
std::optional<watch> watched_by_some(term bad, const std::vector<candidate::variable>& upstream) {
  std::vector<term> all, guards;
  conjuncts(bad, true, all);
  std::optional<watch> found;
  for (term t : all) {
    if (!has_state(t)) {
      guards.push_back(t);
      continue;
    }
    if (found) return std::nullopt;
    found = watched(logical_not(t), upstream);
    if (!found) return std::nullopt;
  }
  if (!found || guards.empty()) return std::nullopt;
  term guard = boolean(true);
  for (term g : guards) guard = logical_and(guard, g);
  const term gain = substitute(found->sum->step, {{found->sum->symbol, number(0, found->sum->type)}});
  const term rest = found->sign > 0 ? gain : neg(gain), none = number(0, gain->type);
  if (has_state(gain) || !same_on_samples(select(guard, found->rest, none), select(guard, rest, none), 200)) return std::nullopt;
  found->rest = rest;
  return found;
}

}  // namespace

std::optional<part_result> threshold(const part& p, std::vector<std::string>&) {
  if (p.variables.size() != 1 || p.variables[0]->type.kind != sort::boolean) return std::nullopt;
  const state_variable& v = *p.variables[0];
  const term step = tidied(v.step);
  for (const bool all : {true, false}) {  // ok ∧ C, or bad ∨ ¬C
    const term c = substitute(step, {{v.symbol, boolean(all)}});
    if (has_symbol(c, v.symbol) || substitute(step, {{v.symbol, boolean(!all)}}) != boolean(!all)) continue;
    std::vector<term> tests;
    conjuncts(c, all, tests);
    candidate::variable own = carried(v);
    std::vector<candidate::variable> added;
    own.merge = all ? logical_and(left_of(v.symbol), right_of(v.symbol)) : logical_or(left_of(v.symbol), right_of(v.symbol));
    bool watches = false, understood = true;
    std::vector<term> known;  // that the sum is within its bound as long as the flag says so
    term outcome = boolean(all);
    for (term t : tests) {
      auto w = watched(all ? t : logical_not(t), p.upstream);
      if (!w && has_state(t) && (w = watched_by_some(all ? logical_not(t) : t, p.upstream))) {
        const term level = w->sign > 0 ? w->sum->symbol : neg(w->sum->symbol), zero = number(0, level->type);
        const term inside = w->strict ? less(zero, level) : less_equal(zero, level);
        known.push_back(logical_or(all ? logical_not(v.symbol) : v.symbol, inside));
      }
      if (!w) {
        understood &= !has_state(t);  // a test of the element alone is part of the right piece's own flag
        continue;
      }
      watches = true;
      candidate::variable low =
          added_variable(w->sign > 0 ? "lowest" : "room", p, added, w->sum->type,
                         "the merge must know how low the watched value gets within the right piece, counted from its start");
      const auto signed_sum = [&](term s) { return w->sign > 0 ? s : neg(s); };
      const term before = signed_sum(sub(w->sum->symbol, w->sum->init));
      low.init = infinity(low.type);
      low.lift = w->rest;
      low.step = min(low.symbol, add(before, w->rest));
      low.merge = min(left_of(low.symbol), add(signed_sum(sub(left_of(w->sum->symbol), w->sum->init)), right_of(low.symbol)));
      added.push_back(low);
      const term reached = add(signed_sum(left_of(w->sum->symbol)), right_of(low.symbol)), zero = number(0, low.type);
      const term holds = w->strict ? less(zero, reached) : less_equal(zero, reached);
      outcome = all ? logical_and(outcome, holds) : logical_or(outcome, logical_not(holds));
    }
    if (!watches || !understood) continue;
    // tests of the element alone need a flag of their own: the right piece's flag also saw the sum from its own start
    std::vector<term> plain;
    for (term t : tests)
      if (!has_state(t)) plain.push_back(t);
    if (!plain.empty()) {
      candidate::variable f =
          added_variable(v.name + "_elements", p, added, boolean_type, "the merge must know the verdict on the elements alone");
      f.init = boolean(all);
      term test = boolean(all);
      for (term t : plain) test = all ? logical_and(test, t) : logical_or(test, t);
      f.step = all ? logical_and(f.symbol, test) : logical_or(f.symbol, test);
      f.merge = all ? logical_and(left_of(f.symbol), right_of(f.symbol)) : logical_or(left_of(f.symbol), right_of(f.symbol));
      added.push_back(f);
      outcome = all ? logical_and(outcome, right_of(f.symbol)) : logical_or(outcome, right_of(f.symbol));
    }
    own.merge = all ? logical_and(left_of(v.symbol), outcome) : logical_or(left_of(v.symbol), outcome);
    if (auto r = reduce(p.upstream, {own}, added, known)) {
      r->mechanism = "threshold on a running sum";
      return r;
    }
  }
  return std::nullopt;
}

}  // namespace twofold::analyser::deriving
