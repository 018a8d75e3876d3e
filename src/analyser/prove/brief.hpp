// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Terms in messages. A term is a shared graph; written out it may be exponentially longer.
#pragma once

#include <string>

#include "ir/term.hpp"

namespace twofold::analyser {

//! The term's text if it is short, else its size.
[[nodiscard]] std::string brief(term t);

}  // namespace twofold::analyser
