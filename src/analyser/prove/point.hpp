// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Refutation: an exact point at which all hypotheses hold and the two sides differ. Small points are tried, and the solver's
//! models. The values are rational, or rational functions of one e^(p/q), which is transcendental: not identical means different.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "prove/solver.hpp"

namespace twofold::analyser {

struct difference {
  model point;
  term left, right;                        // the two values
  [[nodiscard]] std::string text() const;  // "a.m = 0, x = 1: left = 2, right = 3"
};

//! Whether left ≠ right at this point, all hypotheses being true there.
std::optional<difference> differ_at(const model& point, term left, term right, const std::vector<term>& hypotheses);

//! Tries `count` deterministic small points.
std::optional<difference> differ_somewhere(term left, term right, const std::vector<term>& hypotheses, unsigned count, time_point deadline);

}  // namespace twofold::analyser
