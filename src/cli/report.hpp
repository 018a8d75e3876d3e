// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The decision about one loop as a page that a person reads.
#pragma once

#include <string>

#include "decision_json.hpp"
#include "terminal.hpp"

namespace twofold::cli {

//! First line as compilers write it (file:line:column: verdict), then state, merge, reasons, proof, rounding, what to do next.
std::string report(const analyser::spec& s, const analyser::decision& d, const circumstances& c, style paint);

}  // namespace twofold::cli
