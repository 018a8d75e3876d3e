// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Sparse polynomials over ℚ whose indeterminates are terms, and quotients of them in lowest terms.
//! Exponents are rational because e^(x/2) is the power ½ of e^x; only positive generators (see `is_generator`) carry exponents
//! other than natural numbers. Sums and products are computed here; greatest common divisors, exact division and roots by FLINT.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "ir/term.hpp"

namespace twofold::analyser {

struct factor {
  term atom;
  mpq_class exponent;
  friend bool operator==(const factor& a, const factor& b) { return a.atom == b.atom && a.exponent == b.exponent; }
};
//! A product of powers of distinct atoms, sorted by atom; the empty one is 1.
using monomial = std::vector<factor>;
struct monomial_less {
  bool operator()(const monomial& a, const monomial& b) const;
};
[[nodiscard]] monomial operator*(const monomial& a, const monomial& b);

//! A positive real that is never zero: exp(b) for a basis term b. Only these may have negative or fractional exponents.
[[nodiscard]] bool is_generator(term atom);

class polynomial {
 public:
  using map = std::map<monomial, mpq_class, monomial_less>;
  polynomial() = default;
  explicit polynomial(const mpq_class& constant) { add_term({}, constant); }
  explicit polynomial(term atom, const mpq_class& exponent = 1) { add_term({{atom, exponent}}, 1); }

  [[nodiscard]] const map& terms() const { return terms_; }
  [[nodiscard]] bool is_zero() const { return terms_.empty(); }
  [[nodiscard]] bool is_constant() const { return terms_.empty() || (terms_.size() == 1 && terms_.begin()->first.empty()); }
  [[nodiscard]] bool is_one() const { return is_constant() && !is_zero() && terms_.begin()->second == 1; }
  [[nodiscard]] mpq_class constant() const;              // coefficient of the empty monomial
  void add_term(const monomial& m, const mpq_class& c);  // += c·m

  friend polynomial operator+(const polynomial& a, const polynomial& b);
  friend polynomial operator-(const polynomial& a, const polynomial& b);
  friend polynomial operator*(const polynomial& a, const polynomial& b);  // throws limit_error past 20000 terms
  friend polynomial operator*(const polynomial& a, const mpq_class& c);
  friend polynomial operator*(const polynomial& a, const monomial& m);
  friend bool operator==(const polynomial& a, const polynomial& b) { return a.terms_ == b.terms_; }

 private:
  map terms_;
};

//! The product of e_i^(least exponent of e_i) over the generators of p: what can be taken out of every term.
[[nodiscard]] monomial generator_content(const polynomial& p);
[[nodiscard]] monomial inverse(monomial m);
//! The positive rational c such that p/c has coprime integer coefficients. p ≠ 0.
[[nodiscard]] mpq_class content(const polynomial& p);
//! p/q if q divides p (generators count as ordinary indeterminates, exponents scaled to integers).
[[nodiscard]] std::optional<polynomial> exact_quotient(const polynomial& p, const polynomial& q);
//! r with r² = p, if there is one with the same kind of coefficients.
[[nodiscard]] std::optional<polynomial> square_root(const polynomial& p);

//! num/den in lowest terms: den has no generator as a factor, its first coefficient is 1. Equal functions, equal values.
class rational {
 public:
  rational() : den_(mpq_class(1)) {}
  rational(const mpq_class& c) : num_(c), den_(mpq_class(1)) {}
  explicit rational(polynomial p) : num_(std::move(p)), den_(mpq_class(1)) {}
  rational(polynomial num, polynomial den);  // throws std::domain_error if den = 0

  [[nodiscard]] const polynomial& num() const { return num_; }
  [[nodiscard]] const polynomial& den() const { return den_; }
  [[nodiscard]] bool is_zero() const { return num_.is_zero(); }
  [[nodiscard]] bool is_polynomial() const { return den_.is_one(); }
  [[nodiscard]] bool is_constant() const { return is_polynomial() && num_.is_constant(); }
  [[nodiscard]] mpq_class constant() const { return num_.constant(); }
  [[nodiscard]] bool contains(term atom) const;

  friend rational operator+(const rational& a, const rational& b);
  friend rational operator-(const rational& a, const rational& b);
  friend rational operator*(const rational& a, const rational& b);
  friend rational operator/(const rational& a, const rational& b);  // throws std::domain_error if b = 0
  friend bool operator==(const rational& a, const rational& b) { return a.num_ == b.num_ && a.den_ == b.den_; }

 private:
  polynomial num_, den_;
};

}  // namespace twofold::analyser
