// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file A list of obligations decided one after the other, and written down as evidence.
#pragma once

#include "prove/decide.hpp"

namespace twofold::analyser {

//! Stops at the first obligation that is not proved, and names it. `how` precedes the methods in the proof.
[[nodiscard]] check_result discharge(const std::vector<obligation>& obligations, const std::string& how, double seconds);

}  // namespace twofold::analyser
