// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The normal form of a term as a term again, for those who need nothing else of the normaliser.
#pragma once

#include <optional>

#include "ir/term.hpp"

namespace twofold::analyser {

//! Nothing if t holds ±∞ or NaN, or grows too large.
[[nodiscard]] std::optional<term> simplify(term t, double seconds);

}  // namespace twofold::analyser
