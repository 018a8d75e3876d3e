// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file From a spec to a candidate merge. Each mechanism is a module with this interface; none is trusted (prove/ decides).
#pragma once

#include <string>
#include <vector>

#include "prove/prove.hpp"

namespace twofold::analyser {

struct derivation {
  candidate merge;                      // lifted online loop and its merge
  std::vector<separation> separations;  // several passes
  std::vector<output> finalize;         // outputs of the spec over the candidate's state symbols
  std::string mechanism;                // "sum in disguise", "max-plus closure", …
};

struct derive_result {
  std::vector<derivation> found;   // best first
  std::vector<std::string> tried;  // in words, for `unknown`
  bool complete = true;            // false: a limit was met before everything was tried
};

derive_result derive(const spec& s, double seconds);

}  // namespace twofold::analyser
