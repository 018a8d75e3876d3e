// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The checker: Lemma 2 on an invariant, and the decoding of the original loop.
#include <set>

#include "prove/brief.hpp"
#include "prove/discharge.hpp"
#include "prove/evidence.hpp"
#include "prove/rules.hpp"

namespace twofold::analyser {
namespace {

//! Under hypotheses that contradict each other everything is true, and nothing is said of any input: then there is no proof.
std::optional<std::string> contradiction(prover& p, const std::vector<obligation>& obligations) {
  std::set<std::vector<term>> asked;
  for (const obligation& o : obligations)
    if (asked.insert(o.hypotheses).second && p.z3().implies(o.hypotheses, boolean(false), 0.2))
      return "no input satisfies what is assumed for \"" + o.name + "\"";
  return std::nullopt;
}

}  // namespace

check_result discharge(std::vector<obligation> obligations, const domain_assumptions& assumed, const std::string& how, double seconds) {
  prover p(seconds);
  check_result r;
  r.assumptions = assumed.texts;
  for (term t : assumed.consequences) obligations.push_back({"given: " + brief(t), {}, t, boolean(true)});
  for (obligation& o : obligations) o.hypotheses.insert(o.hypotheses.end(), assumed.conditions.begin(), assumed.conditions.end());
  if (!assumed.texts.empty() || assumed.granted)  // an invariant that is proved of one element contradicts nothing
    if (auto why = contradiction(p, obligations)) return {outcome::unknown, {}, "the domain of the loop", *why, {}};
  std::set<std::string> methods;
  std::vector<claim> claims;
  for (const obligation& o : obligations) {
    obligation_result d = p.decide(o);
    if (d.result != outcome::proved) return {d.result, {}, o.name, d.detail, {}};
    methods.insert(d.method);
    r.proof.steps.push_back(o.name + "   [" + d.method + "]");
    claims.push_back({o, std::move(d.cases)});
  }
  r.result = outcome::proved;
  r.proof.proved = true;
  r.proof.method = how;
  for (const auto& m : methods) r.proof.method += (m == *methods.begin() ? "" : "; ") + m;
  r.proof.smt = evidence_of(claims);
  return r;
}

check_result check(const pass& loop, const candidate& c, double seconds) {
  try {
    if (auto why = malformed(loop, c)) return {outcome::unknown, {}, "well-formedness", *why, {}};
    auto merge = merge_obligations(c), decoding = decoding_obligations(loop, c);
    for (const auto* o : {&merge, &decoding})
      if (!o->failed.empty()) return {outcome::unknown, {}, o->failed, o->reason, {}};
    auto all = std::move(merge.obligations);
    all.insert(all.end(), decoding.obligations.begin(), decoding.obligations.end());
    domain_assumptions domain = own_domain({loop});
    domain.texts.insert(domain.texts.end(), decoding.assumed.begin(), decoding.assumed.end());
    return discharge(std::move(all), domain, "push rule by ", seconds);
  } catch (const limit_error& e) {
    return {outcome::unknown, {}, "limits", e.what(), {}};
  }
}

bool init_is_identity(const candidate& c, double seconds) {
  if (is_unbounded(c)) return false;  // the empty state is adjoined
  try {
    substitution left, right, both;
    for (const auto& v : c.variables) {
      if (!v.init) return false;
      left.emplace(left_of(v), v.init), right.emplace(right_of(v), v.init);
    }
    both = left;
    both.insert(right.begin(), right.end());
    const auto inv_left = invariant_at(c, states_to(c, left_of)), inv_right = invariant_at(c, states_to(c, right_of));
    prover p(seconds);
    for (const auto& v : c.variables) {
      if (!same_constant(substitute(v.merge, both), v.init) &&
          p.decide({"", {}, substitute(v.merge, both), v.init}).result != outcome::proved)
        return false;
      if (p.decide({"", inv_right, substitute(v.merge, left), right_of(v)}).result != outcome::proved) return false;
      if (p.decide({"", inv_left, substitute(v.merge, right), left_of(v)}).result != outcome::proved) return false;
    }
    return true;
  } catch (const limit_error&) {
    return false;
  }
}

}  // namespace twofold::analyser
