// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file --assume 'n>=1, |g|<=1, noalias': a narrower domain, read, echoed and held against witnesses.
#pragma once

#include <gmpxx.h>

#include <optional>
#include <string>
#include <vector>

#include "ir/decision.hpp"

namespace twofold::cli {

//! One comparison, e.g. |g| <= 1. `0 <= x <= 1` is two of them.
struct comparison {
  struct operand {
    std::string name;  // of a parameter or an array; empty: the number
    bool magnitude = false;
    mpq_class number;
  };
  operand left, right;
  std::string relation;  // < <= > >= == !=
};

struct assumption {
  std::string text;  // as written
  bool no_alias = false;
  std::vector<comparison> all;
};

//! @errors TF2121 where the text is not a list of comparisons and `noalias`
std::vector<assumption> parse_assumptions(const std::string& text);

//! @errors TF2121 where a name is neither a parameter nor an array of the function
void check_names(const std::vector<assumption>& assumptions, const analyser::spec& s);

//! A proof over the whole domain holds on a narrower one, so positive verdicts stand. A witness must lie in the domain: the first
//! assumption that it breaks, if any. Values that are not rational numbers count as breaking it.
std::optional<std::string> broken_by(const std::vector<assumption>& assumptions, const analyser::spec& s,
                                     const analyser::counterexample& x);

}  // namespace twofold::cli
