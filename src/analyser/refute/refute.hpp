// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Lemma 1: look for one left element and two right pieces of equal state that the left element tells apart.
#pragma once

#include <optional>

#include "ir/decision.hpp"

namespace twofold::analyser {

//! Breadth-first over right pieces of small exact elements, hashed by exact state; minimal in the length of the pieces.
//! Only exact evaluations count; a piece that faults or is not rational is dropped.
std::optional<counterexample> refute(const spec& s, double seconds, unsigned seed);

}  // namespace twofold::analyser
