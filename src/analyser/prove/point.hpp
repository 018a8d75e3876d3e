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
  std::map<term, term> point;              // symbols and entries of arrays → numbers, or powers of e
  term left, right;                        // the two values; null: undefined
  [[nodiscard]] std::string text() const;  // "a.m = 0, x = 1: left = 2, right = 3"
};

//! Where both sides must have a value, one that has none (a quotient by 0, say) is different from every value.
enum class without_value { tells_nothing, differs };

//! Whether left ≠ right at this point, all hypotheses being true there.
std::optional<difference> differ_at(const substitution& point, term left, term right, const std::vector<term>& hypotheses,
                                    without_value undefined = without_value::tells_nothing);

//! Tries `count` deterministic small points. Where a side speaks of logarithms, reals are also powers of e, whose logarithms are exact.
std::optional<difference> differ_somewhere(term left, term right, const std::vector<term>& hypotheses, unsigned count, time_point deadline,
                                           without_value undefined = without_value::tells_nothing);

}  // namespace twofold::analyser
