// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file What a decision says beyond its verdict: state, reasons, cost, remarks on arithmetic.
#include "stages.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "ir/evaluate.hpp"

namespace twofold::analyser {
namespace {

//! f_x(s0) with infinities folded away; null where the step reads a variable that starts from no value, and no lift is given.
term lift_of(const candidate::variable& v, const candidate& c) {
  if (v.lift) return v.lift;
  substitution initial;
  std::set<term> adjoined;
  for (const candidate::variable& u : c.variables) {
    if (!u.init) {
      adjoined.insert(u.symbol);
      continue;
    }
    term init = u.init;
    if (u.component && v.component && u.component != v.component) init = substitute(init, {{u.component, v.component}});
    initial.emplace(u.symbol, init);
  }
  const term lift = substitute(v.step, initial);
  return contains(lift, [&](const node& n) { return adjoined.count(term(&n)) > 0; }) ? term() : lift;
}

//! Carried variables in the order of the source, then added ones.
std::vector<merged_variable> merged_state(const spec& s, const candidate& c, bool neutral) {
  std::map<std::string, int> place;
  for (const pass& p : s.passes)
    for (const state_variable& v : p.state) place.emplace(v.name, static_cast<int>(place.size()));
  std::vector<merged_variable> r;
  for (const candidate::variable& v : c.variables)
    r.push_back({v.name, v.type, v.kind, v.extent, v.component, v.init, neutral, lift_of(v, c), v.step, v.merge, v.why});
  const auto rank = [&](const merged_variable& v) {  // a result under a new name (mean for a sum) comes before what is built on it
    if (v.role == role::added) return static_cast<int>(place.size());
    const auto it = place.find(v.name);
    return it == place.end() ? -1 : it->second;
  };
  std::stable_sort(r.begin(), r.end(), [&](const merged_variable& a, const merged_variable& b) { return rank(a) < rank(b); });
  return r;
}

//! One sentence: in these coordinates the loop is a plain monoid.
std::string twist_in_words(const twist& t) {
  std::string names, monoids;
  for (const twist::coordinate& c : t.coordinates) {
    names += (names.empty() ? "" : ", ") + c.name;
    monoids += (monoids.empty() ? "" : ", ") + c.monoid;
  }
  return "in the coordinates (" + names + ") the loop is the plain monoid (" + monoids + ")";
}

//! A candidate whose first step is not the step from a value: `lift` is taken as long as nothing has been seen.
term first_or_step(const candidate::variable& v, const candidate& c, term started) {
  const term lift = lift_of(v, c);
  return lift ? select(started, v.step, lift) : term();
}

//! The lifted loop as a spec of its own: one pass over what all passes read.
std::optional<spec> lifted_loop(const spec& s, const derivation& found) {
  spec r = s;
  pass online = s.passes[0];
  for (const pass& p : s.passes) {
    if (p.reverse != online.reverse) return std::nullopt;
    for (const element& e : p.elements)
      if (std::none_of(online.elements.begin(), online.elements.end(), [&](const element& o) { return o.symbol == e.symbol; }))
        online.elements.push_back(e);
    online.position_aware |= p.position_aware;
  }
  online.state.clear();
  online.outputs = s.passes.size() == 1 ? s.passes[0].outputs : std::vector<element_output>{};
  r.results.clear();
  substitution to_result;
  const candidate& c = found.merge;
  const term started = symbol(symbol_kind::state, "(started)", boolean_type);
  const bool adjoined = std::any_of(c.variables.begin(), c.variables.end(), [](const auto& v) { return !v.init || v.lift; });
  for (const candidate::variable& v : c.variables) {
    const term step = adjoined ? first_or_step(v, c, started) : v.step;
    if (!step) return std::nullopt;
    online.state.push_back({v.name, v.type, v.symbol, v.init ? v.init : number(0, v.type), step, v.extent, v.component, {}});
    r.results.push_back(symbol(symbol_kind::result, v.name, v.type));
    to_result.emplace(v.symbol, r.results.back());
  }
  if (adjoined) {
    online.state.push_back({started->name, boolean_type, started, boolean(false), boolean(true), {}, {}, {}});
    r.results.push_back(symbol(symbol_kind::result, started->name, boolean_type));
  }
  const substitution decode(found.merge.decode.begin(), found.merge.decode.end());
  for (element_output& o : online.outputs) o.value = substitute(o.value, decode);
  r.outputs = found.finalize;
  for (output& o : r.outputs) o.value = substitute(o.value, to_result);
  r.passes = {online};
  return r;
}

//! Whether an iteration writes something that depends on the variable.
bool is_written_from(const pass& p, term variable) {
  return std::any_of(p.outputs.begin(), p.outputs.end(),
                     [&](const element_output& o) { return contains(o.value, [&](const node& n) { return term(&n) == variable; }); });
}

//! Whether the step gives the initial value at a few exact points: cheap, and enough to leave most variables alone.
bool seems_constant(const state_variable& v) {
  exact_program step({v.step});
  for (long shift : {1, 4, 9}) {
    long next = shift;
    for (term u : step.inputs()) {
      exact e;
      ++next;
      e.value = mpq_class(next * next, 3);
      e.value.canonicalize();
      step.set(u, e);
    }
    step.run();
    const exact* r = step.value(0);
    if (!r || r->kind != exact::kind::finite || r->value != v.init->value) return false;
  }
  return true;
}

}  // namespace

std::string in_words(const counterexample& c) {
  const auto text = [](const counterexample::piece& p) {
    std::string r = "[";
    for (std::size_t i = 0; i < p.size(); ++i) {
      if (i) r += ", ";
      if (p[i].size() != 1) r += "(";
      for (std::size_t k = 0; k < p[i].size(); ++k) r += (k ? ", " : "") + p[i][k];
      if (p[i].size() != 1) r += ")";
    }
    return r + "]";
  };
  return text(c.right) + " and " + text(c.right2) + " end in the same " + c.state + ", yet after a left part " + text(c.left) +
         (c.suffix.empty() ? "" : " and before " + text(c.suffix)) + " they give " + c.result + " and " + c.result2;
}

void conclude_from_witness(decision& d, lifting lifted) {
  if (lifted == lifting::unfinished) {
    d.tried.push_back("this state alone has no merge (" + in_words(*d.counterexample) +
                      "); whether more state helps was not tried to the end");
    d.counterexample.reset();
    d.verdict = verdict::unknown;
    return;
  }
  d.verdict = verdict::not_associative;
  d.scope = scope::this_state;
  if (d.tried.empty()) d.tried.push_back("lifting: no mechanism applies");
}

void explain_added(std::vector<merged_variable>& state, const spec& s, const derivation& found, const stopwatch& time) {
  if (std::none_of(state.begin(), state.end(), [](const merged_variable& v) { return v.role == role::added; })) return;
  const std::optional<spec> lifted = lifted_loop(s, found);
  for (merged_variable& variable : state) {
    if (variable.role != role::added || time.over()) continue;
    collision_options o;
    o.seconds = std::min(2.0, time.left());
    o.steps = 20'000;  // tens of milliseconds; by steps, so that a busy machine says the same
    o.longest = 7;
    o.letters = 8;
    std::optional<counterexample> c;
    try {
      if (lifted) {
        for (const state_variable& v : lifted->passes[0].state) o.key.push_back(v.name != variable.name && v.name != "(started)");
        c = collision(*lifted, o);
        o.key.clear();
      }
      if (!c) c = collision(s, o);
    } catch (const limit_error&) {
      continue;  // out of the refuter's reach: the variable keeps the reason that its derivation gave
    }
    if (c) variable.why += (variable.why.empty() ? "" : ": ") + in_words(*c);
  }
}

std::size_t operations(const std::vector<term>& terms) {
  std::set<const node*> seen;
  std::size_t count = 0;
  for (term t : terms)
    if (t)
      static_cast<void>(contains(t, [&](const node& n) {
        if (seen.insert(&n).second && !n.args.empty() && !n.is(op::read) && !n.is(op::cast)) ++count;
        return false;
      }));
  return count;
}

void affirm(decision& d, const spec& s, const derivation& found, const check_result& proof, const stopwatch& time) {
  const candidate& c = found.merge;
  const auto share = [&](double most) { return std::max(0.01, std::min(most, time.left() / 4)); };
  d.verdict = verdict::associative;
  d.proof = proof.proof;
  for (const std::string& a : proof.assumptions)  // what the loop itself needs to be defined
    if (std::find(d.assumptions.begin(), d.assumptions.end(), a) == d.assumptions.end()) d.assumptions.push_back(a);
  d.state = merged_state(s, c, init_is_identity(c, share(1)));
  for (merged_variable& v : d.state)  // no integer stands for an infinity: the empty state is adjoined
    if (v.init && v.type.kind != sort::real && is_constant(v.init) && !v.init->is(op::number)) {
      v.init = term();
      v.init_is_identity = false;
    }
  d.finalize = found.finalize;
  for (const auto& [variable, value] : c.decode)
    if (std::any_of(s.passes.begin(), s.passes.end(), [&](const pass& p) { return is_written_from(p, variable); }))
      d.decode.emplace_back(variable, value);
  d.commutative = commutative(c, share(1));
  d.twist = c.twist;
  if (d.twist) {
    d.twist->stable = stable(c, share(1));
    if (d.twist->words.empty()) d.twist->words = twist_in_words(*d.twist);
  }
  explain_added(d.state, s, found, time);
  std::vector<term> merges, steps;
  for (const candidate::variable& v : c.variables) {
    merges.push_back(v.merge);
    steps.push_back(v.step);
  }
  d.merge_over_step = static_cast<double>(operations(merges)) / static_cast<double>(std::max<std::size_t>(1, operations(steps)));
  d.notes.insert(d.notes.end(), c.notes.begin(), c.notes.end());
  for (std::string& note : arithmetic_notes(s, time)) d.notes.push_back(std::move(note));
}

std::vector<std::string> arithmetic_notes(const spec& s, const stopwatch& time) {
  std::vector<std::string> r;
  bool reals = false, modular = false;
  for (const pass& p : s.passes)
    for (const state_variable& v : p.state) {
      reals |= v.type.kind == sort::real;
      modular |= v.type.is_modular();
      const bool suspicious = v.type.kind == sort::real && v.init->is(op::number) && v.step != v.init && !time.over();
      if (suspicious && seems_constant(v) && proved_equal(v.step, v.init, {}, 0.05))
        r.push_back("over the reals " + v.name + " never leaves " + to_cpp(v.init) +
                    ": it compensates rounding, which a merge of exact values does not see");
    }
  if (modular) r.push_back("unsigned integers are taken modulo a power of two, so laws of max and plus that fail there are not used");
  if (reals) r.push_back("the verdict is over real numbers; rounding of each schedule is a separate question");
  return r;
}

std::string failure_in_words(const std::string& what, const check_result& r) {
  return what + ": " + (r.failed.empty() ? "not proved" : r.failed + (r.result == outcome::refuted ? " fails" : " stayed open")) +
         (r.detail.empty() ? "" : " (" + r.detail + ")");
}

}  // namespace twofold::analyser
