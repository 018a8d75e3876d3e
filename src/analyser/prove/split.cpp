// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Splits on the innermost comparison first, so that what is asked of the solver holds no further choice.
#include "prove/split.hpp"

#include <unordered_set>

namespace twofold::analyser {
namespace {

bool is_comparison(const node& n) {
  return (n.is(op::less) || n.is(op::less_equal) || n.is(op::equal)) && n.args[0]->type.kind != sort::boolean;
}
bool is_choice(const node& n) {
  return n.is(op::max) || n.is(op::min) || n.is(op::abs) || is_comparison(n) || (n.is(op::symbol) && n.type.kind == sort::boolean) ||
         (n.is(op::call) && n.args.size() == 2 && (n.name == "fmax" || n.name == "fmin"));
}

//! A choice none of whose operands holds another one; null if there is none. Under a binder nothing is chosen.
term innermost(term t, std::unordered_set<std::uint32_t>& seen) {
  if (!seen.insert(t->id).second || t->is(op::inner_fold)) return {};
  for (term a : t->args)
    if (const term c = innermost(a, seen)) return c;
  return is_choice(*t) ? t : term();
}

//! The comparison that decides a choice, and what the choice is when it holds and when it does not. Ties take the non-strict side.
struct decision_of {
  term guard, then, otherwise;
};
decision_of decision_for(term c) {
  const auto& a = c->args;
  if (c->is(op::max) || (c->is(op::call) && c->name == "fmax")) return {less_equal(a[0], a[1]), a[1], a[0]};
  if (c->is(op::min) || c->is(op::call)) return {less_equal(a[0], a[1]), a[0], a[1]};
  if (c->is(op::abs)) return {less_equal(number(0, c->type), a[0]), a[0], neg(a[0])};
  return {c, boolean(true), boolean(false)};
}

//! From a = b: a symbol that occurs linearly with a constant coefficient, and what it equals.
std::optional<std::pair<term, term>> solved(term equation, normaliser& f) {
  if (!equation->is(op::equal)) return std::nullopt;
  const term a = equation->args[0], b = equation->args[1];
  if (a->type.is_modular() || a->type.kind == sort::boolean) return std::nullopt;
  const bool integer = a->type.kind == sort::integer;
  const rational d = f(a) - f(b);
  if (!d.is_polynomial()) return std::nullopt;
  for (const auto& [m, c] : d.num().terms()) {
    if (m.size() != 1 || m[0].exponent != 1 || !m[0].atom->is(op::symbol) || m[0].atom->type.is_modular()) continue;
    const term s = m[0].atom;
    if (s->type.kind == sort::boolean || (s->type.kind == sort::integer && (!integer || abs(c) != 1))) continue;
    const rational rest = (rational(polynomial(s)) * rational(c) - d) * rational(mpq_class(1 / c));
    if (!depends_on(rest, s)) return std::pair{s, to_term(rest, s->type)};
  }
  return std::nullopt;
}

class splitter {
 public:
  splitter(solver& z3, time_point deadline, std::size_t hypotheses)
      : z3_(z3), deadline_(deadline), normal_(deadline), hypotheses_(hypotheses) {}
  split_result result;

  bool cell(term left, term right, std::vector<term> facts) {
    if (std::chrono::steady_clock::now() > deadline_) throw limit_error("time");
    if (left == right) return count(left, right, facts);
    std::unordered_set<std::uint32_t> seen;
    term c = innermost(left, seen);
    if (!c) c = innermost(right, seen);
    if (!c) return leaf(left, right, facts);
    try {
      if (normal_.equal(left, right)) return count(left, right, facts);
    } catch (const not_normal&) {
    }
    const decision_of d = decision_for(c);
    if (d.guard->is(op::number)) return branch(left, right, facts, c, d.guard->value != 0 ? d.then : d.otherwise, {});
    const term no = logical_not(d.guard);
    if (z3_.implies(facts, d.guard, 0.2)) return impossible(facts, no), branch(left, right, facts, c, d.then, d.guard);
    if (z3_.implies(facts, no, 0.2)) return impossible(facts, d.guard), branch(left, right, facts, c, d.otherwise, no);
    return branch(left, right, facts, c, d.then, d.guard) && branch(left, right, facts, c, d.otherwise, no);
  }

 private:
  bool count(term left, term right, const std::vector<term>& facts) {
    if (++result.cells > max_cells) throw limit_error("more than " + std::to_string(max_cells) + " cases");
    record(left, right, facts);
    return true;
  }
  void record(term left, term right, const std::vector<term>& facts) {
    result.cases.push_back({{facts.begin() + static_cast<std::ptrdiff_t>(hypotheses_), facts.end()}, left, right});
  }
  void impossible(std::vector<term> facts, term further) {
    facts.push_back(further);
    record(boolean(true), boolean(false), facts);
  }

  bool branch(term left, term right, std::vector<term> facts, term choice, term value, term fact) {
    substitution s{{choice, value}};
    left = substitute(left, s);
    right = substitute(right, s);
    if (fact) {
      facts.push_back(fact);
      if (fact->is(op::equal))
        if (const auto e = solved(fact, normal_)) {
          const substitution eliminate{{e->first, e->second}};
          left = substitute(left, eliminate);
          right = substitute(right, eliminate);
        }
    }
    return cell(left, right, std::move(facts));
  }

  bool leaf(term left, term right, const std::vector<term>& facts) {
    count(left, right, facts);
    try {
      if (normal_.equal(left, right)) return true;
    } catch (const not_normal&) {
    }
    const proof_case whole = result.cases.back();
    result.cases.pop_back();
    if (const std::size_t before = result.cases.size(); equalities(left, right, facts)) return true;
    else result.cases.resize(before);
    result.cases.push_back(whole);
    const double left_over = std::chrono::duration<double>(deadline_ - std::chrono::steady_clock::now()).count();
    if (z3_.implies(facts, analyser::equal(left, right), std::min(0.5, left_over / 2))) return result.used_solver = true;
    result.open = facts;
    return false;
  }

  //! Facts may force a tie (x ≤ y and y ≤ x): the equations that follow are used up, then the sides compared once more.
  bool equalities(term& left, term& right, std::vector<term> facts) {
    bool changed = false;
    for (term f : std::vector<term>(facts)) {
      if (!f->is(op::equal) && !f->is(op::less_equal)) continue;
      const bool tie = f->is(op::less_equal);
      if (tie && !z3_.implies(facts, less_equal(f->args[1], f->args[0]), 0.1)) continue;
      const term equation = analyser::equal(f->args[0], f->args[1]);
      const auto e = solved(equation, normal_);
      if (!e) continue;
      left = substitute(left, {{e->first, e->second}});
      right = substitute(right, {{e->first, e->second}});
      changed = true;
      if (!tie) continue;
      impossible(facts, logical_not(equation));
      facts.push_back(equation);
    }
    try {
      if (!changed || !normal_.equal(left, right)) return false;
    } catch (const not_normal&) {
      return false;
    }
    record(left, right, facts);
    return true;
  }

  solver& z3_;
  time_point deadline_;
  normaliser normal_;
  std::size_t hypotheses_;  // facts that are not of the case
};

}  // namespace

split_result split(term left, term right, const std::vector<term>& hypotheses, solver& z3, time_point deadline) {
  splitter s(z3, deadline, hypotheses.size());
  s.result.proved = s.cell(left, right, hypotheses);
  return std::move(s.result);
}

}  // namespace twofold::analyser
