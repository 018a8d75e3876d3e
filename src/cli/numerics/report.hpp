// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The answer to a question about an operator, as a page and as JSON (schema 1, docs/program.md).
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "numerics/bounds.hpp"
#include "numerics/curves.hpp"
#include "numerics/domain.hpp"
#include "numerics/measure.hpp"
#include "numerics/question.hpp"
#include "terminal.hpp"

namespace twofold::cli::accuracy {

struct answer {
  accuracy::question question;
  accuracy::domain domain;
  accuracy::tree tree;
  accuracy::guarantee guarantee;
  std::vector<output_part> output;  // of attention
  std::vector<accuracy::advice> advice;
  std::int64_t measured_n = 0;           // smaller than n where a row of n would take too long
  accuracy::measurement measured;        // nothing in it where nothing was measured
  std::vector<certified_way> certified;  // empty unless asked for
  accuracy::curves curves;               // empty unless asked for
};

//! Everything that follows from the question without measuring. @errors TF2401 to TF2406
answer answer_to(const question& q);

std::string report(const answer& a, style paint);
nlohmann::ordered_json to_json(const answer& a);

//! The part of the output's error that is largest; null where there is none.
const output_part* dominant(const answer& a);

}  // namespace twofold::cli::accuracy
