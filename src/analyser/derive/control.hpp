// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Finite control: variables with few values, and the combinations of these that a loop can reach.
#pragma once

#include <optional>
#include <set>
#include <vector>

#include "ir/spec.hpp"

namespace twofold::analyser::deriving {

using finite_set = std::set<mpq_class>;

//! The value set of v, closed under its step, if it is small.
[[nodiscard]] std::optional<finite_set> finite_range(const state_variable& v);

//! All values that the control variables have together, in ascending order; of combinations
//! only those that are reached, as far as this can be told. Empty if they are too many.
[[nodiscard]] std::vector<std::vector<mpq_class>> control_states(const std::vector<const state_variable*>& control,
                                                                 const std::vector<finite_set>& ranges);

}  // namespace twofold::analyser::deriving
