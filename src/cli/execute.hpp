// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Runs compiled code on bound arrays in a child process: whatever the user's loop does, the program survives it.
#pragma once

#include <string>
#include <vector>

#include "bind.hpp"
#include "emit/cpp.hpp"

namespace twofold::cli {

//! What one call gave: every answer, and every array it wrote, under its name.
struct answers {
  std::vector<std::pair<std::string, npy_array>> values;
  double milliseconds = 0;
};

struct executed {
  answers sequential, scheduled;
};

//! Calls twofold_sequential and twofold_scheduled of the library, each on its own copy of what is written. Both together, and what the
//! file does when it is loaded, get so many seconds.
//! @errors TF3102 the code was killed by a signal, or left by exit · TF3103 it threw · TF4101 it took too long ·
//!         TF5102 the library cannot be loaded
executed execute(const std::string& library, const analyser::spec& s, const analyser::cpp_reduction& r, const binding& b,
                 const std::string& schedule, double seconds);

}  // namespace twofold::cli
