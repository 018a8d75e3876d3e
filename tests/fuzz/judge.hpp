// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Whether a decision about a generated loop is right.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "fuzz/sample.hpp"
#include "ir/decision.hpp"

namespace twofold::analyser::fuzz {

//! What was tried on one decision.
struct evidence {
  std::size_t splits = 0;      // bracketed words on which merge and loop agree
  std::size_t collisions = 0;  // pairs of pieces of equal state, found by brute force
  bool witness = false;        // a counterexample that was run again
};

//! Why the decision is wrong, with the input that shows it; nothing if it stands. @cost a few milliseconds
std::optional<std::string> wrong(const sample& s, const decision& d, std::uint64_t seed, evidence& e);

//! An input on which two loops of the same parameters and outputs differ; nothing if none was found.
std::optional<std::string> differ(const spec& a, const spec& b, std::uint64_t seed);

}  // namespace twofold::analyser::fuzz
