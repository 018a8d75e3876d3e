// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The leaf of a loop with references (softmax, log-sum-exp): first where the references of a tile end, then the state written there,
//! then every element at references that no longer move, which costs one exponential instead of two.
#pragma once

#include "ir/decision.hpp"

namespace twofold::analyser {

//! Fills `moved` and `settled` of d's variables where some of them are running maxima or minima whose standing still makes the others'
//! steps cheaper, and where moving before the step is proved to be the same as moving after it. False, and d stands, where not.
bool settle(decision& d, double seconds);

}  // namespace twofold::analyser
