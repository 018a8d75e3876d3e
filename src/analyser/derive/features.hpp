// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file What a piece might remember beside the loop's own variables, made from what the loop looks at: whether a condition holds all
//! along, how far it holds from the start, the first element, the first that does not satisfy a condition, the number of elements.
#pragma once

#include "derive/part.hpp"

namespace twofold::analyser::deriving {

//! A variable that merges by itself, given those that it needs (by position).
struct feature {
  candidate::variable variable;
  std::vector<std::size_t> needs;
};

[[nodiscard]] std::vector<feature> features_of(const part& p);

}  // namespace twofold::analyser::deriving
