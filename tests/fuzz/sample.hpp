// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Loops with an answer that is known from how they were made.
#pragma once

#include <cstdint>
#include <string>

#include "ir/spec.hpp"

namespace twofold::analyser::fuzz {

//! What is known of a loop before it is analysed.
enum class known {
  merges,  // the state that it carries has a merge: "not associative" would be wrong
  lifts,   // some state of constant size has one: "with no state of constant size" would be wrong
  open,    // nothing: small pieces are run through by brute force
};

struct sample {
  spec loop;
  known answer = known::open;
  std::string family;  // "disguised sum + automaton"
};

//! The loop of a seed. Single elements are small integers wherever the step exponentiates.
[[nodiscard]] sample generate(std::uint64_t seed);

//! C++ text of a loop of the generator, function `name`; the includes it needs are <algorithm>, <cmath>, <cstdint> and <limits>.
[[nodiscard]] std::string as_source(const spec& s, const std::string& name);

}  // namespace twofold::analyser::fuzz
