// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file How symbols of a spec are called in reports and JSON.
#pragma once

#include <functional>
#include <string>

#include "ir/decision.hpp"

namespace twofold::cli {

using namer = std::function<std::string(const analyser::node&)>;

//! Names for to_cpp and to_text: a vector's generic component reads `o[j]`, `a.o[j]`; elements as the source reads them, `x[i]`.
namer names_of(const analyser::spec& s, const analyser::decision& d);

}  // namespace twofold::cli
