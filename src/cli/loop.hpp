// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file One loop, read and decided: what `run` and `emit` start from.
#pragma once

#include <string>
#include <vector>

#include "ir/decision.hpp"

namespace twofold::cli {

struct decided_loop {
  analyser::spec loop;
  analyser::decision answer;
};

//! Reads FILE:FUNCTION: one spec, several where functions of that name are overloaded. @errors the front end's
std::vector<analyser::spec> read_loops(const std::string& subcommand, const std::string& what, const std::vector<std::string>& include_dirs,
                                       const std::string& cache);

//! Decides a loop that was read. @errors TF4104 there is no merge (exit 1) or none was found (exit 3) · TF4101 in time
decided_loop decide_for(const std::string& what, analyser::spec loop, double seconds);

}  // namespace twofold::cli
