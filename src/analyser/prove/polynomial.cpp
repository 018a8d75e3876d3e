// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Arithmetic of sparse polynomials and of quotients in lowest terms.
#include "prove/polynomial.hpp"

#include "prove/flint.hpp"

namespace twofold::analyser {
namespace {
constexpr std::size_t max_terms = 20'000, max_products = 1'000'000;

int compare(const mpq_class& a, const mpq_class& b) { return cmp(a, b); }
}  // namespace

bool monomial_less::operator()(const monomial& a, const monomial& b) const {
  if (a.size() != b.size()) return a.size() < b.size();
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i].atom != b[i].atom) return a[i].atom < b[i].atom;
    if (const int c = compare(a[i].exponent, b[i].exponent)) return c < 0;
  }
  return false;
}

monomial operator*(const monomial& a, const monomial& b) {
  monomial r;
  r.reserve(a.size() + b.size());
  auto i = a.begin(), j = b.begin();
  while (i != a.end() || j != b.end()) {
    if (j == b.end() || (i != a.end() && i->atom < j->atom)) r.push_back(*i++);
    else if (i == a.end() || j->atom < i->atom) r.push_back(*j++);
    else {
      const mpq_class e = i->exponent + j->exponent;
      if (sgn(e) != 0) r.push_back({i->atom, e});
      ++i, ++j;
    }
  }
  return r;
}

bool is_generator(term atom) { return atom->is(op::call) && atom->name == "exp"; }

mpq_class polynomial::constant() const {
  const auto it = terms_.find({});
  return it == terms_.end() ? mpq_class(0) : it->second;
}
void polynomial::add_term(const monomial& m, const mpq_class& c) {
  if (sgn(c) == 0) return;
  const auto [it, fresh] = terms_.try_emplace(m, c);
  if (fresh) return;
  it->second += c;
  if (sgn(it->second) == 0) terms_.erase(it);
}

polynomial operator+(const polynomial& a, const polynomial& b) {
  polynomial r = a;
  for (const auto& [m, c] : b.terms_) r.add_term(m, c);
  return r;
}
polynomial operator-(const polynomial& a, const polynomial& b) {
  polynomial r = a;
  for (const auto& [m, c] : b.terms_) r.add_term(m, -c);
  return r;
}
polynomial operator*(const polynomial& a, const polynomial& b) {
  if (a.is_one()) return b;
  if (b.is_one()) return a;
  if (a.terms_.size() * b.terms_.size() > max_products) throw limit_error("a product of polynomials of more than 1000000 terms");
  polynomial r;
  for (const auto& [m, c] : a.terms_) {
    for (const auto& [n, d] : b.terms_) r.add_term(m * n, c * d);
    if (r.terms_.size() > max_terms) throw limit_error("a polynomial of more than 20000 terms");
  }
  return r;
}
polynomial operator*(const polynomial& a, const mpq_class& c) {
  polynomial r;
  for (const auto& [m, d] : a.terms_) r.add_term(m, d * c);
  return r;
}
polynomial operator*(const polynomial& a, const monomial& n) {
  if (n.empty()) return a;
  polynomial r;
  for (const auto& [m, d] : a.terms_) r.add_term(m * n, d);
  return r;
}

monomial inverse(monomial m) {
  for (factor& p : m) p.exponent = -p.exponent;
  return m;
}

monomial generator_content(const polynomial& p) {
  std::map<term, std::pair<mpq_class, std::size_t>> least;  // least exponent, number of terms with the atom
  for (const auto& [m, c] : p.terms())
    for (const factor& f : m)
      if (is_generator(f.atom)) {
        auto [it, fresh] = least.try_emplace(f.atom, f.exponent, 0);
        if (f.exponent < it->second.first) it->second.first = f.exponent;
        ++it->second.second;
      }
  monomial r;
  for (auto& [atom, e] : least) {
    if (e.second < p.terms().size() && sgn(e.first) > 0) e.first = 0;  // absent from some term: exponent 0 there
    if (sgn(e.first) != 0) r.push_back({atom, e.first});
  }
  return r;
}

mpq_class content(const polynomial& p) {
  mpz_class numerators = 0, denominators = 1;
  for (const auto& [m, c] : p.terms()) {
    numerators = gcd(numerators, c.get_num());
    denominators = lcm(denominators, c.get_den());
  }
  mpq_class r(numerators, denominators);
  r.canonicalize();
  return r;
}

std::optional<polynomial> exact_quotient(const polynomial& p, const polynomial& q) {
  if (q.is_constant()) return p * mpq_class(1 / q.constant());
  return flint::exact_quotient(p, q);
}
std::optional<polynomial> square_root(const polynomial& p) { return flint::square_root(p); }

rational::rational(polynomial num, polynomial den) : num_(std::move(num)), den_(std::move(den)) {
  if (den_.is_zero()) throw std::domain_error("a denominator is identically zero");
  if (num_.is_zero()) {
    den_ = polynomial(mpq_class(1));
    return;
  }
  const monomial e = inverse(generator_content(den_));
  num_ = num_ * e;
  den_ = den_ * e;
  if (!den_.is_constant()) flint::cancel(num_, den_);
  const mpq_class lead = den_.terms().begin()->second;
  if (lead != 1) {
    num_ = num_ * mpq_class(1 / lead);
    den_ = den_ * mpq_class(1 / lead);
  }
}

bool rational::contains(term atom) const {
  for (const polynomial* p : {&num_, &den_})
    for (const auto& [m, c] : p->terms())
      for (const factor& f : m)
        if (f.atom == atom) return true;
  return false;
}

rational operator+(const rational& a, const rational& b) {
  if (a.den_ == b.den_) return rational(a.num_ + b.num_, a.den_);
  return rational(a.num_ * b.den_ + b.num_ * a.den_, a.den_ * b.den_);
}
rational operator-(const rational& a, const rational& b) {
  if (a.den_ == b.den_) return rational(a.num_ - b.num_, a.den_);
  return rational(a.num_ * b.den_ - b.num_ * a.den_, a.den_ * b.den_);
}
rational operator*(const rational& a, const rational& b) { return rational(a.num_ * b.num_, a.den_ * b.den_); }
rational operator/(const rational& a, const rational& b) { return rational(a.num_ * b.den_, a.den_ * b.num_); }

}  // namespace twofold::analyser
