// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file What else is asked of a merge: does it commute (D8), and can its exponentials overflow?
#include <set>

#include "prove/decide.hpp"
#include "prove/rules.hpp"

namespace twofold::analyser {
namespace {

std::vector<term> hypotheses_of(const candidate& c) {
  auto h = invariant_at(c, states_to(c, left_of));
  for (term t : invariant_at(c, states_to(c, right_of))) h.push_back(t);
  return h;
}

//! The state of a piece of one or two elements, each element under its own names: states that the loop reaches.
std::vector<term> reached(const candidate& c, int elements, int piece, int first_index) {
  const auto rename = [&](term t, int k) {
    substitution s;
    for (term u : symbols(t)) {
      if (u->is_symbol(symbol_kind::element))
        s.emplace(u, symbol(symbol_kind::opaque, u->name + "_" + std::to_string(piece) + std::to_string(k), u->type));
      if (u->is_symbol(symbol_kind::index)) s.emplace(u, add(u, number(first_index + k, u->type)));
    }
    return substitute(t, s);
  };
  std::vector<term> state = lifts_of(c);
  for (term& t : state) t = rename(t, 0);
  for (int k = 1; k < elements; ++k) {
    substitution s;
    for (std::size_t i = 0; i < state.size(); ++i) s.emplace(c.variables[i].symbol, state[i]);
    for (std::size_t i = 0; i < state.size(); ++i) state[i] = substitute(rename(c.variables[i].step, k), s);
  }
  return state;
}

//! Two reachable neighbouring pieces whose states do not commute, at an exact point.
bool refuted_on_pieces(const candidate& c, time_point deadline) {
  for (const auto& [m, n] : {std::pair{1, 1}, {2, 1}, {1, 2}, {2, 2}}) {
    const auto u = reached(c, m, 0, 0), v = reached(c, n, 1, m);
    substitution straight, swapped;
    for (std::size_t i = 0; i < c.variables.size(); ++i) {
      const auto& w = c.variables[i];
      straight.emplace(left_of(w), u[i]), straight.emplace(right_of(w), v[i]);
      swapped.emplace(left_of(w), v[i]), swapped.emplace(right_of(w), u[i]);
    }
    for (const auto& w : c.variables)
      if (differ_somewhere(substitute(w.merge, straight), substitute(w.merge, swapped), {}, 200, deadline)) return true;
  }
  return false;
}

//! Arguments of exponentials with the branch conditions they stand under.
class exponents {
 public:
  std::vector<std::pair<std::vector<term>, term>> found;

  void visit(term t) {
    if (!seen_.insert({t->id, guards_}).second) return;
    if (t->is(op::select)) {
      visit(t->args[0]);
      under(t->args[0], t->args[1]);
      under(logical_not(t->args[0]), t->args[2]);
      return;
    }
    for (term a : t->args) visit(a);
    if (!t->is(op::call)) return;
    const std::string& f = t->name;
    if (f == "exp" || f == "exp2" || f == "exp10" || f == "expm1") found.emplace_back(guards_, t->args[0]);
    if (f == "pow" && t->args[0]->is(op::number) && t->args[0]->value > 1) found.emplace_back(guards_, t->args[1]);
    if (f == "pow" && t->args[0]->is(op::number) && t->args[0]->value < 1 && sgn(t->args[0]->value) > 0)
      found.emplace_back(guards_, neg(t->args[1]));
  }

 private:
  void under(term guard, term t) {
    guards_.push_back(guard);
    visit(t);
    guards_.pop_back();
  }
  std::vector<term> guards_;
  std::set<std::pair<std::uint32_t, std::vector<term>>> seen_;
};

bool not_positive(prover& p, term t, const std::vector<term>& hypotheses) {
  exponents e;
  e.visit(t);
  for (const auto& [guards, argument] : e.found) {
    auto facts = hypotheses;
    facts.insert(facts.end(), guards.begin(), guards.end());
    for (const auto& d : domain_conditions(argument))  // where the exponent has no value there is nothing to bound
      if (d.guards.empty()) facts.push_back(d.condition);
    if (p.decide({"", facts, less_equal(argument, number(0, argument->type)), boolean(true)}).result != outcome::proved) return false;
  }
  return true;
}

}  // namespace

ternary commutative(const candidate& c, double seconds) {
  if (is_unbounded(c)) return ternary::unknown;
  try {
    const auto hypotheses = hypotheses_of(c);
    substitution swap;
    for (const auto& v : c.variables) swap.emplace(left_of(v), right_of(v)), swap.emplace(right_of(v), left_of(v));
    prover p(seconds / 2);
    for (const auto& v : c.variables) {
      if (p.decide({"", hypotheses, v.merge, substitute(v.merge, swap)}).result == outcome::proved) continue;
      // it may fail on Inv only: a piece must show it
      return refuted_on_pieces(c, deadline_in(seconds / 2)) ? ternary::refuted : ternary::unknown;
    }
    return ternary::proved;
  } catch (const limit_error&) {
    return ternary::unknown;
  }
}

bool stable(const candidate& c, double seconds) {
  if (is_unbounded(c)) return false;
  try {
    prover p(seconds);
    const auto hypotheses = hypotheses_of(c);
    for (const auto& v : c.variables)
      if (!not_positive(p, v.merge, hypotheses) || !not_positive(p, v.step, c.invariant)) return false;
    return true;
  } catch (const limit_error&) {
    return false;
  }
}

}  // namespace twofold::analyser
