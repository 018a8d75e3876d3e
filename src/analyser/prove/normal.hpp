// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Exact normal form of a term: a quotient of polynomials over atoms, zero exactly when the term is an identity of the laws
//! used. For generators of merges (`derive/`) this is the computer algebra: expand, collect, take apart, print back.
//!
//! Atoms are terms with normalised operands: symbols, reads, calls, inner folds, max-sets, |t|, comparisons (0 or 1), and
//! exp(b) for *basis terms* b. The laws used, and no others:
//! - field laws of ℚ(atoms); in ℤ/2^w those of the ring, on coefficients modulo 2^w;
//! - e^(Σ c_i b_i) = Π (e^(b_i))^(c_i), b_i the monomials of the argument; 2^t and k^t are e^(t·log k), k > 0 a number;
//!   exp(log t)^1 = t; e^s < e^t is s < t; log(c·Π e^(c_i b_i)·r) = log c + Σ c_i b_i + log r, c > 0; sqrt(t)² = t; |t|² = t²;
//! - max as a set: flattened, duplicates and constants dropped, common summands and positive factors in front; min(a,b) = −max(−a,−b);
//! - u rem m = v rem m for natural u, v that are the same modulo m (normal_remainder.cpp);
//! - and, or, xor on bits, gcd and lcm as sets; x^y = e^(y·log x) where y is no constant (then x > 0 is required);
//! - select(c,a,b) = b + [c]·(a − b), [c]² = [c], or max/min where c compares a with b; Boolean connectives as polynomials of [·]; a < b, a
//! ≤ b, a = b through [d > 0] and
//!   [d = 0] of one canonical difference d, whose product is 0.
//! Every law holds for all values at which the term is defined (quotients by what is not 0, log and sqrt in their domain): that is an
//! obligation of its own (`domain.hpp`). A normal form that is not zero proves nothing.
//!
//! Use by generators:
//!     auto r = normalise(t);                 // nothing if t holds ±inf, NaN or is too large
//!     r->num().terms()                       // map monomial → coefficient; a monomial is a list of (atom, exponent)
//!     for (auto& [c, m] : *expand(t)) …      // if the denominator is one monomial: t = Σ c·Π atom^exponent (exponents may be < 0)
//!     coefficient(*r, x, 1)                  // of x¹ in r, if r is a polynomial in the symbol x and x is not hidden in an atom
//!     to_term(*r, t->type)                   // back to a term; simplify(t) is both steps
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "prove/polynomial.hpp"

namespace twofold::analyser {

using time_point = std::chrono::steady_clock::time_point;
[[nodiscard]] time_point deadline_in(double seconds);

//! Thrown where a term has no normal form (an infinity, NaN, a denominator that is identically zero).
struct not_normal : std::runtime_error {
  using runtime_error::runtime_error;
};

//! Normalises terms, remembering what it has seen. Throws not_normal, or limit_error when too large or past the deadline.
class normaliser {
 public:
  explicit normaliser(time_point deadline = time_point::max()) : deadline_(deadline) {}

  rational operator()(term t);
  //! The identity a = b holds by the laws above.
  bool equal(term a, term b);

  rational multiply(const rational& a, const rational& b) { return reduce(a * b); }
  rational divide(const rational& a, const rational& b);
  rational power(const rational& a, long n);
  //! Of the same sign as d everywhere: e^s − e^t becomes s − t.
  rational comparable(const rational& d) { return difference_of_exponents(d).value_or(d); }

 private:
  rational visit(term t);
  rational arithmetic(term t);
  rational modular(term t);
  rational call(term t);
  rational condition(term t);
  rational as_set(term t);
  rational conversion(term t);
  rational remainder(term t);
  rational congruent(term t, const mpz_class& m);
  rational congruent_operation(term t, const mpz_class& m);
  rational choice(const rational& c, const rational& x, const rational& y, type t);
  rational opaque(term t);  // the same operation over normalised operands, as an atom
  rational exponential(const rational& r);
  rational logarithm(const rational& r);
  rational root(const rational& r);
  rational power_call(const rational& base, const rational& exponent, term t);
  rational maximum(std::vector<rational> set, type t);
  rational absolute(const rational& r);
  std::optional<rational> difference_of_exponents(const rational& d);
  rational positive(const rational& d, bool integer);  // [d > 0]
  rational zero(const rational& d);                    // [d = 0]
  rational reduce(const rational& r);                  // applies the laws on powers of atoms
  rational reduce(const polynomial& p);
  rational reduced_monomial(const monomial& m, const mpq_class& c);

  struct bounds {
    mpz_class low, high;
  };
  const std::optional<bounds>& exact_range(term t);
  std::optional<bounds> exact_range_of_operation(term t);
  bool is_natural(term t);
  bool always_below(term t, const mpz_class& bound);

  std::unordered_map<std::uint32_t, rational> done_;
  std::unordered_map<std::uint32_t, std::optional<bounds>> ranges_;
  std::map<std::pair<std::uint32_t, mpz_class>, rational> congruent_;  // by term and modulus
  time_point deadline_;
};

//! The term of a normal form: exponentials collected into one exp (or pow) per monomial, comparisons as selects, reals as `t`.
[[nodiscard]] term to_term(const rational& r, type t);
[[nodiscard]] term to_term(const polynomial& p, type t);
[[nodiscard]] term to_term(const monomial& m, const mpq_class& coefficient, type t);
//! t with every real operation and constant as type `to` (float for double and back; exact arithmetic does not see it).
[[nodiscard]] term retype(term t, type to);

[[nodiscard]] std::optional<rational> normalise(term t, double seconds = 5);
[[nodiscard]] std::optional<term> simplify(term t, double seconds = 5);
[[nodiscard]] std::optional<std::vector<std::pair<mpq_class, monomial>>> expand(term t, double seconds = 5);
[[nodiscard]] std::optional<std::pair<term, term>> numerator_denominator(term t, double seconds = 5);
//! Coefficient of x^n in r (the denominator free of x), or nothing if x also occurs within an atom or in the denominator.
[[nodiscard]] std::optional<rational> coefficient(const rational& r, term x, long n);
//! Largest exponent of x in the numerator; −1 if x occurs within an atom or in the denominator.
[[nodiscard]] long degree(const rational& r, term x);
//! x occurs in r, be it within an atom.
[[nodiscard]] bool depends_on(const rational& r, term x);
//! Every value is an integer: integer coefficients and atoms.
[[nodiscard]] bool is_integer_valued(const rational& r);
//! +1 or −1 if r has that sign for all values of its atoms (sums of products of generators and even powers), else 0.
[[nodiscard]] int certain_sign(const rational& r);

}  // namespace twofold::analyser
