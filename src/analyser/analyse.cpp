// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The order of a decision (design: D6): derive and prove; only if nothing derived is proved, refute; else unknown.
#include "analyse.hpp"

#include <algorithm>

#include "prove/prove.hpp"
#include "stages.hpp"

namespace twofold::analyser {
namespace {

//! Shares of the time limit: proofs of one candidate, and the search for a witness.
constexpr double proof_share = 0.4, refutation_share = 0.5;

//! Every derivation in turn, until one is proved.
lifting try_lifting(decision& d, const spec& s, const stopwatch& time) {
  bool unfinished = false;
  try {
    const derive_result derived = derive(s, time.left() * proof_share);
    unfinished = !derived.complete;
    d.tried.insert(d.tried.end(), derived.tried.begin(), derived.tried.end());
    for (const derivation& found : derived.found) {
      if (time.over()) {
        d.tried.push_back(found.mechanism + ": no time was left to prove it");
        unfinished = true;
        continue;
      }
      const check_result proof = check_passes(s, found.separations, found.merge, found.finalize, time.left() * proof_share);
      if (proof.result == outcome::proved) {
        affirm(d, s, found, proof, time);
        return lifting::proved;
      }
      unfinished |= proof.failed == "limits" || time.over();
      d.tried.push_back(failure_in_words(found.mechanism, proof));
    }
  } catch (const limit_error& e) {
    d.tried.push_back("lifting stopped at a limit: " + std::string(e.what()));
    unfinished = true;
  }
  return unfinished ? lifting::unfinished : lifting::failed;
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

void say_position(decision& d, const spec& s) {
  if (std::any_of(s.passes.begin(), s.passes.end(), [](const pass& p) { return p.position_aware; }))
    d.assumptions.push_back("pieces know their global position: the elements are pairs of index and value");
}

}  // namespace

decision decide_loop(const spec& s, const options& o) {
  const stopwatch time(o.seconds);
  decision d;
  d.assumptions = s.assumptions;
  d.notes = s.notes;
  say_position(d, s);
  const lifting lifted = try_lifting(d, s, time);
  if (lifted == lifting::proved) return d;
  if (try_refutation(d, s, time, o.seed)) conclude_from_witness(d, lifted);
  if (d.verdict == verdict::unknown && time.over())
    d.tried.push_back("the time limit of " + std::to_string(static_cast<int>(o.seconds + 0.5)) + " s was met");
  return d;
}

}  // namespace twofold::analyser
