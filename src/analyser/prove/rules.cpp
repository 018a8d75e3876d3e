// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Lemma 2 and the decoding of D3 as obligations.
#include "prove/rules.hpp"

#include <algorithm>
#include <set>

#include "prove/brief.hpp"
#include "prove/domain.hpp"
#include "prove/normal.hpp"

namespace twofold::analyser {
namespace {

bool depends_on(term t, term symbol) {
  return contains(t, [&](const node& n) { return term(&n) == symbol; });
}
bool has_special(term t) { return contains(t, is_special); }

//! Looks for a symbol that `allowed` does not admit.
std::optional<std::string> stranger(term t, const std::function<bool(const node&)>& allowed) {
  for (term s : symbols(t))
    if (!allowed(*s)) return brief(s);
  return std::nullopt;
}
//! Terms of these types denote numbers of the same kind: widths do not matter to ℝ and ℤ, but they do to ℤ/2^w.
bool same_numbers(type a, type b) { return a.kind == b.kind && a.is_modular() == b.is_modular() && (!a.is_modular() || a.bits == b.bits); }
bool is_bound(const node& n) { return n.symbol == symbol_kind::inner_index || n.symbol == symbol_kind::accumulator; }
//! Speaks of a bound symbol, or of what one is bound in: then it is no condition on one value.
bool under_a_binder(term t) {
  return contains(t, [](const node& n) { return n.is(op::inner_fold) || is_bound(n); });
}
bool is_parameter(const node& n) {
  return n.symbol == symbol_kind::parameter || n.symbol == symbol_kind::result || n.symbol == symbol_kind::length ||
         n.symbol == symbol_kind::array || n.symbol == symbol_kind::component || is_bound(n);
}

}  // namespace

bool same_constant(term a, term b) { return a == b || (is_constant(a) && a->kind == b->kind && a->value == b->value); }

term left_of(const candidate::variable& v) { return symbol(symbol_kind::left, v.name, v.type); }
term right_of(const candidate::variable& v) { return symbol(symbol_kind::right, v.name, v.type); }

substitution states_to(const candidate& c, const std::function<term(const candidate::variable&)>& f) {
  substitution s;
  for (const auto& v : c.variables) s.emplace(v.symbol, f(v));
  return s;
}

std::vector<term> lifts_of(const candidate& c) {
  substitution s;
  for (const auto& v : c.variables)
    if (v.init) s.emplace(v.symbol, v.init);
  std::vector<term> r;
  for (const auto& v : c.variables) r.push_back(v.lift ? v.lift : substitute(v.step, s));
  return r;
}

std::vector<term> invariant_at(const candidate& c, const substitution& s) {
  std::vector<term> r;
  for (term i : c.invariant) r.push_back(substitute(i, s));
  return r;
}

domain_assumptions own_domain(const std::vector<pass>& passes) {
  domain_assumptions r;
  std::set<term> seen;
  for (const pass& p : passes) {
    const auto of_element = [&](const node& n) {
      return n.symbol == symbol_kind::element || n.symbol == symbol_kind::index ||
             std::any_of(p.elements.begin(), p.elements.end(), [&](const element& e) { return e.symbol == term(&n); });
    };
    for (const auto& u : p.state)
      for (const auto& d : domain_conditions(u.step)) {
        // a guarded operation need not be reached; a bound symbol, a state or a result is no matter of the input alone
        const term needed = d.implication();
        if (is_constant(needed) || !seen.insert(needed).second) continue;
        bool own = true, elements = false;
        for (term s : symbols(needed)) {
          elements |= of_element(*s);
          own &= of_element(*s) || s->is_symbol(symbol_kind::parameter) || s->is_symbol(symbol_kind::length) ||
                 s->is_symbol(symbol_kind::array);
        }
        if (!own || under_a_binder(needed)) continue;
        if (const auto n = normalise(needed, 0.05); n && *n == rational(1)) continue;  // its own guards say so
        r.conditions.push_back(needed);
        r.texts.push_back((elements ? "every element: " : "") + brief(needed) + ", as " + brief(d.where) + " in the loop needs");
      }
  }
  return r;
}

substitution decoded_variables(const pass& loop, const candidate& c) {
  substitution d;
  for (const auto& u : loop.state) {
    for (const auto& [from, to] : c.decode)
      if (from == u.symbol) d.emplace(from, to);
    for (const auto& v : c.variables)
      if (v.name == u.name && (v.type == u.type || (v.type.kind == sort::real && u.type.kind == sort::real)))
        d.emplace(u.symbol, v.symbol);  // no effect where decoded already
  }
  return d;
}

std::optional<std::string> malformed(const pass& loop, const candidate& c) {
  std::set<term> states, sides, elements, rows;
  std::set<std::string> names;
  for (const auto& v : c.variables) {
    if (!v.symbol || !v.step || !v.merge) return v.name + " has no symbol, step or merge";
    if (!names.insert(v.name).second) return "two variables are called " + v.name;
    if (!v.symbol->is_symbol(symbol_kind::state) || !same_numbers(v.symbol->type, v.type) || !states.insert(v.symbol).second)
      return v.name + " has no symbol of its own";
    sides.insert(left_of(v)), sides.insert(right_of(v));
    for (const auto& [t, what] : {std::pair{v.step, "step"}, {v.merge, "merge"}, {v.lift, "lift"}, {v.init, "initial value"}})
      if (t && !same_numbers(t->type, v.type)) return std::string("the ") + what + " of " + v.name + " has another type";
  }
  for (const auto& e : loop.elements) (e.symbol->is_symbol(symbol_kind::array) ? rows : elements).insert(e.symbol);

  // a merge sees states and parameters only: an element in it would be confused with the one of the obligation
  const auto fixed = [&](const node& n) { return is_parameter(n) && !rows.contains(term(&n)); };
  const auto of_state = [&](const node& n) { return states.contains(term(&n)) || fixed(n); };
  const auto of_step = [&](const node& n) {
    return of_state(n) || is_parameter(n) || elements.contains(term(&n)) || (n.symbol == symbol_kind::index && loop.position_aware);
  };
  const auto of_lift = [&](const node& n) { return !states.contains(term(&n)) && of_step(n); };
  const auto of_merge = [&](const node& n) { return sides.contains(term(&n)) || fixed(n); };
  for (const auto& v : c.variables) {
    if (auto s = stranger(v.step, of_step)) return "the step of " + v.name + " speaks of " + *s;
    if (auto s = stranger(v.merge, of_merge)) return "the merge of " + v.name + " speaks of " + *s;
    if (v.lift)
      if (auto s = stranger(v.lift, of_lift)) return "the lift of " + v.name + " speaks of " + *s;
    if (v.init)
      if (auto s = stranger(v.init, fixed)) return "the initial value of " + v.name + " speaks of " + *s;
    // a vector stands for its generic component: nothing but vectors of the same extent may depend on it
    for (const auto& w : c.variables)
      if (w.extent && (!v.extent || v.extent != w.extent))
        for (term t : {v.step, v.merge, v.lift})
          if (t && contains(t, [&](const node& n) {
                const term u(&n);
                return u == w.symbol || u == left_of(w) || u == right_of(w);
              }))
            return v.name + " depends on single components of " + w.name;
  }
  const auto crosses = [](const node& n) { return n.is(op::read) && !n.args[0]->is_symbol(symbol_kind::array); };
  for (const auto& v : c.variables)
    for (term t : {v.step, v.merge, v.lift})
      if (t && contains(t, crosses)) return v.name + " reads a carried vector at another component";
  for (const auto& u : loop.state)
    if (contains(u.step, crosses)) return u.name + " reads a carried vector at another component";
  for (term i : c.invariant)
    if (auto s = stranger(i, of_state)) return "the invariant speaks of " + *s;
  for (const auto& [from, to] : c.decode) {
    if (auto s = stranger(to, of_state)) return "the decoding of " + brief(from) + " speaks of " + *s;
    if (!same_numbers(from->type, to->type)) return "the decoding of " + brief(from) + " has another type";
  }
  return std::nullopt;
}

obligations_or_reason merge_obligations(const candidate& c) {
  obligations_or_reason r;
  const auto lifts = lifts_of(c);
  substitution at_lift, push_lift, push_step;
  const substitution at_left = states_to(c, left_of), at_right = states_to(c, right_of);
  substitution at_merge, at_step;
  for (std::size_t i = 0; i < c.variables.size(); ++i) {
    const auto& v = c.variables[i];
    if (has_special(lifts[i])) {
      r.failed = "lift(" + v.name + ")";
      r.reason = "an infinity or NaN remains in the state of one element: " + brief(lifts[i]);
      return r;
    }
    for (term s : symbols(lifts[i]))
      if (at_left.contains(s)) {
        r.failed = "lift(" + v.name + ")";
        r.reason = "neither an initial value nor a lift is given for " + brief(s);
        return r;
      }
    at_lift.emplace(v.symbol, lifts[i]);
    push_lift.emplace(right_of(v), lifts[i]);
    push_step.emplace(right_of(v), substitute(v.step, at_right));
    at_merge.emplace(v.symbol, v.merge);
    at_step.emplace(v.symbol, v.step);
  }
  const auto inv = c.invariant, inv_left = invariant_at(c, at_left);
  auto both = inv_left;
  for (term t : invariant_at(c, at_right)) both.push_back(t);
  for (std::size_t k = 0; k < inv.size(); ++k) {
    const std::string text = brief(inv[k]);
    r.obligations.push_back({"invariant " + text + " holds of one element", {}, substitute(inv[k], at_lift), boolean(true)});
    r.obligations.push_back({"invariant " + text + " is kept by the step", inv, substitute(inv[k], at_step), boolean(true)});
    r.obligations.push_back({"invariant " + text + " is kept by the merge", both, substitute(inv[k], at_merge), boolean(true)});
  }
  for (const auto& v : c.variables) {
    r.obligations.push_back(
        {"lift(" + v.name + "): a ⊙ lift(x) = f_x(a)", inv_left, substitute(v.merge, push_lift), substitute(v.step, at_left)});
    r.obligations.push_back(
        {"push(" + v.name + "): a ⊙ f_x(b) = f_x(a ⊙ b)", both, substitute(v.merge, push_step), substitute(v.step, at_merge)});
  }
  return r;
}

obligations_or_reason decoding_obligations(const pass& loop, const candidate& c) {
  obligations_or_reason r;
  const substitution d = decoded_variables(loop, c);
  substitution s0, t0, at_lift, at_step;
  bool starts = true;
  const auto lifts = lifts_of(c);
  for (std::size_t i = 0; i < c.variables.size(); ++i) {
    const auto& v = c.variables[i];
    starts &= static_cast<bool>(v.init);
    if (v.init) t0.emplace(v.symbol, v.init);
    at_lift.emplace(v.symbol, lifts[i]);
    at_step.emplace(v.symbol, v.step);
    if (v.init && v.lift) {  // g_x(t0) is the state of one element, not something else
      substitution inits;
      for (const auto& w : c.variables)
        if (w.init) inits.emplace(w.symbol, w.init);
      r.obligations.push_back({"first step(" + v.name + "): f_x(s0) = lift(x)", {}, substitute(v.step, inits), v.lift});
    }
  }
  for (const auto& u : loop.state) s0.emplace(u.symbol, u.init);
  // Along the loop: by induction on the input, as long as the loop's own steps are defined (elsewhere it has no value, D1).
  std::vector<term> defined_first, defined = c.invariant;
  if (!c.along.empty()) {
    defined.insert(defined.end(), c.along.begin(), c.along.end());
    for (const auto& u : loop.state)
      for (const domain_condition& condition : domain_conditions(u.step)) {
        const term needed = condition.implication();
        if (under_a_binder(needed)) continue;
        if (std::any_of(loop.state.begin(), loop.state.end(), [&](const auto& w) { return depends_on(needed, w.symbol); }))
          r.assumed.push_back("along the loop: " + brief(needed) + ", as " + brief(condition.where) + " needs");
        defined_first.push_back(substitute(needed, s0));
        defined.push_back(substitute(needed, d));
      }
    for (term t : c.along) {
      const std::string text = brief(t);
      r.obligations.push_back({"along the loop " + text + " holds of one element", defined_first, substitute(t, at_lift), boolean(true)});
      r.obligations.push_back({"along the loop " + text + " is kept by the step", defined, substitute(t, at_step), boolean(true)});
    }
  }
  for (const auto& u : loop.state) {
    const auto it = d.find(u.symbol);
    if (it == d.end()) continue;  // not decoded: then nothing that is decoded may depend on it
    const term decoded = it->second;
    const term step = substitute(u.step, d), first = substitute(u.step, s0);
    for (const auto& w : loop.state)
      if (!d.contains(w.symbol) && contains(u.step, [&](const node& n) { return term(&n) == w.symbol; })) {
        r.failed = "decoding of " + u.name;
        r.reason = u.name + " depends on " + w.name + ", which the candidate neither carries nor decodes";
        return r;
      }
    r.obligations.push_back({"decoding(" + u.name + ") of one element", defined_first, substitute(decoded, at_lift), first});
    r.obligations.push_back({"decoding(" + u.name + "): d(g_x(t)) = f_x(d(t))", defined, substitute(decoded, at_step), step});
    if (starts && u.init) {
      const term start = substitute(decoded, t0);
      if (!same_constant(start, u.init)) r.obligations.push_back({"decoding(" + u.name + ") of the empty input", {}, start, u.init});
    }
  }
  return r;
}

}  // namespace twofold::analyser
