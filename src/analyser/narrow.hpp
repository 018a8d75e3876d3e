// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file A loop on a part of its inputs: what the caller grants (`spec::given`) becomes hypotheses of its passes, and conditions that it
//! decides disappear from their terms.
#pragma once

#include "ir/spec.hpp"

namespace twofold::analyser {

//! The same function on all inputs that satisfy `s.given`.
[[nodiscard]] spec narrowed(spec s);

//! Whether the solver says that no parameter and no element satisfies what is given.
[[nodiscard]] bool is_void(const spec& s);

}  // namespace twofold::analyser
