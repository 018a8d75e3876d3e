// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Gaps in the rows of a step over (max, +): entries that some pieces lack and others have would need a flag each.
#pragma once

#include "derive/summary.hpp"

namespace twofold::analyser::deriving {

//! The same step with its gaps filled: where u is never above v, max(…, v + c) = max(…, u + c, v + c), so u may reach whatever v reaches.
//! Over (min, +) the other way round. Nothing where there is no gap or no such order; that the order holds is taken from runs, and is
//! proved with the merge.
[[nodiscard]] std::optional<summary> without_gaps(const pass& loop, const group& g, const summary& step);

}  // namespace twofold::analyser::deriving
