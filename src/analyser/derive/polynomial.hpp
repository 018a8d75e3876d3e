// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Sums of products, in which coordinates are written and solved: Σ c·Π atom^k with rational c. An exponential of a sum is the
//! product of one atom per summand, so e^(x−m) splits into e^x · (e^m)^−1. Heuristic (no cancellation of denominators): proofs are
//! elsewhere.
#pragma once

#include <functional>
#include <map>
#include <optional>

#include "ir/term.hpp"

namespace twofold::analyser::deriving {

using monomial = std::map<term, mpq_class>;        // atom → power; fractional powers only of exponentials
using polynomial = std::map<monomial, mpq_class>;  // monomial → coefficient

polynomial constant(const mpq_class& c);
polynomial single(const monomial& m, const mpq_class& c = 1);
polynomial plus(polynomial a, const polynomial& b, const mpq_class& scale = 1);
polynomial times(const polynomial& a, const polynomial& b);
monomial times(monomial a, const monomial& b, const mpq_class& power = 1);  // a · b^power

//! Expands sums, products, integer powers, e^(sum), e^(c·log t), and casts of integers to reals (exact). Everything else is an atom.
polynomial expanded(term t);

//! The polynomial with every atom a replaced by image(a), expanded again; null image: kept.
polynomial map_atoms(const polynomial& p, const std::function<term(term)>& image);

//! Text form again: positive powers over negative ones, all exponentials of a product in one call.
term to_term(const polynomial& p, type t);
term to_term(const monomial& m, type t);

//! The numerator of p over the given denominator to the power k: p·d^k with all negative powers of the atom d gone, and k.
struct fraction {
  polynomial numerator;
  long power = 0;
};
fraction over(const polynomial& p, term denominator);

//! Is the atom an exponential (exp or exp2)?
bool is_exponential(term atom);
//! Does the monomial or one of its atoms contain a symbol for which `pred` holds?
bool mentions(const monomial& m, const std::function<bool(const node&)>& pred);

//! p as (coefficient monomials)·v + rest, where v is a single atom of power 1; nothing if v occurs in any other way.
struct linear_form {
  polynomial slope, rest;
};
std::optional<linear_form> linear_in(const polynomial& p, term v);

}  // namespace twofold::analyser::deriving
