// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Sentences that the report and the page share.
#pragma once

#include <string>
#include <vector>

#include "ir/decision.hpp"
#include "price.hpp"
#include "special_values.hpp"

namespace twofold::cli {

//! "associative: states of neighbouring pieces merge"; after the first colon the explanation, if there is one.
std::string verdict_in_words(const analyser::decision& d);
//! "a merge costs as much as 1.5 steps; on 2 workers splitting pays from 4 elements on, on 8 from 6"
std::string price_in_words(const analyser::price& p);
//! May atomics be used? One sentence.
std::string order_in_words(const analyser::decision& d);
std::string in_words(const analyser::rounding_witness& w);
//! One line for special values: on which of them loop and merge give other bits.
std::string in_words(const std::vector<analyser::special_row>& rows);
//! Remarks on rounding and machine arithmetic, each once.
std::vector<std::string> remarks(const analyser::spec& s, const analyser::decision& d);

//! A loop's state after each element of one input.
struct trace {
  std::string title;
  std::vector<std::string> elements, variables;
  std::vector<std::vector<std::string>> states;  // before the first element, and after each
};
//! The inputs of a witness walked through; nothing where the interpreter does not run the loop (rows, several passes).
std::vector<trace> traces_of(const analyser::spec& s, const analyser::counterexample& x);

}  // namespace twofold::cli
