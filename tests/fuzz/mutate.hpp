// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Sources as nobody would write them: those that there are with tokens exchanged, moved and repeated, and hostile preambles.
#pragma once

#include <string>
#include <vector>

#include "fuzz/draw.hpp"

namespace twofold::analyser::fuzz {

//! A file cut into its functions, with what stands before each.
struct source_pieces {
  std::string includes;
  std::vector<std::string> pieces;
};
[[nodiscard]] source_pieces cut_up(const std::string& text);

//! What a mutated source must not get at: a file beside the folder that it may read, with a word that occurs nowhere else.
struct forbidden {
  std::string path, word;
};

[[nodiscard]] std::string mutated_source(draw& random, const std::vector<source_pieces>& corpus, const forbidden& f);

}  // namespace twofold::analyser::fuzz
