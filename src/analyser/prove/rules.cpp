// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Lemma 2 and the decoding of D3 as obligations.
#include "prove/rules.hpp"

#include <algorithm>
#include <set>

#include "prove/brief.hpp"
#include "prove/domain.hpp"
#include "prove/extended.hpp"
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

namespace {

//! Elements of a signed type lie in its range. It is said where the loop speaks of an end of the range ("nothing yet" as INT_MIN) only: a
//! hypothesis that nothing needs costs time.
std::vector<term> ranges_of_elements(const std::vector<pass>& passes) {
  std::vector<term> r;
  for (const pass& p : passes) {
    std::set<term> limits;
    const auto collect = [&](const node& n) {
      if (n.is(op::number) && n.type.kind == sort::integer && n.type.is_signed) {
        const mpz_class top = mpz_class(1) << (n.type.bits - 1);
        if (n.value == -top || n.value == top - 1) limits.insert(number(n.value, n.type));
      }
      return false;
    };
    for (const auto& u : p.state) (void)(contains(u.step, collect) || contains(u.init, collect));
    for (term limit : limits)
      for (const auto& e : p.elements)
        if (e.symbol && e.symbol->type == limit->type && e.symbol->is_symbol(symbol_kind::element))
          r.push_back(sgn(limit->value) < 0 ? less_equal(limit, e.symbol) : less_equal(e.symbol, limit));
  }
  return r;
}

}  // namespace

domain_assumptions own_domain(const std::vector<pass>& passes) {
  domain_assumptions r;
  r.conditions = ranges_of_elements(passes);
  for (const pass& p : passes) {
    r.conditions.insert(r.conditions.end(), p.given.begin(), p.given.end());
    r.granted |= !p.given.empty();
    r.consequences.insert(r.consequences.end(), p.used.begin(), p.used.end());
  }
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
    if (v.unbounded && (!v.init || v.type.kind != sort::real || !(v.init->is(op::infinity) || v.init->is(op::minus_infinity))))
      return v.name + " may be infinite, and does not start from an infinity";
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
  for (const auto* list : {&c.decode, &c.claimed})
    for (const auto& [from, to] : *list)
      if (auto s = stranger(to, of_state)) return "the decoding of " + brief(from) + " speaks of " + *s;
  for (const auto& [from, to] : c.decode)
    if (!same_numbers(from->type, to->type)) return "the decoding of " + brief(from) + " has another type";
  for (const auto& [from, condition] : c.claimed)
    if (condition->type.kind != sort::boolean) return "where " + brief(from) + " is decoded is no condition";
  return std::nullopt;
}

namespace {

//! Lemma 2 where some variables may hold the infinity that they start from: the same obligations, read over the extended reals. Further:
//! no variable ever holds another infinity than that, and nothing is undefined.
class unbounded_rules {
 public:
  explicit unbounded_rules(const candidate& c) : c_(c) {
    extended_environment start;
    for (const auto& v : c.variables) {
      a_[v.symbol] = free(v, left_of(v));
      b_[v.symbol] = free(v, right_of(v));
      if (v.init) start[v.symbol] = read_(v.init, {});
    }
    for (const auto& v : c.variables) {
      const term lift = v.lift ? v.lift : v.step;
      for (term s : symbols(lift))
        if (s->is_symbol(symbol_kind::state) && !start.contains(s)) throw limit_error("no initial value is given for " + brief(s));
      lift_[v.symbol] = read_(lift, v.lift ? extended_environment{} : start);
    }
    for (const auto& v : c.variables) {
      step_[v.symbol] = read_(v.step, a_);
      step_b_[v.symbol] = read_(v.step, b_);
      merge_[v.symbol] = read_(v.merge, sides(a_, b_));
    }
  }

  std::vector<obligation> all() {
    const auto inv_a = invariant(a_), both = joined(inv_a, invariant(b_));
    for (std::size_t k = 0; k < c_.invariant.size(); ++k) {
      const std::string text = "invariant " + brief(c_.invariant[k]);
      found_.push_back({text + " holds of one element", {}, invariant(lift_)[k], boolean(true)});
      found_.push_back({text + " is kept by the step", inv_a, invariant(step_)[k], boolean(true)});
      found_.push_back({text + " is kept by the merge", both, invariant(merge_)[k], boolean(true)});
    }
    for (const auto& v : c_.variables) {
      within(v, "one element", lift_, {});
      within(v, "the step", step_, inv_a);
      within(v, "the merge", merge_, both);
      state_equal(found_, "lift(" + v.name + "): a ⊙ lift(x) = f_x(a)", inv_a, read_(v.merge, sides(a_, lift_)), step_.at(v.symbol));
      state_equal(found_, "push(" + v.name + "): a ⊙ f_x(b) = f_x(a ⊙ b)", both, read_(v.merge, sides(a_, step_b_)), read_(v.step, merge_));
    }
    for (term u : read_.undefined()) found_.push_back({"nothing is ∞ − ∞", both, u, boolean(false)});
    return std::move(found_);
  }

 private:
  static extended free(const candidate::variable& v, term s) {
    const term is_infinite =
        v.unbounded ? symbol(symbol_kind::opaque, (s == left_of(v) ? "infinite left " : "infinite right ") + v.name, boolean_type)
                    : boolean(false);
    const bool up = v.unbounded && v.init->is(op::infinity);
    return {up ? is_infinite : boolean(false), up ? boolean(false) : is_infinite, s};
  }
  extended_environment sides(const extended_environment& a, const extended_environment& b) const {
    extended_environment r;
    for (const auto& v : c_.variables) {
      r[left_of(v)] = a.at(v.symbol);
      r[right_of(v)] = b.at(v.symbol);
    }
    return r;
  }
  std::vector<term> invariant(const extended_environment& at) {
    std::vector<term> r;
    for (term i : c_.invariant) r.push_back(read_(i, at).value);
    return r;
  }
  static std::vector<term> joined(std::vector<term> a, const std::vector<term>& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
  }
  void within(const candidate::variable& v, const std::string& where, const extended_environment& at, const std::vector<term>& hypotheses) {
    const extended& e = at.at(v.symbol);
    const bool up = v.unbounded && v.init->is(op::infinity), down = v.unbounded && !up;
    if (!up) found_.push_back({v.name + " is not ∞ after " + where, hypotheses, e.above, boolean(false)});
    if (!down) found_.push_back({v.name + " is not −∞ after " + where, hypotheses, e.below, boolean(false)});
  }

  const candidate& c_;
  extended_reader read_;
  extended_environment a_, b_, lift_, step_, step_b_, merge_;
  std::vector<obligation> found_;
};

}  // namespace

bool is_unbounded(const candidate& c) {
  return std::any_of(c.variables.begin(), c.variables.end(), [](const auto& v) { return v.unbounded; });
}

obligations_or_reason merge_obligations(const candidate& c) {
  obligations_or_reason r;
  if (is_unbounded(c)) {
    try {
      r.obligations = unbounded_rules(c).all();
    } catch (const limit_error& e) {
      r.failed = "infinities";
      r.reason = e.what();
    }
    return r;
  }
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

substitution with_unknowns(const candidate& c, substitution d) {
  for (const auto& [u, condition] : c.claimed)
    if (const auto it = d.find(u); it != d.end())
      it->second = select(condition, it->second, symbol(symbol_kind::opaque, "any " + u->name, u->type));
  return d;
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
  if (!c.along.empty() && !c.claimed.empty()) {  // where the loop is defined is said of decoded values, which may be unknown
    r.failed = "decoding";
    r.reason = "a decoding under a condition, and facts that hold along the loop only";
    return r;
  }
  const substitution partial = with_unknowns(c, d);
  for (const auto& u : loop.state) {
    const auto it = d.find(u.symbol);
    if (it == d.end()) continue;  // not decoded: then nothing that is decoded may depend on it
    const term decoded = it->second;
    const term step = substitute(u.step, partial), first = substitute(u.step, s0);
    if (is_unbounded(c)) {  // not decided over the extended reals: the loop's own terms, or nothing
      if (substitute(decoded, at_step) == step && same_constant(substitute(decoded, at_lift), first)) continue;
      r.failed = "decoding of " + u.name;
      r.reason = "the merged state may be infinite, and is not the loop's own";
      return r;
    }
    std::vector<term> here_first = defined_first, here = defined;
    for (const auto& [claimed, condition] : c.claimed)
      if (claimed == u.symbol) {
        here_first.push_back(substitute(condition, at_lift));
        here.push_back(substitute(condition, at_step));
      }
    for (const auto& w : loop.state)
      if (!d.contains(w.symbol) && contains(u.step, [&](const node& n) { return term(&n) == w.symbol; })) {
        r.failed = "decoding of " + u.name;
        r.reason = u.name + " depends on " + w.name + ", which the candidate neither carries nor decodes";
        return r;
      }
    r.obligations.push_back({"decoding(" + u.name + ") of one element", here_first, substitute(decoded, at_lift), first});
    r.obligations.push_back({"decoding(" + u.name + "): d(g_x(t)) = f_x(d(t))", here, substitute(decoded, at_step), step});
    if (starts && u.init) {
      const term start = substitute(decoded, t0);
      if (!same_constant(start, u.init)) r.obligations.push_back({"decoding(" + u.name + ") of the empty input", {}, start, u.init});
    }
  }
  return r;
}

}  // namespace twofold::analyser
