// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Lemma 1: look for one left element and two right pieces of equal state that the left element tells apart.
//!
//! What is compared (and so what a witness says):
//! - The state of a piece is the value of all carried variables that some output can see; for several passes it is the tuple of
//!   all their results on the piece.
//! - If a step or an output speaks of the index or of the length, both right pieces have the same length, and each is run at the
//!   position at which it stands after the left element: the witness then defeats merges that know positions and lengths, too.
//! - If an iteration reads neighbours (x[i-1]), the pieces are cut from one array each: both begin after the same entries, and
//!   where a suffix follows, both end in the same entries.
//! - The states of the right pieces are exact. What follows may be irrational (tanh of 1): two results differ then if rational
//!   bounds of them are disjoint, and are written as decimals.
//! - Parameters are fixed to a few small values, which the witness reports. Inner extents are 1 or 2.
#pragma once

#include <optional>
#include <vector>

#include "ir/decision.hpp"

namespace twofold::analyser {

//! Breadth-first over right pieces of small exact elements, hashed by exact state; minimal in the length of the pieces.
//! Only exact evaluations count; a piece that faults or is not rational is dropped. Deterministic as long as `seconds` is not
//! reached. The seed is not used: nothing is drawn at random.
std::optional<counterexample> refute(const spec& s, double seconds, unsigned seed);

struct collision_options {
  double seconds = 0.5;
  std::size_t steps = 600'000;  // of the loop, evaluated and remembered, all settings together: about 200 MB. The same on every machine
  int longest = 8;              // iterations in all pieces together
  std::size_t letters = 40;     // different elements that are tried; fewer on long words
  bool reaches_output = true;   // else a difference of the states is enough
  bool solve = false;           // letters are solved for, too: see solved.hpp
  std::vector<bool> key;        // which results make up the state (default: all observable ones)
};
//! The search itself, for `why` of an added variable: two pieces that the state cannot tell apart, though what stands before them can.
std::optional<counterexample> collision(const spec& s, const collision_options& o);

//! For `check --merge`: neighbouring pieces whose merged state is not the state of the whole. `left` and `right` are the pieces;
//! `state` is the loop's state of the whole, `result` what the merge gives, `result2` what the loop gives.
//! Exponentials are compared as powers of one indeterminate (e is transcendental), and only where no branch depends on one.
std::optional<counterexample> refute_merge(const spec& s, const std::vector<term>& merge, double seconds, std::size_t longest = 8);

}  // namespace twofold::analyser
