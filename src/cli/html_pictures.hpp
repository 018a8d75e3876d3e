// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The pictures of the page about one loop, as inline SVG. Numbers in them are what the machine interpreter gives.
#pragma once

#include <string>

#include "decision_json.hpp"

namespace twofold::cli {

//! One input cut in two: the state of each piece, their merge, and beside it what the loop makes of the whole.
std::string picture_of_split(const analyser::spec& s, const analyser::decision& d);
//! A tree over the input and the two folds, which are the trees that lean to one side.
std::string picture_of_trees();
//! The square of a transported structure: through φ the merge is the plain monoid. Empty without a change of coordinates.
std::string picture_of_coordinates(const analyser::decision& d);
//! The two right pieces of a witness step by step, alone and after the left one.
std::string picture_of_witness(const analyser::counterexample& x);

}  // namespace twofold::cli
