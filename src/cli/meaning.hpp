// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file What a state variable is, in words, read off its merge and its coordinate.
#pragma once

#include <string>

#include "ir/decision.hpp"
#include "names.hpp"

namespace twofold::cli {

//! "sum of x[i] * y[i]", "maximum of x[i]", "that of the last element"; empty where the formulas do not say it plainly.
std::string meaning(const analyser::merged_variable& v, const analyser::decision& d, const namer& names);

}  // namespace twofold::cli
