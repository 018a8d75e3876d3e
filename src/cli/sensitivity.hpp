// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file How far rounding may take a loop's answers: what the loop itself says of inputs that are a little off.
//!
//! A computation that is backward stable gives the exact answer of inputs that are off by at most n·u, u being the unit roundoff of the
//! narrowest floating-point type in use. So the loop is run on such inputs (all larger, all smaller, and at random), and two stable ways
//! of bracketing may differ by twice the largest change that is seen. Where n·u reaches 1/4, rounding explains anything.
#pragma once

#include <functional>
#include <optional>

#include "bind.hpp"
#include "difference.hpp"

namespace twofold::cli {

//! Runs the loop itself on another binding.
using loop_runner = std::function<answers(const binding&)>;

//! Marks the floating-point answers that differ by more than `tolerance` times their largest entry where one is given, else by more than
//! rounding explains. Runs the loop up to four times more, and only where a difference is larger than 32 units in the last place.
void judge(comparison& c, const answers& loop, const binding& b, const analyser::spec& s, std::optional<double> tolerance,
           const loop_runner& run);

}  // namespace twofold::cli
