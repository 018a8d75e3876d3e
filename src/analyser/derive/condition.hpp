// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Conditions known to hold make nested choices on them disappear.
#pragma once

#include "ir/term.hpp"

namespace twofold::analyser::deriving {

//! select(c, A, B) with c taken as true within A and false within B, throughout t.
[[nodiscard]] term pruned(term t);

}  // namespace twofold::analyser::deriving
