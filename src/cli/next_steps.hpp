// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file What a reader can do with a loop that merges: which schedules are open, which commands come next.
#pragma once

#include <string>
#include <vector>

#include "ir/decision.hpp"

namespace twofold::cli {

bool has_vectors(const analyser::decision& d);
//! Whether an output array is written from the running state.
bool is_scan(const analyser::spec& s);
std::string open_schedules(const analyser::spec& s);
//! Command lines with the function's own parameters filled in.
std::vector<std::string> next_commands(const analyser::spec& s);

}  // namespace twofold::cli
