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

//! Reads FILE:FUNCTION and decides it. Progress for people goes to stderr.
//! @errors the front end's · TF4104 there is no merge (exit 1) or none was found (exit 3)
decided_loop decide_for(const std::string& subcommand, const std::string& what, const std::vector<std::string>& include_dirs,
                        const std::string& cache, double seconds);

}  // namespace twofold::cli
