// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file How long the text of a term would be.
#pragma once

#include "ir/term.hpp"

namespace twofold::analyser {

//! Nodes of t written out, where what occurs twice is written twice: with 40 levels of sharing, more than any memory holds.
[[nodiscard]] double written_size(term t);

}  // namespace twofold::analyser
