// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file A loop that reads its index, seen as one that counts: the index is a variable of its state (D1), and pieces need not know where
//! they lie.
#pragma once

#include <optional>

#include "ir/spec.hpp"

namespace twofold::analyser {

//! The same loop with its index carried: it starts from the begin of the range and grows by one per element; nothing else reads the
//! position. Same outputs for every input. Nothing if the loop is not position-aware, has several passes or walks from the end.
std::optional<spec> with_carried_index(const spec& s);

}  // namespace twofold::analyser
