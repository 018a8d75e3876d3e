// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file `check --merge`: the checker alone on a merge that a person wrote, and neighbouring pieces that show where it is wrong.
#include <algorithm>
#include <set>

#include "analyse.hpp"
#include "narrow.hpp"
#include "prove/prove.hpp"
#include "stages.hpp"

namespace twofold::analyser {
namespace {

//! Whether a term speaks of carried variables only.
bool over_carried(term t, const std::set<term>& carried) {
  const std::vector<term> all = symbols(t);
  return std::all_of(all.begin(), all.end(), [&](term u) { return !u->is_symbol(symbol_kind::state) || carried.contains(u); });
}

//! The loop with the user's merge. Invariants are a hint from the derivation; the checker proves that they hold and are kept.
std::vector<candidate> candidates(const spec& s, const std::vector<term>& merge, const stopwatch& time) {
  candidate bare;
  std::set<term> carried;
  const std::vector<state_variable>& state = s.passes[0].state;
  for (std::size_t k = 0; k < state.size(); ++k) {
    const state_variable& v = state[k];
    bare.variables.push_back({v.name, v.type, role::carried, v.symbol, v.init, {}, v.step, merge[k], {}, v.extent, v.component});
    carried.insert(v.symbol);
  }
  std::vector<candidate> r;
  try {
    for (const derivation& found : derive(s, time.left() / 4).found) {
      candidate hinted = bare;
      for (term inv : found.merge.invariant)
        if (over_carried(inv, carried)) hinted.invariant.push_back(inv);
      if (!hinted.invariant.empty()) r.push_back(hinted);
    }
  } catch (const limit_error&) {
    r.clear();  // no hints then
  }
  r.push_back(bare);
  return r;
}

bool is_signed_arithmetic(const node& n) {
  const bool grows = n.is(op::add) || n.is(op::mul) || n.is(op::neg) || n.is(op::abs) || n.is(op::shift_left);
  return grows && n.type.kind == sort::integer && n.type.is_signed;
}
//! A signed number that is neither a state nor the result: that the loop does not overflow says nothing of it.
bool computes_on_the_way(term t) {
  if (t->is(op::select))
    return contains(t->args[0], is_signed_arithmetic) || computes_on_the_way(t->args[1]) || computes_on_the_way(t->args[2]);
  return std::any_of(t->args.begin(), t->args.end(), [](term a) { return contains(a, is_signed_arithmetic); });
}

//! What the user should hear of a merge that is wrong.
std::string wrong_in_words(const counterexample& c) {
  return "the merge gives " + c.result + " where the loop over both pieces gives " + c.result2;
}

//! Looks for pieces on which the merge is wrong, and fills in the decision if there are any.
bool shown_wrong(decision& d, const spec& s, const std::vector<term>& merge, double seconds, std::size_t longest) {
  try {
    d.counterexample = refute_merge(s, merge, seconds, longest);
  } catch (const limit_error& e) {
    d.tried.push_back("pieces that show a difference were not sought: " + std::string(e.what()));
  }
  if (!d.counterexample) return false;
  d.verdict = verdict::not_associative;
  d.scope = scope::this_state;
  d.tried.push_back(wrong_in_words(*d.counterexample));
  return true;
}

}  // namespace

decision check_user_merge(const spec& source, const std::vector<term>& merge, const options& o) {
  const stopwatch time(o.seconds);
  const spec s = narrowed(source);
  decision d;
  d.assumptions = s.assumptions;
  d.notes = s.notes;
  if (s.passes.size() != 1 || merge.size() != s.passes[0].state.size()) {
    d.tried.push_back(s.passes.size() != 1
                          ? "a merge is checked against a loop of one pass, and this function has " + std::to_string(s.passes.size())
                          : "the merge has " + std::to_string(merge.size()) + " results, the loop carries " +
                                std::to_string(s.passes[0].state.size()) + " variables");
    return d;
  }
  // a wrong merge fails on short pieces as a rule, and a counterexample is worth more than an obligation that stays open
  if (shown_wrong(d, s, merge, std::min(0.2, time.left() / 4), 3)) return d;
  check_result last;
  try {
    for (const candidate& c : candidates(s, merge, time)) {
      last = check(s.passes[0], c, std::max(0.1, time.left() / 3));
      if (last.result != outcome::proved) continue;
      derivation found;
      found.merge = c;
      found.finalize = s.outputs;
      substitution to_state;
      for (std::size_t k = 0; k < s.passes[0].state.size(); ++k) to_state[s.results[k]] = s.passes[0].state[k].symbol;
      for (output& out : found.finalize) out.value = substitute(out.value, to_state);
      affirm(d, s, found, last, time);
      if (std::any_of(merge.begin(), merge.end(), computes_on_the_way))
        d.assumptions.push_back("what the merge computes on the way to its result does not overflow");
      if (std::none_of(d.state.begin(), d.state.end(), [](const merged_variable& v) { return !v.init_is_identity; })) return d;
      d.notes.push_back("the initial state is not neutral in this merge: a piece without elements must be skipped, not merged");
      return d;
    }
  } catch (const limit_error& e) {
    d.tried.push_back("the proof stopped at a limit: " + std::string(e.what()));
    return d;
  }
  if (shown_wrong(d, s, merge, time.left() / 2, 8)) return d;
  d.tried.push_back(failure_in_words("the merge", last));
  if (time.over()) d.tried.push_back("the time limit was met");
  return d;
}

}  // namespace twofold::analyser
