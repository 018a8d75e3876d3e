// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Equality of integer terms bit by bit. Every bit is a polynomial over GF(2) in the bits of the symbols (exclusive or of products of
//! distinct bits: the algebraic normal form, which is unique), so two terms are equal at all values if and only if all their bits are
//! the same polynomials. Complete for shifts by numbers, masks, exclusive or and choices on bits; sums only where they stay small.
//! Signed terms are two's complement numbers of as many bits as they need, with the sign as the bit that goes on for ever.
#pragma once

#include "ir/term.hpp"

namespace twofold::analyser {

//! Holds of all values; `false` says nothing (a term that is not understood, one too large, or an inequality).
[[nodiscard]] bool equal_bits(term a, term b);

}  // namespace twofold::analyser
