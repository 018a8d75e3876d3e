// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Several passes as one online loop. The argument (docs/design/prove.md has it in full): let t be the online state after all of
//! the input and R_r(t) the decoding of result r.
//! - A variable whose pass reads no earlier result is decoded step by step, as in `check`.
//! - A variable that sums g(x, p), p earlier results, ends as u0(p) + Σ_i g(x_i, p). If g(x, p) = Σ_k a_k(x)·b_k(p) and A_k(t) are
//!   terms with A_k(lift(x)) = a_k(x), A_k(g_x(t)) = A_k(t) + a_k(x), it is u0(p) + Σ_k b_k(p)·A_k(t), by linearity of finite sums.
//! - Only then is p replaced by R(t): p is one value for the whole input, which is why step-by-step decoding would be wrong.
#include <algorithm>
#include <set>

#include "ir/starts.hpp"
#include "prove/brief.hpp"
#include "prove/discharge.hpp"
#include "prove/domain.hpp"
#include "prove/finite_folds.hpp"
#include "prove/rules.hpp"

namespace twofold::analyser {
namespace {

struct stated : std::runtime_error {  // an obligation that cannot even be stated
  std::string name;
  stated(std::string n, const std::string& why) : std::runtime_error(why), name(std::move(n)) {}
};

bool is_result(const node& n) { return n.is_symbol(symbol_kind::result); }
bool is_state(const node& n) { return n.is_symbol(symbol_kind::state); }
term real(term t) { return t->type.kind == sort::real ? t : cast(t, double_type); }
bool same_type(term a, term b) { return a->type == b->type || (a->type.kind == sort::real && b->type.kind == sort::real); }

class fusion {
 public:
  fusion(const spec& s, const std::vector<separation>& separations, const candidate& c) : s_(s), separations_(separations), c_(c) {
    for (const auto& [from, to] : c.decode) decoded_.emplace(from, to);
    at_the_end_ = c.invariant;
    std::size_t next = 0;
    for (const pass& p : s.passes)
      for (const auto& u : p.state) decode_by_state(u, s.results.at(next++));
    const auto lifts = lifts_of(c);
    for (std::size_t i = 0; i < c.variables.size(); ++i) {
      at_lift_.emplace(c.variables[i].symbol, lifts[i]);
      at_step_.emplace(c.variables[i].symbol, c.variables[i].step);
      if (c.variables[i].extent) vectors_.insert(c.variables[i].symbol);
    }
  }

  std::vector<obligation> obligations;
  std::vector<std::string> assumed;  // where the loop itself is defined, as far as it speaks of results

  //! The elements of all passes, as one loop.
  pass joined() {
    pass all;
    const pass* first = nullptr;
    std::map<term, const element*> known;
    std::size_t base = 0;
    for (const pass& p : s_.passes) {
      for (const auto& e : p.elements) {
        const auto [it, fresh] = known.emplace(e.symbol, &e);
        if (!fresh && (it->second->array != e.array || it->second->offset != e.offset || it->second->row_extent != e.row_extent))
          throw stated("elements", brief(e.symbol) + " means different reads in two passes");
        if (fresh) all.elements.push_back(e);
      }
      for (std::size_t i = 0; i < p.state.size(); ++i)
        if (p.state[i].extent) vectors_.insert(s_.results.at(base + i));
      base += p.state.size();
      if (p.state.empty()) continue;
      if (!first) first = &p;
      if (p.begin != first->begin || p.end != first->end || p.reverse != first->reverse)
        throw stated("ranges", "the passes do not walk the same range in the same direction");
      all.position_aware |= p.position_aware;
    }
    if (!first) throw stated("passes", "no pass carries a state");
    all.begin = first->begin, all.end = first->end, all.reverse = first->reverse;
    loop_ = all;
    return all;
  }

  void state_all() {
    std::size_t base = 0;
    for (const pass& p : s_.passes) {
      state_pass(p, base);
      base += p.state.size();
      for (std::size_t i = base - p.state.size(); i < base; ++i) earlier_.insert(s_.results[i]);
    }
  }

  void state_outputs(const std::vector<output>& finalize) {
    for (const output& o : s_.outputs) {
      const auto f = std::find_if(finalize.begin(), finalize.end(), [&](const output& g) { return g.name == o.name; });
      if (f == finalize.end()) throw stated("output " + o.name, "the candidate does not give it");
      if (!same_type(f->value, o.value)) throw stated("output " + o.name, "it has another type");
      for (term s : symbols(f->value))
        if (is_state(*s) ? !at_lift_.contains(s)
                         : (is_result(*s) || s->is_symbol(symbol_kind::element) || s->is_symbol(symbol_kind::index)))
          throw stated("output " + o.name, "it speaks of " + brief(s));
      const term expected = at_end(o.value, "output " + o.name, static_cast<bool>(o.extent));
      const term given = with_count(f->value);
      if (given == expected) continue;
      obligations.push_back({"output " + o.name, at_the_end_, given, expected});
    }
  }

 private:
  void state_pass(const pass& p, std::size_t base) {
    // late: sums over terms that read earlier results; everything else is decoded step by step
    substitution states, starts;
    for (std::size_t i = 0; i < p.state.size(); ++i) {
      const auto it = decoded_.find(s_.results.at(base + i));
      if (it == decoded_.end() || is_late(p.state[i])) continue;
      if (it->second->type.is_modular() != p.state[i].type.is_modular())
        throw stated("decoding of " + p.state[i].name, "it has another type");
      states.emplace(p.state[i].symbol, it->second);
    }
    for (const auto& u : p.state) starts.emplace(u.symbol, u.init);
    for (std::size_t i = 0; i < p.state.size(); ++i) {
      if (!decoded_.contains(s_.results[base + i])) continue;  // dropped: at_end refuses to speak of it
      if (is_late(p.state[i])) sum(p, i, s_.results[base + i]);
      else early(p.state[i], states, starts);
    }
  }

  //! A result that is not decoded by its own symbol may be by its variable's, or be a variable of the online loop.
  void decode_by_state(const state_variable& u, term result) {
    if (decoded_.contains(result)) return;
    if (const auto it = decoded_.find(u.symbol); it != decoded_.end()) decoded_.emplace(result, it->second);
    else if (std::any_of(c_.variables.begin(), c_.variables.end(), [&](const auto& v) { return v.symbol == u.symbol; }))
      decoded_.emplace(result, u.symbol);
  }

  static bool is_late(const state_variable& u) { return contains(u.step, is_result) || contains(u.init, is_result); }

  void early(const state_variable& u, const substitution& states, const substitution& starts) {
    const term d = states.at(u.symbol), next = substitute(u.step, states);
    refuse_crossing(u.step, u.name);
    for (term s : symbols(u.step))
      if (is_state(*s) && !states.contains(s))
        throw stated("decoding of " + u.name, "it depends on " + brief(s) + ", which is not decoded step by step");
    scalar_only(u.step, u.name, static_cast<bool>(u.extent));
    obligations.push_back({"decoding(" + u.name + ") of one element", {}, substitute(d, at_lift_), substitute(u.step, starts)});
    obligations.push_back({"decoding(" + u.name + "): d(g_x(t)) = f_x(d(t))", c_.invariant, substitute(d, at_step_), next});
  }

  //! u0(p) + Σ g(x_i, p).
  void sum(const pass& p, std::size_t i, term result) {
    const state_variable& u = p.state[i];
    const std::string name = "sum " + u.name;
    refuse_crossing(u.step, u.name);
    const auto gain = normalise(add(u.step, neg(u.symbol)));
    if (!gain) throw stated(name, "its step has no normal form");
    for (const auto& w : p.state)
      if (depends_on(*gain, w.symbol)) throw stated(name, "it is not a sum over the elements: its step depends on " + w.name);
    const term g = to_term(*gain, u.type);
    const bool vector = static_cast<bool>(u.extent);
    // the running value is not the online variable of the same name
    const term running = symbol(symbol_kind::opaque, u.name, u.type);
    const term gain_at_end = at_end(g, name, vector);
    const term source = substitute(u.step, {{u.symbol, running}});
    const std::vector<term> each = defined_where_the_loop_is(source, name, vector);
    obligations.push_back({name + ": each iteration adds g(x, p)", each, at_end(source, name, vector), add(running, gain_at_end)});

    const separation& s = separation_of(u, result);
    term parts = number(0, u.type), total = at_end(u.init, name, vector);
    for (const auto& [a, b] : s.parts) {
      if (contains(a, is_result) || contains(a, is_state)) throw stated(name, "a factor of the element reads a result: " + brief(a));
      if (contains(b, [&](const node& n) { return of_element(n) || is_state(n); }))
        throw stated(name, "a factor of the results reads the element: " + brief(b));
      const term bt = at_end(b, name, vector);
      parts = add(parts, mul(a, bt));
      total = add(total, mul(bt, accumulated(a, name)));
    }
    obligations.push_back({name + ": g(x, p) = Σ a_k(x)·b_k(p)", each, gain_at_end, parts});
    obligations.push_back({name + ": result = u0 + Σ b_k(p)·A_k", at_the_end_, with_count(decoded_.at(result)), with_count(total)});
  }

  //! D1: the loop is asked about only where it is defined itself. What a later pass divides by (or takes the root of) is one value for all
  //! of the input, so its being in range may be assumed of the decoded results; it is printed.
  //! @returns the invariant and these conditions, for one element; those that speak of no element hold at the end too.
  std::vector<term> defined_where_the_loop_is(term step, const std::string& name, bool vector) {
    std::vector<term> each = at_the_end_;
    for (const domain_condition& d : domain_conditions(step)) {
      const term needed = d.implication();
      const bool speaks = contains(needed, is_result);
      if (!speaks ||
          contains(needed, [](const node& n) { return is_state(n) || n.is_symbol(symbol_kind::opaque) || n.is(op::inner_fold); }))
        continue;
      const term at = at_end(needed, name, vector);
      each.push_back(at);
      const bool elements = contains(needed, [&](const node& n) { return of_element(n); });
      if (!elements) at_the_end_.push_back(at);
      assumed.push_back((elements ? "every element: " : "") + brief(needed) + ", as " + brief(d.where) + " in the loop needs");
    }
    return each;
  }

  const separation& separation_of(const state_variable& u, term result) {
    for (std::size_t i = 0; i < separations_.size(); ++i)
      if ((separations_[i].variable == result->name || separations_[i].variable == u.name) && used_.insert(i).second)
        return separations_[i];
    throw stated("sum " + u.name, "no separation is given");
  }

  bool of_element(const node& n) const {
    return n.is_symbol(symbol_kind::element) || n.is_symbol(symbol_kind::index) ||
           std::any_of(loop_.elements.begin(), loop_.elements.end(), [&](const element& e) { return e.symbol == term(&n); });
  }

  //! A_k over the online state for a_k: a "+" coordinate of the candidate (or one of its variables) that gains a multiple of a_k.
  term accumulated(term a, const std::string& name) {
    const auto na = normalise(a);
    if (!na) throw stated(name, "a factor has no normal form: " + brief(a));
    if (na->is_zero()) return number(0, a->type);
    for (const auto& [phi, gain] : additive())
      if (const auto ng = normalise(gain); ng && !ng->is_zero() && phi->type.is_modular() == a->type.is_modular()) {
        if (a->type.is_modular() && !(*na == *ng)) continue;
        const rational ratio = *na / *ng;
        bool fixed = true;
        for (const polynomial* q : {&ratio.num(), &ratio.den()})
          for (const auto& [m, c] : q->terms())
            for (const factor& f : m) fixed &= !contains(f.atom, [&](const node& n) { return of_element(n) || is_state(n); });
        if (!fixed) continue;
        prove_additive(phi, gain);
        return ratio == rational(1) ? phi : mul(to_term(ratio, a->type), phi);
      }
    throw stated(name, "no coordinate of the candidate accumulates " + brief(a));
  }
  const std::vector<std::pair<term, term>>& additive() {
    if (!additive_.empty()) return additive_;
    if (c_.twist)
      for (const auto& k : c_.twist->coordinates)
        if (k.monoid == "+" && k.phi && k.lift) additive_.emplace_back(k.phi, k.lift);
    for (const auto& v : c_.variables)
      if (v.type.kind != sort::boolean) {
        const term gain = add(v.step, neg(v.symbol));
        if (const auto n = normalise(gain);
            n && std::none_of(c_.variables.begin(), c_.variables.end(), [&](const auto& w) { return depends_on(*n, w.symbol); }))
          additive_.emplace_back(v.symbol, to_term(*n, v.type));
      }
    return additive_;
  }
  void prove_additive(term phi, term gain) {
    if (!proved_.insert({phi, gain}).second) return;
    for (term s : symbols(phi))
      if (is_state(*s) ? !at_lift_.contains(s) : (of_element(*s) || is_result(*s)))
        throw stated("coordinate " + brief(phi), "it speaks of " + brief(s));
    if (contains(gain, [](const node& n) { return is_state(n) || is_result(n); }))
      throw stated("coordinate " + brief(phi), "what it gains is no function of the element");
    obligations.push_back({"coordinate " + brief(phi) + " of one element", {}, substitute(phi, at_lift_), gain});
    obligations.push_back(
        {"coordinate " + brief(phi) + " gains what the element brings", c_.invariant, substitute(phi, at_step_), add(phi, gain)});
  }

  // --- the end of the input: results are decodings of the online state, and the number of elements is known
  term at_end(term t, const std::string& name, bool vector) {
    refuse_crossing(t, name);
    scalar_only(t, name, vector);
    substitution s;
    for (term r : symbols(t))
      if (is_result(*r)) {
        if (!earlier_.contains(r)) throw stated(name, "it reads " + brief(r) + ", which is not known yet");
        const auto it = decoded_.find(r);
        if (it == decoded_.end()) throw stated(name, "it reads " + brief(r) + ", which is not decoded");
        s.emplace(r, it->second);
      }
    return with_count(substitute(t, s));
  }
  //! A loop over [0, n) has seen n elements at its end: n read as a real is the coordinate that gains 1 per element.
  term with_count(term t) {
    if (!loop_.end || !loop_.begin || !is_number(loop_.begin, 0)) return t;
    const term n = widened(loop_.end);
    if (!n->is(op::symbol)) return t;
    const auto reads_length = [&](const node& u) { return u.is(op::cast) && u.type.kind == sort::real && widened(u.args[0]) == n; };
    if (!contains(t, reads_length)) return t;
    for (const auto& [phi, gain] : additive()) {
      const auto g = normalise(gain);
      if (!g || !(*g == rational(1)) || phi->type.is_modular()) continue;
      prove_additive(phi, gain);
      assume_length_is(n);
      substitution s;
      (void)contains(t, [&](const node& u) {
        if (reads_length(u)) s.emplace(term(&u), real(phi));
        return false;
      });
      return substitute(t, s);
    }
    return t;
  }
  //! A signed number that the loop reads as an unsigned one is how many elements there are if it is not negative.
  void assume_length_is(term n) {
    if (!n->type.is_signed || loop_.end == n) return;
    bool wraps = false;
    for (term t = loop_.end; t != n; t = t->args[0]) wraps = wraps || t->type.is_modular();
    const std::string text = brief(n) + " >= 0";
    if (wraps && std::find(assumed.begin(), assumed.end(), text) == assumed.end()) assumed.push_back(text);
  }
  //! Without the conversions that keep the value of a number of elements, which is not negative.
  static term widened(term t) {
    while (t->is(op::cast) && t->type.kind == sort::integer && t->args[0]->type.kind == sort::integer &&
           keeps_value(t->args[0]->type, t->type))
      t = t->args[0];
    return t;
  }
  static bool keeps_value(type from, type to) { return to.bits > from.bits || (to.bits == from.bits && (from.is_signed || !to.is_signed)); }

  static void refuse_crossing(term t, const std::string& name) {
    if (contains(t, [](const node& n) { return n.is(op::read) && !n.args[0]->is_symbol(symbol_kind::array); }))
      throw stated(name, "it reads a vector of results at another component");
  }
  //! A scalar must not speak of the generic component of a vector.
  void scalar_only(term t, const std::string& name, bool vector) const {
    if (!vector && contains(t, [&](const node& n) { return vectors_.contains(term(&n)); }))
      throw stated(name, "a scalar depends on single components of a vector");
  }

  const spec& s_;
  const std::vector<separation>& separations_;
  const candidate& c_;
  pass loop_;
  substitution decoded_, at_lift_, at_step_;
  std::set<term> earlier_, vectors_;
  std::set<std::size_t> used_;
  std::set<std::pair<term, term>> proved_;
  std::vector<std::pair<term, term>> additive_;
  std::vector<term> at_the_end_;  // the invariant, and where the loop is defined
};

//! What a vector of results holds at the component `index`: its decoding, which is proved of the generic component, there. Nothing where a
//! fold in it might bind the index.
std::optional<term> at_component(term decoded, const pass& loop, const candidate& c, term index) {
  if (contains(decoded, [](const node& n) { return n.is(op::inner_fold) || n.is(op::read); })) return std::nullopt;
  substitution at;
  for (const auto& u : loop.state)
    if (u.component) at[u.component] = index;
  for (const auto& v : c.variables) {
    if (v.component) at[v.component] = index;
    if (v.extent) at[v.symbol] = read(v.symbol, {index}, v.type);
  }
  return substitute(decoded, at);
}

//! Reads of vectors of results at single components, as what they are decoded from there.
substitution components_decoded(const spec& s, const candidate& c, const substitution& at_end, term value) {
  substitution r;
  (void)contains(value, [&](const node& n) {
    if (!n.is(op::read) || n.args.size() != 2 || !is_result(*n.args[0])) return false;
    const auto it = at_end.find(n.args[0]);
    if (it == at_end.end() || it->second->is(op::symbol)) return false;
    if (const auto there = at_component(it->second, s.passes[0], c, n.args[1])) r[term(&n)] = *there;
    return false;
  });
  return r;
}

//! One pass: are the answers of the merged loop, as written, those of the loop, its variables being decoded from the merged state?
bool answers_as_before(const spec& s, const candidate& c, const std::vector<output>& finalize) {
  const substitution decoded = decoded_variables(s.passes[0], c);
  substitution at_end;
  for (std::size_t i = 0; i < s.results.size(); ++i)
    if (const auto it = decoded.find(s.passes[0].state[i].symbol); it != decoded.end()) at_end.emplace(s.results[i], it->second);
  return std::all_of(s.outputs.begin(), s.outputs.end(), [&](const output& o) {
    const auto f = std::find_if(finalize.begin(), finalize.end(), [&](const output& g) { return g.name == o.name; });
    const term read = substitute(o.value, components_decoded(s, c, at_end, o.value));
    return f != finalize.end() && f->value == substitute(read, at_end) && !contains(f->value, is_result);
  });
}

//! An array that is written element by element is written from the running state: every variable that it reads must be there, or be
//! decoded. Variables of later passes are sums, whose value at an element is that of the same sum up to it.
std::optional<std::string> lost_on_the_way(const spec& s, const candidate& c) {
  std::size_t base = 0;
  for (const pass& p : s.passes) {
    substitution known = decoded_variables(p, c);
    for (std::size_t i = 0; i < p.state.size(); ++i)
      if (std::any_of(c.decode.begin(), c.decode.end(), [&](const auto& d) { return d.first == s.results.at(base + i); }))
        known.emplace(p.state[i].symbol, p.state[i].symbol);
    for (const element_output& o : p.outputs)
      for (term v : symbols(o.value))
        if (is_state(*v) && !known.contains(v)) return o.array + " is written from " + brief(v) + ", which is dropped";
    base += p.state.size();
  }
  return std::nullopt;
}

check_result check_fusion(const spec& s, const std::vector<separation>& separations, const candidate& c,
                          const std::vector<output>& finalize, double seconds) {
  try {
    fusion f(s, separations, c);
    const pass loop = f.joined();
    if (auto why = malformed(loop, c)) return {outcome::unknown, {}, "well-formedness", *why, {}};
    auto merge = merge_obligations(c);
    if (!merge.failed.empty()) return {outcome::unknown, {}, merge.failed, merge.reason, {}};
    f.state_all();
    f.state_outputs(finalize);
    auto all = std::move(merge.obligations);
    all.insert(all.end(), f.obligations.begin(), f.obligations.end());
    domain_assumptions domain = own_domain(s.passes);
    domain.texts.insert(domain.texts.end(), f.assumed.begin(), f.assumed.end());
    return discharge(std::move(all), std::move(domain), separations.empty() ? "push rule by " : "separation of sums, push rule by ",
                     seconds);
  } catch (const stated& e) {
    return {outcome::unknown, {}, e.name, e.what(), {}};
  } catch (const limit_error& e) {
    return {outcome::unknown, {}, "limits", e.what(), {}};
  } catch (const std::domain_error& e) {
    return {outcome::unknown, {}, "normal form", e.what(), {}};
  } catch (const not_normal& e) {
    return {outcome::unknown, {}, "normal form", e.what(), {}};
  }
}

//! Where variables are decoded under a condition only: the answers are the same whatever these variables are elsewhere.
check_result check_answers_with_unknowns(const spec& s, const candidate& c, const std::vector<output>& finalize, double seconds) {
  const substitution d = with_unknowns(c, decoded_variables(s.passes[0], c));
  substitution at_end;
  for (std::size_t i = 0; i < s.results.size(); ++i)
    if (const auto it = d.find(s.passes[0].state[i].symbol); it != d.end()) at_end.emplace(s.results[i], it->second);
  const auto computable = [&](term t) {  // from what is carried
    return !contains(t, [&](const node& n) {
      return is_result(n) || n.is_symbol(symbol_kind::opaque) || n.is_symbol(symbol_kind::element) ||
             (is_state(n) && std::none_of(c.variables.begin(), c.variables.end(), [&](const auto& v) { return v.symbol == term(&n); }));
    });
  };
  std::vector<obligation> all;
  for (const output& o : s.outputs) {
    const auto f = std::find_if(finalize.begin(), finalize.end(), [&](const output& g) { return g.name == o.name; });
    if (f == finalize.end() || !same_type(f->value, o.value)) return {outcome::unknown, {}, "output " + o.name, "not given", {}};
    const term answer = substitute(o.value, at_end);
    if (!computable(f->value) || contains(answer, is_result))
      return {outcome::unknown, {}, "output " + o.name, "it reads what is not carried", {}};
    all.push_back({"output " + o.name, c.invariant, f->value, answer});
  }
  for (const auto& o : s.passes[0].outputs)
    for (const auto& [u, condition] : c.claimed)
      if (contains(o.value, [&](const node& n) { return term(&n) == u; }))
        return {outcome::unknown, {}, "output " + o.array, "it reads " + u->name + " at every step", {}};
  return discharge(std::move(all), own_domain(s.passes), "", seconds);
}

//! Without a state every iteration is a function of its own elements: any division of the input gives the same outputs.
check_result check_stateless(const spec& s, const std::vector<output>& finalize) {
  const bool same = std::all_of(s.outputs.begin(), s.outputs.end(), [&](const output& o) {
    return std::any_of(finalize.begin(), finalize.end(), [&](const output& f) { return f.name == o.name && f.value == o.value; });
  });
  const bool own = std::all_of(s.passes.begin(), s.passes.end(), [](const pass& p) {
    return std::none_of(p.outputs.begin(), p.outputs.end(), [](const element_output& o) {
      return contains(o.value, [](const node& n) { return is_state(n) || is_result(n); });
    });
  });
  if (!same || !own) return {outcome::unknown, {}, "no state", "an output speaks of a state", {}};
  check_result r;
  r.result = outcome::proved;
  r.proof.proved = true;
  r.proof.method = "no state is carried from one iteration to the next";
  r.proof.steps = {"every output entry is a function of the elements of its own iteration, so pieces are independent"};
  return r;
}

check_result check_named(const spec& s, const std::vector<separation>& separations, const candidate& c, const std::vector<output>& finalize,
                         double seconds) {
  const bool stateless = std::all_of(s.passes.begin(), s.passes.end(), [](const pass& p) { return p.state.empty(); });
  if (stateless && c.variables.empty() && separations.empty()) return check_stateless(s, finalize);
  if (auto why = lost_on_the_way(s, c)) return {outcome::unknown, {}, "outputs", *why, {}};
  if (s.passes.size() != 1 && is_unbounded(c)) return {outcome::unknown, {}, "infinities", "several passes", {}};
  if (s.passes.size() != 1) return check_fusion(s, separations, c, finalize, seconds);
  const check_result r = check(s.passes[0], c, seconds);
  if (r.result == outcome::proved && !c.claimed.empty()) {
    const check_result answers = check_answers_with_unknowns(s, c, finalize, seconds);
    return answers.result == outcome::proved ? r : answers;
  }
  if (r.result != outcome::proved || answers_as_before(s, c, finalize)) return r;
  if (is_unbounded(c)) return {outcome::unknown, {}, "infinities", "the answers are not the loop's own", {}};
  // The answers were rewritten: that they are the loop's is one more thing to prove.
  check_result answers = check_fusion(s, separations, c, finalize, seconds);
  return answers.result == outcome::proved ? r : answers;
}

}  // namespace

check_result check_passes(const spec& original, const std::vector<separation>& separations, const candidate& lifted,
                          const std::vector<output>& answers, double seconds) {
  finite_folds rows;
  const spec s = rows.named(original);
  const candidate c = rows.named(lifted);
  const std::vector<output> finalize = rows.named(answers);
  check_result r = check_named(s, separations, c, finalize, seconds);
  r.assumptions.insert(r.assumptions.end(), rows.assumptions().begin(), rows.assumptions().end());
  return r;
}

std::vector<std::string> differs_on_empty(const spec& s, const candidate& c, const std::vector<output>& finalize) {
  substitution none, starts;
  term length;  // reads as 0
  for (const pass& p : s.passes)
    if (!p.state.empty() && p.end && p.end->is(op::symbol)) length = p.end;
  for (const auto& v : c.variables)
    if (v.init) starts.emplace(v.symbol, v.init);
  if (length) none.emplace(length, number(0, length->type)), starts.emplace(length, number(0, length->type));
  std::vector<std::string> r;
  for (const output& o : s.outputs) {
    const auto f = std::find_if(finalize.begin(), finalize.end(), [&](const output& g) { return g.name == o.name; });
    const term at_start = where_nothing_is_read(s, o.value), source = at_start ? substitute(at_start, none) : term();
    const term online = f == finalize.end() ? term() : substitute(f->value, starts);
    const bool known = source && online && !contains(online, [&](const node& n) { return n.is_symbol(symbol_kind::state); });
    if (!known || (!same_constant(online, source) && !proved_equal(online, source, {}, 0.2))) r.push_back(o.name);
  }
  return r;
}

}  // namespace twofold::analyser
