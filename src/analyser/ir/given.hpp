// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file What the caller grants of a loop's inputs (`check --assume`): comparisons of parameters, entries of arrays and numbers. The
//! checker takes them as hypotheses about parameters and single elements, the refuter draws its pieces from what they leave.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "ir/term.hpp"

namespace twofold::analyser {

struct pass;

//! One comparison, e.g. |g| <= 1; the name of an array means each of its entries, one iteration at a time.
struct comparison {
  struct operand {
    std::string name;  // of a parameter or an array; empty: the number
    bool magnitude = false;
    mpq_class number;
  };
  operand left, right;
  std::string relation;  // < <= > >= == !=
};

//! Whether a comparison holds of values: all that `values_of` says a name takes, each against each. A value that is no rational number
//! breaks it; names without values do not.
[[nodiscard]] bool holds(const comparison& c, const std::function<std::vector<std::optional<mpq_class>>(const std::string&)>& values_of);

//! The comparisons as conditions on the symbols of a pass: parameters, lengths, and elements that are no rows (two arrays are compared
//! where they are read at the same offset).
[[nodiscard]] std::vector<term> conditions(const std::vector<comparison>& given, const pass& p);

//! Numbers that satisfy what is said of one name against numbers, simple ones and the ends first: a few, or none.
[[nodiscard]] std::vector<mpq_class> examples(const std::vector<comparison>& given, const std::string& name, bool whole);

}  // namespace twofold::analyser
