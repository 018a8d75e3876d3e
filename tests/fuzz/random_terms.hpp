// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Loops of the IR that no front end would write: well typed, otherwise anything, with extreme constants and many kinds of node.
#pragma once

#include "fuzz/draw.hpp"
#include "ir/spec.hpp"

namespace twofold::analyser::fuzz {

[[nodiscard]] spec random_spec(draw& random);

}  // namespace twofold::analyser::fuzz
