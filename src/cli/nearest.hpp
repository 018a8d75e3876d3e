// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file "Did you mean": the known word that a misspelt one is nearest to.
#pragma once

#include <string>
#include <vector>

namespace twofold::cli {

//! The word of `known` with the fewest insertions, deletions, changes and swaps of neighbours from `word`; empty where none is near.
std::string nearest(const std::string& word, const std::vector<std::string>& known);

}  // namespace twofold::cli
