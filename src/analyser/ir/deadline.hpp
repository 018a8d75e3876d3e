// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file For what works long without constructing terms: the time of a construction_deadline (term.hpp), asked for.
#pragma once

namespace twofold::analyser {

//! Throws limit_error once the time of a construction_deadline is up. Exact programs ask at every run.
void within_construction_deadline();

}  // namespace twofold::analyser
