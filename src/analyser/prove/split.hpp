// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Case splitting: choices (select, max, min, |t|) are resolved one comparison at a time, infeasible cases are pruned by the
//! solver, and in each remaining case the two sides are compared without choices.
#pragma once

#include <string>
#include <vector>

#include "prove/prove.hpp"
#include "prove/solver.hpp"

namespace twofold::analyser {

inline constexpr std::size_t max_cells = 256;

struct split_result {
  bool proved = false;
  std::size_t cells = 0;     // leaves that were decided
  bool used_solver = false;  // a leaf needed Z3 for the equality itself
  std::vector<term> open;    // the case that stayed open
  std::vector<proof_case> cases;
};

//! left = right in every case that the hypotheses allow.
split_result split(term left, term right, const std::vector<term>& hypotheses, solver& z3, time_point deadline);

}  // namespace twofold::analyser
