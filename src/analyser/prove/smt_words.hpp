// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file An obligation about machine words as bit-vectors: what no polynomial over integers says.
#pragma once

#include <string>

#include "prove/prove.hpp"

namespace twofold::analyser::smt {

//! push, declarations, the obligation's negation and what may be undefined, pop. Unsigned terms are bit-vectors of their width, signed
//! ones are two's complement numbers in which nothing overflows. A hypothesis that is not about words is left away, which claims more.
//! Throws unwritable (smt_writer) where something else is in the claim.
[[nodiscard]] std::string script_of_words(const obligation& o);

}  // namespace twofold::analyser::smt
