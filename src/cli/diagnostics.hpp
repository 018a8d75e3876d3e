// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Verdicts as editors and build systems read compilers: one line each, `file:line:column: severity: message [code]`.
#pragma once

#include <string>

#include "decision_json.hpp"
#include "failure.hpp"

namespace twofold::cli {

//! Associative is a note (TF4111), not associative a warning (TF4112), unknown a warning (TF4113); a wrong user's merge is an error
//! (TF4114).
std::string gcc_line(const analyser::spec& s, const analyser::decision& d, const circumstances& c);
std::string gcc_line(const failure& f);

}  // namespace twofold::cli
