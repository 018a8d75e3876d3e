// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The loops that were compiled for each set of instructions; null where there are none.
#pragma once

#include "twofold/cpu/compiled_calls.hpp"

namespace twofold::compiled {
const calls* avx2();
const calls* avx512();
}  // namespace twofold::compiled
