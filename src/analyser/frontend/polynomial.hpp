// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Integer terms as polynomials, to see what an array position or a loop bound does with the loop index.
//! Casts between integer types are looked through: a position that is really read lies inside its array, so it does not wrap.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "ir/term.hpp"

namespace twofold::analyser::frontend {

struct polynomial {
  std::map<std::vector<term>, mpz_class> terms;  // monomial (sorted atoms) → coefficient, never 0

  [[nodiscard]] bool is_zero() const { return terms.empty(); }
  [[nodiscard]] std::optional<mpz_class> constant() const;  // the value, where no atom occurs
  friend bool operator==(const polynomial&, const polynomial&) = default;
};

[[nodiscard]] polynomial to_polynomial(term t);
[[nodiscard]] term to_term(const polynomial& p, type t = long_type);
[[nodiscard]] polynomial operator+(const polynomial& a, const polynomial& b);
[[nodiscard]] polynomial operator-(const polynomial& a, const polynomial& b);
[[nodiscard]] polynomial operator*(const polynomial& a, const polynomial& b);

//! p = slope·x + rest with slope and rest free of x (also inside atoms), or nothing.
struct affine_form {
  polynomial slope, rest;
};
[[nodiscard]] std::optional<affine_form> affine_in(const polynomial& p, term x);
[[nodiscard]] bool mentions(term t, term x);
[[nodiscard]] bool mentions(const polynomial& p, term x);
[[nodiscard]] bool mentions_any(const std::vector<term>& list, term x);

//! a - b, where that is a number.
[[nodiscard]] std::optional<mpz_class> distance(term a, term b);

}  // namespace twofold::analyser::frontend
