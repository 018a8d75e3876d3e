// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The parts from which a decision is put together. Internal to decide_loop and check_user_merge.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "derive/derive.hpp"
#include "refute/refute.hpp"

namespace twofold::analyser {

//! The time that one decision may take; stages ask for shares of what is left.
class stopwatch {
 public:
  explicit stopwatch(double seconds) : seconds_(seconds), start_(std::chrono::steady_clock::now()) {}
  [[nodiscard]] double left() const { return seconds_ - std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }
  [[nodiscard]] bool over() const { return left() <= 0; }
  [[nodiscard]] double seconds() const { return seconds_; }

 private:
  double seconds_;
  std::chrono::steady_clock::time_point start_;
};

//! Fills in all of an associative decision that follows from a proved candidate.
void affirm(decision& d, const spec& s, const derivation& found, const check_result& proof, const stopwatch& time);

//! How the search for a merge with added state ended.
enum class lifting { proved, failed, unfinished };

//! The verdict where a witness against the loop's own state was found (D6): not associative with this state if lifting failed; unknown if
//! it was only cut short, since with more state there may be a merge.
void conclude_from_witness(decision& d, lifting lifted);

//! "[1] and [-1, 1] end in the same (cur, best) = (1, 1), yet after [1] they give 2 and 1"
[[nodiscard]] std::string in_words(const counterexample& c);

//! Why the merge needs each added variable: two right pieces that agree in all the others and must not.
void explain_added(std::vector<merged_variable>& state, const spec& s, const derivation& found, const stopwatch& time);

//! Operations of all terms, shared ones counted once.
[[nodiscard]] std::size_t operations(const std::vector<term>& terms);

//! Remarks on machine arithmetic: it is never part of the verdict.
[[nodiscard]] std::vector<std::string> arithmetic_notes(const spec& s, const stopwatch& time);

//! "lifting by sum in disguise: push(l) stayed open (…)"
[[nodiscard]] std::string failure_in_words(const std::string& what, const check_result& r);

}  // namespace twofold::analyser
