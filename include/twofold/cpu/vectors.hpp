// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Loops of the library's operators for AVX2 and AVX-512, compiled into twofold::twofold and chosen when the program runs. Including
//! this header (which the headers of reductions, rows and scans do where the library is linked) offers them to programs that are compiled
//! for less. Operators of a user's own run at the width that his translation unit is compiled for.
#pragma once

#include "twofold/algebra/config.hpp"
#include "twofold/cpu/compiled_calls.hpp"

TWOFOLD_BEGIN_NAMESPACE
namespace cpu {

//! Which instructions the library's loops use here: "AVX-512", "AVX2", or "the program's own".
const char* vectors_here();

//! @brief  For tests, while no other thread reduces: at most these from now on (0: the program's own, 1: AVX2, 2: the best there are).
void limit_vectors(int level);

namespace detail {
//! The best loops for this machine, of instructions up to `level`; null: none.
const compiled::calls* compiled_for(int level);
inline const bool offers_vectors = (compiled::offered = compiled_for(2), true);
}  // namespace detail

}  // namespace cpu
TWOFOLD_END_NAMESPACE
