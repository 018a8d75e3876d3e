// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file A spec as text, for tests and for people who want to see what the front end understood.
#pragma once

#include <string>

#include "ir/spec.hpp"

namespace twofold::analyser {

//! One line per parameter, variable, element and output; terms as C++.
[[nodiscard]] std::string dump(const spec& s);

}  // namespace twofold::analyser
