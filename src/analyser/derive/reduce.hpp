// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file A closed composition has more parameters than it needs. Here each parameter is tried to be read off variables that are
//! carried anyway; what makes that right (an invariant: best ≥ current, all ⇒ lead = current) is found with it.
#pragma once

#include "derive/part.hpp"

namespace twofold::analyser::deriving {

//! `own`: the part's variables, with exact merges over own, upstream and added ones. `added`: parameters of the summary.
//! Keeps as few added ones as exact samples allow, with an invariant under which the push rule holds on samples. Nothing if the merges
//! themselves fail on samples.
//! @param invariant  what is known to hold (finite ranges)
//! @param readings   terms over states that an added variable may equal, tried before the carried variables
//! @param at_start   an own variable that nothing else reads → what the summary makes of the initial state: if the summary is all there,
//! the
//!                   variable need not be carried beside it, and is decoded from it
std::optional<part_result> reduce(const std::vector<candidate::variable>& upstream, const std::vector<candidate::variable>& own,
                                  const std::vector<candidate::variable>& added, const std::vector<term>& invariant = {},
                                  const std::map<term, std::vector<term>>& readings = {}, thrift state = thrift::least,
                                  const substitution& at_start = {});

//! The part's variables that only the part itself reads: no other variable. An output of an iteration may read a number, which is decoded
//! there.
std::vector<term> read_by_nobody_else(const part& p);

}  // namespace twofold::analyser::deriving
