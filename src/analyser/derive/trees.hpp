// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The merge of one variable as a decision tree over what two neighbouring pieces hold, found by enumeration on exact runs.
#pragma once

#include "derive/observe.hpp"

namespace twofold::analyser::deriving {

//! `known`: variables that both pieces hold; those that have a merge are compared as merged too. `own`: the one that is sought, by position
//! in `known`; `target`: its position among the observed. Trees of at most two comparisons, else of at most `depth` on any path; the
//! simplest first. What further runs refute is sought again with them.
[[nodiscard]] std::vector<term> merge_trees(observations& seen, const std::vector<candidate::variable>& known, std::size_t own,
                                            std::size_t target, std::size_t depth);

}  // namespace twofold::analyser::deriving
