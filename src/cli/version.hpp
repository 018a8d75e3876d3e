// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The version of the program, the one of the headers it was built with.
#pragma once

#include <string>

#include "twofold/algebra/config.hpp"

namespace twofold::cli {

inline const std::string version =
    std::to_string(TWOFOLD_VERSION_MAJOR) + "." + std::to_string(TWOFOLD_VERSION_MINOR) + "." + std::to_string(TWOFOLD_VERSION_PATCH);

}  // namespace twofold::cli
