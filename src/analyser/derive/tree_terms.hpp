// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The terms that a decision tree is made of: values at its leaves, conditions at its nodes. Only numbers that the loop brings
//! together itself are compared or added: a count of events says nothing about the length of a run.
#pragma once

#include <vector>

#include "prove/prove.hpp"

namespace twofold::analyser::deriving {

struct tree_terms {
  std::vector<term> values;      // simple ones first
  std::size_t simple = 0;        // how many of them are no extrema
  std::vector<term> conditions;  // simple ones first
};

//! `known`: variables that both pieces hold; those that have a merge are compared as merged too. `own`: the one that is sought.
[[nodiscard]] tree_terms terms_for(const std::vector<candidate::variable>& known, std::size_t own);

}  // namespace twofold::analyser::deriving
