// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Bounds by induction with numbers in them: what `check` and `numerics FILE:FUNCTION` say of a merge for all data.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bound/induction.hpp"
#include "twofold/schedule/schedule.hpp"

namespace twofold::cli::accuracy {

//! A bound at a length and a schedule: first-order units of u, and first/(1 − first), which covers all orders; infinite from first = 1 on.
struct claim {
  double pushes = 0, merges = 0, distance = 0;  // on the longest path; W
  double units = 0, value = 0;
};
claim claim_of(const analyser::bounding::variable_bound& v, std::int64_t n, const schedule& how);

//! Rounded, and bounded for all data.
bool is_rounded(const analyser::bounding::variable_bound& v);

//! "|dl| <= 0.024*l at n = 131072 by fold, 5e-05 in tiles=128,tree", one for each variable that is rounded and bounded.
std::vector<std::string> claims_in_words(const analyser::decision& d);

}  // namespace twofold::cli::accuracy
