// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The order of a decision (design: D6): derive and prove; only if nothing derived is proved, refute; else unknown.
#include "analyse.hpp"

#include <algorithm>
#include <optional>

#include "narrow.hpp"
#include "prove/prove.hpp"
#include "stages.hpp"
#include "without_position.hpp"

namespace twofold::analyser {
namespace {

//! Shares of the time limit: proofs of one candidate, and the search for a witness.
constexpr double proof_share = 0.4, refutation_share = 0.5;

//! A loop (the source's own, or the same seen otherwise) with a merge of it that is proved.
struct merged_loop {
  spec loop;
  derivation found;
  check_result proof;
};

std::size_t added(const derivation& d) {
  const auto& all = d.merge.variables;
  return static_cast<std::size_t>(std::count_if(all.begin(), all.end(), [](const auto& v) { return v.kind == role::added; }));
}

//! Every derivation in turn, until one is proved. `tried`: why others were not; `unfinished`: a limit was met on the way.
std::optional<merged_loop> first_proved(const spec& s, const stopwatch& time, std::vector<std::string>& tried, bool& unfinished) {
  try {
    const derive_result derived = derive(s, time.left() * proof_share);
    unfinished |= !derived.complete;
    tried.insert(tried.end(), derived.tried.begin(), derived.tried.end());
    for (const derivation& found : derived.found) {
      if (time.over()) {
        tried.push_back(found.mechanism + ": no time was left to prove it");
        unfinished = true;
        continue;
      }
      const check_result proof = check_passes(s, found.separations, found.merge, found.finalize, time.left() * proof_share);
      if (proof.result == outcome::proved) return merged_loop{s, found, proof};
      unfinished |= proof.failed == "limits" || time.over();
      tried.push_back(failure_in_words(found.mechanism, proof));
    }
  } catch (const limit_error& e) {
    tried.push_back("lifting stopped at a limit: " + std::string(e.what()));
    unfinished = true;
  }
  return std::nullopt;
}

bool knows_position(const spec& s) {
  return std::any_of(s.passes.begin(), s.passes.end(), [](const pass& p) { return p.position_aware; });
}
void say_position(decision& d, const spec& s) {
  if (knows_position(s)) d.assumptions.push_back("pieces know their global position: the elements are pairs of index and value");
}

//! The loop as it is; where its pieces must know where they lie and hold more than the loop does, or have no merge, also as one that
//! counts its elements.
lifting try_lifting(decision& d, const spec& s, const stopwatch& time) {
  bool unfinished = false;
  std::optional<merged_loop> best = first_proved(s, time, d.tried, unfinished);
  if (!best || added(best->found) > 0)
    if (const auto counting = with_carried_index(s)) {
      std::vector<std::string> in_vain;
      auto other = first_proved(*counting, time, in_vain, unfinished);
      if (other && (!best || added(other->found) < added(best->found))) best = std::move(other);
    }
  if (!best) return unfinished ? lifting::unfinished : lifting::failed;
  say_position(d, best->loop);
  affirm(d, best->loop, best->found, best->proof, time);
  return lifting::proved;
}

bool try_refutation(decision& d, const spec& s, const stopwatch& time, unsigned seed) {
  if (time.over()) {
    d.tried.push_back("no time was left to look for a witness");
    return false;
  }
  try {
    const double seconds = time.left() * refutation_share;
    d.counterexample = refute(s, seconds, seed);
    if (!d.counterexample) d.tried.push_back("a witness against this state: none among short pieces of small exact elements");
  } catch (const limit_error& e) {
    d.tried.push_back("a witness against this state was not sought: " + std::string(e.what()));
  }
  return d.counterexample.has_value();
}

}  // namespace

decision decide_loop(const spec& source, const options& o) {
  const stopwatch time(o.seconds);
  const spec s = narrowed(source);
  decision d;
  d.assumptions = s.assumptions;
  d.notes = s.notes;
  lifting lifted = try_lifting(d, s, time);
  if (lifted != lifting::proved && !source.given.empty()) {  // a merge for all inputs is one for those that are left
    decision of_all;
    of_all.assumptions = s.assumptions;
    of_all.notes = s.notes;
    const lifting as_it_stands = try_lifting(of_all, source, time);
    if (as_it_stands == lifting::proved) return of_all;
    if (as_it_stands == lifting::unfinished) lifted = as_it_stands;
  }
  if (lifted == lifting::proved) return d;
  say_position(d, s);
  if (try_refutation(d, s, time, o.seed)) conclude_from_witness(d, lifted);
  if (d.verdict == verdict::unknown && time.over())
    d.tried.push_back("the time limit of " + std::to_string(static_cast<int>(o.seconds + 0.5)) + " s was met");
  return d;
}

}  // namespace twofold::analyser
