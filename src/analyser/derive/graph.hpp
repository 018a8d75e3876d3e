// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Which variables depend on which: what outputs can observe, and strongly connected parts with upstream parts first.
#pragma once

#include <vector>

#include "ir/spec.hpp"

namespace twofold::analyser::deriving {

//! The carried variables (by position) that can influence one of `observed` (terms over states or elements), transitively.
[[nodiscard]] std::vector<bool> observable(const pass& loop, const std::vector<term>& observed);

//! Strongly connected parts of the variables marked in `keep`, each in source order; a part comes after all that it reads.
[[nodiscard]] std::vector<std::vector<const state_variable*>> parts_of(const pass& loop, const std::vector<bool>& keep);

}  // namespace twofold::analyser::deriving
