// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file How fast the integers of a state grow. Part of emit/.
#pragma once

#include "emit/cpp.hpp"

namespace twofold::analyser {

struct structure;

//! So many elements from the state of none on, 32 bits hold every integer of a state that counts.
inline constexpr int counted_elements = 128;
//! Integers of this size are small: their sums over counted_elements are far from the end of 32 bits.
inline constexpr long small_element = 1 << 19;

//! How the integers of the state grow: by at most 2^20 with an element, and everything that is worked out on the way (lift, step, merge)
//! stays within 32 bits for states of up to counted_elements elements. Bounds a·B + c are computed for every subterm, B the bound of a
//! state's integers.
growth growth_of(const structure& s);

}  // namespace twofold::analyser
