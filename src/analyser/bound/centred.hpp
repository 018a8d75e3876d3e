// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Means and sums of squares about them, as Welford and Chan update them: bounds for all data with the condition number of the
//! data in them. Derivation: docs/design/numerics.md, T4.
#pragma once

#include <vector>

#include "bound/factors.hpp"
#include "bound/induction.hpp"

namespace twofold::analyser::bounding {

//! Replaces `other` by `mean` and `spread` where, by the exact normal form, a variable is the mean of the elements and another the sum of
//! squares about it, and where their steps and merges move the left side's mean by a part of the difference of means.
void find_centred(factors& f, std::vector<variable_bound>& all);

}  // namespace twofold::analyser::bounding
