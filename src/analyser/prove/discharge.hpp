// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file A list of obligations decided one after the other, and written down as evidence.
#pragma once

#include "prove/decide.hpp"
#include "prove/rules.hpp"

namespace twofold::analyser {

//! Under what the loop itself needs to be defined. Stops at the first obligation that is not proved, and names it. `how` precedes the
//! methods in the proof.
[[nodiscard]] check_result discharge(std::vector<obligation> obligations, const domain_assumptions& assumed, const std::string& how,
                                     double seconds);

}  // namespace twofold::analyser
