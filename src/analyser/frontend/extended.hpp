// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Variables that may still be infinite after an element (a masked minimum, the second largest) as a flag and a finite number.
#pragma once

#include "frontend/passes.hpp"

namespace twofold::analyser::frontend {

//! Every variable that starts at ±∞ and may stay there for an element, and every other infinite start that such a one reads, becomes a
//! number that means something only where its flag is set: steps, outputs and starts of l are rewritten. Leaves l as it is where
//! some step does more with the infinity than to compare, choose and shift.
//! @param flags  state symbol → its flag, for all variables that start infinite
//! @param finite  state symbol → is it finite after a step? Null: not known
//! @returns result symbol → what it means: the number, or the infinity that it started from
std::map<term, term> without_infinite_states(record& l, const std::map<term, term>& flags, const std::map<term, term>& finite);

}  // namespace twofold::analyser::frontend
