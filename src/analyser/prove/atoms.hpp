// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Taking normal forms apart by their indicators [c]: r = [c]·r₁ + (1 − [c])·r₀.
#pragma once

#include <set>

#include "prove/normal.hpp"

namespace twofold::analyser {

//! The Boolean atoms of p.
[[nodiscard]] std::set<term> indicators(const polynomial& p);
//! The smallest Boolean atom of p, or null.
[[nodiscard]] term first_indicator(const polynomial& p);
//! p with the indicator 1 or 0.
[[nodiscard]] polynomial resolved(const polynomial& p, term indicator, bool value);
//! In lowest terms again: the other branch's denominator cancels.
[[nodiscard]] rational resolved(const rational& r, term indicator, bool value);

}  // namespace twofold::analyser
