// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file What is asked of FLINT, and the only header through which it is used: common factors, exact division, square roots.
//! Every function treats atoms as independent indeterminates; fractional exponents are scaled to integers, negative ones shifted.
#pragma once

#include "prove/polynomial.hpp"

namespace twofold::analyser::flint {

//! Divides num and den by their greatest common divisor; both non-zero, exponents in den natural up to scaling.
void cancel(polynomial& num, polynomial& den);
std::optional<polynomial> exact_quotient(const polynomial& p, const polynomial& q);
std::optional<polynomial> square_root(const polynomial& p);

}  // namespace twofold::analyser::flint
