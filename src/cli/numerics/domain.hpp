// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Overflow and underflow: whether the formats of a question hold every value that can occur, and by how much.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "numerics/question.hpp"
#include "twofold/algebra/error.hpp"

namespace twofold::cli::accuracy {

//! One quantity held against its format, in powers of two.
struct budget {
  std::string what;       // "l", "O", "P"
  std::string formula;    // "n*2^tau"
  double log2_most = 0;   //!< log2 of the largest value that can occur
  double log2_limit = 0;  //!< log2 of the format's largest number
  std::string format;
  bool fits = true;
};

struct domain {
  std::vector<budget> budgets;
  std::vector<std::string> notes;  // windows, what is flushed, what stagnates
  std::optional<error> refusal;    // the first check that fails, as the library refuses it
};

domain domain_of(const question& q);

//! @errors TF2401 P's budget · TF2402 an accumulator's range · TF2403 stagnation · TF2405 squares · TF2406 products of scales
void expect_safe(const domain& d);

}  // namespace twofold::cli::accuracy
