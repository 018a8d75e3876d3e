// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Letters that are solved for: entries with which a step leads from one given state to another. Where states do not meet by
//! themselves (a hash of 32 bits, a recurrence over the rationals), a piece of two elements is made to end where a piece of one does.
#pragma once

#include "refute/alphabet.hpp"

namespace twofold::analyser {

//! All values of the symbol x at which t has the value `target`, found by peeling t from the outside: what does not read x is evaluated,
//! and each operation around x is taken back (sums, products, quotients, squares, extrema and choices; modulo 2^w also xors, rotations,
//! xorshifts and odd factors). Candidates only: where a condition decides, try them.
[[nodiscard]] std::vector<exact> solutions(term t, const exact& target, term x, const exact_environment& env);

//! Letters c with f_c(f_b(s0)) = f_a(s0) for letters a and b of the alphabet, at most so many, those of short binary fractions first.
//! For one pass over scalar elements whose few scalar variables are each solved for by one entry.
[[nodiscard]] std::vector<std::vector<std::vector<exact>>> meeting_letters(const spec& s, const setting& fixed, const alphabet& letters,
                                                                           std::size_t most);

}  // namespace twofold::analyser
