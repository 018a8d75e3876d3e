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

std::vector<derivation> single_pass(const pass& loop, const std::vector<output>& finalize, derive_result& report) {
  std::vector<term> observed;
  for (const auto& o : finalize) observed.push_back(o.value);
  for (const auto& o : loop.outputs) observed.push_back(o.value);
  std::vector<std::string> again;  // the two attempts fail for the same reasons
  const auto whole = all_parts(loop, observed, again, thrift::whole);
  std::optional<part_result> r;
  try {
    r = all_parts(loop, observed, report.tried);
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
    for (output& o : d.finalize) o.value = substitute(o.value, decode);
    if (!from.coordinates.empty()) d.merge.twist = twist{from.coordinates, {}, false};
    return d;
  };
  if (!r) return whole ? std::vector<derivation>{derivation_of(*whole)} : std::vector<derivation>{};
  const derivation d = derivation_of(*r);
  // the same merge with more of an invariant, should the least one not carry the proof
  std::vector<derivation> found{d};
  for (const auto* more : {&r->bounds, &r->guesses}) {
    derivation next = d;
    auto& invariant = next.merge.invariant;
    for (term t : *more)
      if (std::find(invariant.begin(), invariant.end(), t) == invariant.end()) invariant.push_back(t);
    if (invariant.size() > d.merge.invariant.size()) found.push_back(next);
  }
  if (whole && (whole->variables.size() != r->variables.size() || whole->invariant != r->invariant)) found.push_back(derivation_of(*whole));
  return found;
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
    if (passes == 1 && s.passes.size() == 1) found = single_pass(s.passes[0], outputs_over_states(s), r);
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
