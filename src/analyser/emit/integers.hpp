// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Signed integers in emitted code. A loop that does not overflow may have pieces that would: a state is therefore kept in
//! 64 bits, where sums of 32-bit elements cannot overflow, and ring operations that still could run modulo 2^64.
#pragma once

#include "ir/term.hpp"

namespace twofold::analyser {

//! The type in which a state variable is kept: std::int64_t for narrower signed integers, else itself.
type state_type(type t);

//! The term with signed arithmetic in 64 bits. State symbols (state, left, right, opaque) are taken to be kept in `state_type`,
//! all others have their own type. `wraps`: the variable's values can leave 64 bits (products of state, 64-bit elements), so sums
//! and products are computed modulo 2^64; comparisons are exact only while values fit.
term widened(term t, bool wraps);

//! True where sums and products of `t` can leave 64 bits although the source's narrower type did not overflow.
bool can_leave_64_bits(term t);

}  // namespace twofold::analyser
