// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Bounds by induction with numbers in them: what `check` and `numerics FILE:FUNCTION` say of a merge for all data.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
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
//! `deviations`: |mean| of the data in standard deviations, which bounds of variances ask for.
claim claim_of(const analyser::bounding::variable_bound& v, std::int64_t n, const schedule& how, double deviations);

//! Rounded, and bounded for all data.
bool is_rounded(const analyser::bounding::variable_bound& v);

const char* word(analyser::bounding::induction_kind k);
//! "(2 pushes + 2 merges + 1.1 of the lift + 1 W)u"
std::string formula_of(const analyser::bounding::variable_bound& v);

//! What claims leave out.
inline constexpr const char* about_claims =
    "for all data, by induction over the bracketing; what the loop reads is exact, nothing overflows or underflows";

//! What is said of a merge for all data, a line for each real variable: "|dl| <= 0.024*l at n = 131072 by fold, 5e-05 in
//! tiles=128,tree", that it is never rounded, or that there is none. Nothing where no variable is real.
std::vector<std::string> claims_in_words(const analyser::decision& d);
//! The same for every variable: name, kind, formula, scale, u, why, and values at that n; null where the loop has no merge.
nlohmann::ordered_json claims_json(const analyser::decision& d);

}  // namespace twofold::cli::accuracy
