// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file How the front end says no: thrown where a construct is met, caught at the function.
#pragma once

#include "frontend/frontend.hpp"

namespace twofold::analyser::frontend {

struct refusal {
  frontend_error error;
};

[[noreturn]] inline void refuse_at(const char* code, location where, std::string what, std::string why, std::string fix) {
  throw refusal{{frontend_error::kind::unsupported, code, std::move(where), std::move(what), std::move(why), std::move(fix)}};
}

}  // namespace twofold::analyser::frontend
