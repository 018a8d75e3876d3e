// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Every one-token mutant of a merge: what a checker must kill, or prove equal.
#pragma once

#include <string>
#include <vector>

#include "prove/prove.hpp"

namespace twofold::analyser {

struct mutant {
  std::string description;  // "l: a.m → b.m in a.l * exp(a.m - m)"
  candidate merge;          // the candidate with one merge changed
};

//! All mutants of all merges, at most one token each: an operator for another, operands of a non-commutative operation exchanged,
//! left for right, another variable of the same type, a constant changed, an operand dropped, the sign of an exponent, a
//! comparison weakened, strengthened or turned, a condition negated. Mutants that are the same term as the merge are left out.
[[nodiscard]] std::vector<mutant> mutants(const candidate& c);

}  // namespace twofold::analyser
