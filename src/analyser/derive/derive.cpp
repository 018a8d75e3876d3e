// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file From a spec to candidates, best first: one pass by its parts, several passes by separation.
#include "derive/derive.hpp"

#include <algorithm>

#include "derive/opaque.hpp"
#include "derive/part.hpp"
#include "derive/sampling.hpp"
#include "derive/separation.hpp"

namespace twofold::analyser {
namespace {

using namespace deriving;

std::vector<output> outputs_over_states(const spec& s) {
  substitution to_state;
  std::size_t k = 0;
  for (const pass& p : s.passes)
    for (const auto& v : p.state) to_state[s.results[k++]] = v.symbol;
  std::vector<output> r = s.outputs;
  for (output& o : r) o.value = substitute(o.value, to_state);
  return r;
}

bool adds(const part_result& r) {
  return std::any_of(r.variables.begin(), r.variables.end(), [](const auto& v) { return v.kind == role::added; });
}
bool same_merge(const part_result& a, const part_result& b) {
  return a.invariant == b.invariant &&
         std::equal(a.variables.begin(), a.variables.end(), b.variables.begin(), b.variables.end(),
                    [](const auto& v, const auto& w) { return v.symbol == w.symbol && v.step == w.step && v.merge == w.merge; });
}

//! Where a vector that is decoded is read at one component, its decoding there.
term at_components(term value, const std::vector<std::pair<term, term>>& decode, const std::vector<candidate::variable>& variables) {
  substitution there;
  (void)contains(value, [&](const node& n) {
    for (const auto& [from, to] : decode) {
      if (!n.is(op::read) || n.args[0] != from || n.args.size() != 2) continue;
      substitution at;
      for (const auto& v : variables) {
        if (!v.extent) continue;
        at[v.symbol] = read(v.symbol, {n.args[1]}, v.type);
        if (v.component) at[v.component] = n.args[1];
      }
      there[term(&n)] = substitute(to, at);
    }
    return false;
  });
  return there.empty() ? value : substitute(value, there);
}

//! `further`: what is looked at beside the outputs.
std::vector<derivation> one_loop(const pass& loop, const std::vector<output>& finalize, derive_result& report,
                                 std::vector<term> further = {}, thrift state = thrift::least) {
  std::vector<term> observed = std::move(further);
  for (const auto& o : finalize) observed.push_back(o.value);
  for (const auto& o : loop.outputs) observed.push_back(o.value);
  std::vector<std::string> again;  // the two attempts fail for the same reasons
  const auto whole = all_parts(loop, observed, again, thrift::whole);
  std::optional<part_result> r;
  try {
    r = all_parts(loop, observed, report.tried, state);
  } catch (const limit_error& e) {
    if (!whole) throw;
    report.tried.push_back(std::string("less state than the whole summary: a limit was met: ") + e.what());
    report.complete = false;
  }
  const auto derivation_of = [&](const part_result& from) {
    derivation d;
    d.finalize = finalize;
    d.mechanism = from.mechanism;
    d.merge.variables = from.variables;
    d.merge.invariant = from.invariant;
    d.merge.along = from.along;
    d.merge.decode = from.decode;
    const substitution decode(from.decode.begin(), from.decode.end());
    for (output& o : d.finalize) o.value = substitute(at_components(o.value, from.decode, from.variables), decode);
    if (!from.coordinates.empty()) d.merge.twist = twist{from.coordinates, {}, false};
    return d;
  };
  const auto over_those_that_count = guarded(loop, observed, report.tried);
  if (!r) {
    std::vector<derivation> found;
    if (const auto fewer = whole ? with_fewer(loop, observed, *whole) : std::nullopt) found.push_back(derivation_of(*fewer));
    for (const auto* other : {&over_those_that_count, &whole})
      if (*other) found.push_back(derivation_of(**other));
    return found;
  }
  std::vector<derivation> found;
  const auto with_more = [&](const part_result& from, const std::vector<term>& more) {  // should the least invariant not carry the proof
    derivation next = derivation_of(from);
    auto& invariant = next.merge.invariant;
    const std::size_t before = invariant.size();
    for (term t : more)
      if (std::find(invariant.begin(), invariant.end(), t) == invariant.end()) invariant.push_back(t);
    if (invariant.size() > before) found.push_back(next);
  };
  if (const auto fewer = with_fewer(loop, observed, *r)) {
    found.push_back(derivation_of(*fewer));
    with_more(*fewer, fewer->guesses);
  }
  if (const auto less = across_parts(*r)) found.push_back(derivation_of(*less));
  found.push_back(derivation_of(*r));
  with_more(*r, r->bounds);
  with_more(*r, r->guesses);
  if (over_those_that_count) found.push_back(derivation_of(*over_those_that_count));
  if (whole && !same_merge(*whole, *r))  // first where it is the smaller one: it tells the loop's own variables, which are not carried then
    found.insert(adds(*r) && whole->variables.size() < found[0].merge.variables.size() ? found.begin() : found.end(),
                 derivation_of(*whole));
  return found;
}

//! Of what a loop is seen as, and where its variables are decoded then.
std::vector<derivation> seen_as(const thawed_loop& other, const std::vector<output>& finalize, derive_result& report, const char* how) {
  std::vector<derivation> found = one_loop(other.loop, finalize, report);
  for (derivation& d : found) {
    d.mechanism += how;
    const substitution decode(d.merge.decode.begin(), d.merge.decode.end());
    for (const auto& [v, condition] : other.claimed) d.merge.claimed.emplace_back(v, substitute(condition, decode));
  }
  return found;
}

//! The loop as it is; else as if it were not left early. First with control that begins anew where it no longer matters: fewer states.
std::vector<derivation> single_pass(const pass& loop, const std::vector<output>& finalize, derive_result& report) {
  std::vector<term> observed;
  for (const auto& o : finalize) observed.push_back(o.value);
  if (const auto fewer_states = forgetful(loop, observed)) {
    derive_result in_vain;
    std::vector<derivation> found = seen_as(*fewer_states, finalize, in_vain, ", begun anew where nothing is asked");
    if (!found.empty()) return found;
  }
  std::vector<derivation> found = one_loop(loop, finalize, report);
  if (!found.empty()) return found;
  for (const relative_loop& r : in_differences(loop)) {
    std::vector<output> relative = finalize;
    for (auto& o : relative) o.value = substitute(o.value, {{r.variable, r.value}});
    derive_result in_vain;
    found = one_loop(r.loop, relative, in_vain, {r.value});
    for (derivation& d : found)
      d.merge.decode.emplace_back(r.variable, substitute(r.value, substitution(d.merge.decode.begin(), d.merge.decode.end())));
    if (!found.empty()) return found;
  }
  if (const auto without_exit = thawed(loop, observed)) found = seen_as(*without_exit, finalize, report, ", run on after the exit");
  if (!found.empty()) return found;
  derive_result in_vain;
  found = one_loop(loop, finalize, in_vain, {}, thrift::searched);
  if (found.empty())
    report.tried.push_back("no further variables that the loop's own conditions suggest make a tree of comparisons possible");
  return found;
}

//! A flag that every step sets says nothing once there is an element: it is not carried. What the first element does otherwise is the lift.
void drop_settled_flags(derivation& d, const spec& s) {
  auto& all = d.merge.variables;
  for (std::size_t k = 0; k < all.size();) {
    const candidate::variable v = all[k];
    const bool scanned = std::any_of(s.passes.begin(), s.passes.end(), [&](const pass& p) {
      return std::any_of(p.outputs.begin(), p.outputs.end(), [&](const element_output& o) { return has_symbol(o.value, v.symbol); });
    });
    const bool settled_at_once = v.step->is(op::number) && (!v.lift || v.lift == v.step);
    const bool complete = std::all_of(all.begin(), all.end(), [](const auto& w) { return w.init || w.lift; });
    if (v.type.kind != sort::boolean || !settled_at_once || scanned || !complete || all.size() == 1) {
      ++k;
      continue;
    }
    const substitution settled{{v.symbol, v.step}, {left_of(v.symbol), v.step}, {right_of(v.symbol), v.step}};
    const auto at = [&](term t) { return substitute(t, settled); };
    std::vector<candidate::variable> rest;
    substitution start;
    for (const auto& w : all)
      if (w.init) start[w.symbol] = w.init;
    bool starts_alike = true, stated = true;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (i == k) continue;
      candidate::variable w = all[i];
      w.lift = lift_of(w, all);
      stated &= !has_state(w.lift) && !has_infinity(w.lift);
      w.step = at(w.step);
      w.merge = at(w.merge);
      starts_alike &= w.init && substitute(w.step, start) == w.lift;
      rest.push_back(w);
    }
    if (!stated) {
      ++k;
      continue;
    }
    for (auto& w : rest)
      if (!starts_alike) w.init = term();
    all = rest;
    for (term& i : d.merge.invariant) i = at(i);
    std::erase_if(d.merge.invariant, [](term i) { return is_number(i, 1); });
    for (auto& [from, to] : d.merge.decode) to = at(to);
    d.merge.decode.emplace_back(v.symbol, v.step);
    for (auto& o : d.finalize) o.value = at(o.value);
    k = 0;
  }
}

//! No iteration depends on another: nothing is merged, and pieces are independent.
derivation stateless(const spec& s) {
  derivation d;
  d.finalize = s.outputs;
  d.mechanism = "no state";
  return d;
}

std::size_t passes_with_state(const spec& s) {
  std::size_t n = 0;
  for (const pass& p : s.passes) n += !p.state.empty();
  return n;
}

//! A lift that the step gives at the initial values anyway need not be said.
void drop_plain_lifts(derivation& d) {
  substitution start;
  for (const auto& v : d.merge.variables)
    if (v.init) start[v.symbol] = v.init;
  for (auto& v : d.merge.variables) {
    if (!v.init || !v.lift) continue;
    const term first = substitute(v.step, start);
    if (!has_infinity(first) && !has_state(first) && same_on_samples(first, v.lift)) v.lift = term();
  }
}

//! An added vector whose components are all the same is a scalar.
void make_scalars(derivation& d) {
  auto& all = d.merge.variables;
  const auto terms_of = [](const candidate::variable& v) { return std::vector<term>{v.init, v.lift, v.step, v.merge}; };
  std::vector<bool> scalar(all.size());
  for (std::size_t i = 0; i < all.size(); ++i) scalar[i] = all[i].extent && all[i].kind == role::added;
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (!scalar[i]) continue;
      const auto varies = [&](const node& n) {
        if (n.is_symbol(symbol_kind::component)) return true;
        for (std::size_t j = 0; j < all.size(); ++j) {
          const term s = all[j].symbol, u(&n);
          if (all[j].extent && !scalar[j] && (u == s || u == left_of(s) || u == right_of(s))) return true;
        }
        return false;
      };
      const auto terms = terms_of(all[i]);
      if (std::any_of(terms.begin(), terms.end(), [&](term t) { return t && contains(t, varies); })) {
        scalar[i] = false;
        changed = true;
      }
    }
  }
  for (std::size_t i = 0; i < all.size(); ++i)
    if (scalar[i]) all[i].extent = all[i].component = term();
}

//! What is still the infinity that it started from after one element may stay so.
void admit_infinities(derivation& d) {
  auto& all = d.merge.variables;
  for (auto& v : all)
    if (v.type.kind == sort::real && v.init && has_infinity(v.init) && has_infinity(lift_of(v, all))) v.unbounded = true;
}

//! A positive sum l (invariant 0 < l) is worth proving only where something divides by it or takes its logarithm.
void drop_idle_signs(derivation& d) {
  std::vector<term> all;
  for (const auto& v : d.merge.variables)
    for (term t : {v.step, v.merge, v.lift})
      if (t) all.push_back(t);
  for (const auto& [from, to] : d.merge.decode) all.push_back(to);
  for (const auto& o : d.finalize) all.push_back(o.value);
  const auto needs = [&](const std::string& name) {
    const auto speaks = [&](const node& n) { return n.is(op::symbol) && n.name == name; };
    const auto divides = [&](const node& n) {
      return (n.is(op::div) && contains(n.args[1], speaks)) ||
             (n.is(op::call) && !n.name.starts_with("exp") && contains(n.args[0], speaks));
    };
    return std::any_of(all.begin(), all.end(), [&](term t) { return contains(t, divides); });
  };
  std::erase_if(d.merge.invariant, [&](term i) {
    return i->is(op::less) && is_number(i->args[0], 0) && i->args[1]->is(op::symbol) && !needs(i->args[1]->name);
  });
}

//! What the change of coordinates does, in a sentence.
void describe(derivation& d) {
  if (!d.merge.twist) return;
  std::string names, monoids;
  bool rescaled = false, sum = false;
  for (const auto& c : d.merge.twist->coordinates) {
    names += (names.empty() ? "" : ", ") + c.name;
    monoids += (monoids.empty() ? "" : ", ") + c.monoid;
    rescaled |= contains(c.phi, [](const node& n) { return n.is(op::call); });
    sum |= !c.phi->is(op::symbol);
  }
  d.merge.twist->words = "in the coordinates (" + names + ") the loop is the plain monoid (" + monoids + ")";
  if (rescaled) d.merge.twist->words += "; the rescale is the change of coordinates, and e^(a−b)·e^(b−c) = e^(a−c)";
  else if (sum) d.merge.twist->words += "; the corrections are the change of coordinates";
}

}  // namespace

derive_result derive(const spec& original, double seconds) {
  derive_result r;
  const construction_deadline limit(seconds);
  try {
    opaque_terms opaque;
    const spec s = opaque.hide(original);
    const std::size_t passes = passes_with_state(s);
    std::vector<derivation> found;
    if (passes == 0) found.push_back(stateless(s));
    if (passes == 1 && s.passes.size() == 1) {
      found = single_pass(s.passes[0], outputs_over_states(s), r);
      for (auto& d : found) drop_settled_flags(d, s);
    }
    if (passes > 1 || (passes == 1 && s.passes.size() > 1))
      for (representation as : {representation::own_results, representation::sums}) {
        std::vector<std::string> in_vain;
        std::optional<derivation> d;
        try {
          d = fuse(s, as, in_vain);
        } catch (const limit_error& e) {  // the other representation may do without
          in_vain.push_back(std::string("the derivation met a limit: ") + e.what());
          r.complete = false;
        }
        if (d) found.push_back(*d);
        else if (as == representation::own_results) r.tried = in_vain;
      }
    for (auto& d : found) {
      drop_plain_lifts(d);
      d = opaque.restore(d);
      make_scalars(d);
      admit_infinities(d);
      drop_idle_signs(d);
      describe(d);
      r.found.push_back(d);
    }
  } catch (const limit_error& e) {
    r.tried.push_back(std::string("the derivation met a limit: ") + e.what());
    r.complete = false;
  }
  return r;
}

}  // namespace twofold::analyser
