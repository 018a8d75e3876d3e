// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file --assume 'n>=1, |g|<=1, noalias': a narrower domain, read, granted to the analysis, echoed and held against witnesses.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ir/decision.hpp"

namespace twofold::cli {

struct assumption {
  std::string text;  // as written
  bool no_alias = false;
  std::vector<analyser::comparison> all;
};

//! @errors TF2121 where the text is not a list of comparisons and `noalias`
std::vector<assumption> parse_assumptions(const std::string& text);

//! The loop with what is assumed of its inputs.
//! @errors TF2121 where a name is neither a parameter nor an array of the function, or no input is left
analyser::spec under(const std::vector<assumption>& assumptions, analyser::spec s);

//! A witness must lie in the domain: the first assumption that it breaks, if any (lengths are known here only). Values that are not
//! rational numbers count as breaking it.
std::optional<std::string> broken_by(const std::vector<assumption>& assumptions, const analyser::spec& s,
                                     const analyser::counterexample& x);

}  // namespace twofold::cli
