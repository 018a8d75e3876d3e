// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Sparse polynomials to FLINT and back.
#include "prove/flint.hpp"

#include <flint/fmpq_mpoly.h>

#include <set>

namespace twofold::analyser::flint {
namespace {

constexpr std::size_t max_terms = 3000;

//! The indeterminates of some polynomials, with the factor that makes each one's exponents integers.
class ring {
 public:
  explicit ring(std::initializer_list<const polynomial*> ps) {
    std::map<term, mpz_class> scale;
    for (const polynomial* p : ps)
      for (const auto& [m, c] : p->terms())
        for (const factor& f : m) {
          auto [it, fresh] = scale.try_emplace(f.atom, 1);
          it->second = lcm(it->second, f.exponent.get_den());
        }
    for (auto& [a, s] : scale) {
      position_.emplace(a, atoms_.size());
      atoms_.push_back(a);
      scale_.push_back(s);
    }
    fmpq_mpoly_ctx_init(context_, static_cast<slong>(atoms_.empty() ? 1 : atoms_.size()), ORD_LEX);
  }
  ~ring() { fmpq_mpoly_ctx_clear(context_); }
  ring(const ring&) = delete;
  ring& operator=(const ring&) = delete;

  [[nodiscard]] const fmpq_mpoly_ctx_struct* context() const { return context_; }

  //! The monomial by which p must be multiplied so that no exponent is negative.
  static monomial shift(const polynomial& p) {
    std::map<term, mpq_class> least;
    for (const auto& [m, c] : p.terms())
      for (const factor& f : m)
        if (sgn(f.exponent) < 0) {
          mpq_class& e = least[f.atom];
          if (f.exponent < e) e = f.exponent;
        }
    monomial r;
    for (auto& [a, e] : least) r.push_back({a, -e});
    return r;
  }

  void put(fmpq_mpoly_t to, const polynomial& p) const {  // exponents of p ≥ 0
    std::vector<ulong> e(atoms_.empty() ? 1 : atoms_.size());
    fmpq_t c;
    fmpq_init(c);
    for (const auto& [m, v] : p.terms()) {
      std::fill(e.begin(), e.end(), 0);
      for (const factor& f : m) {
        const std::size_t i = position_.at(f.atom);
        const mpq_class scaled = f.exponent * scale_[i];
        if (!scaled.get_num().fits_ulong_p()) throw limit_error("an exponent too large");
        e[i] = scaled.get_num().get_ui();
      }
      fmpq_set_mpq(c, v.get_mpq_t());
      fmpq_mpoly_push_term_fmpq_ui(to, c, e.data(), context_);
    }
    fmpq_clear(c);
    fmpq_mpoly_sort_terms(to, context_);
    fmpq_mpoly_combine_like_terms(to, context_);
  }

  [[nodiscard]] polynomial get(const fmpq_mpoly_t from) const {
    polynomial r;
    std::vector<ulong> e(atoms_.empty() ? 1 : atoms_.size());
    fmpq_t c;
    fmpq_init(c);
    mpq_class v;
    for (slong t = 0; t < fmpq_mpoly_length(from, context_); ++t) {
      fmpq_mpoly_get_term_coeff_fmpq(c, from, t, context_);
      fmpq_mpoly_get_term_exp_ui(e.data(), from, t, context_);
      fmpq_get_mpq(v.get_mpq_t(), c);
      monomial m;
      for (std::size_t i = 0; i < atoms_.size(); ++i)
        if (e[i] != 0) {
          mpq_class x(mpz_class(e[i]), scale_[i]);
          x.canonicalize();
          m.push_back({atoms_[i], x});
        }
      r.add_term(m, v);
    }
    fmpq_clear(c);
    return r;
  }

 private:
  std::vector<term> atoms_;
  std::vector<mpz_class> scale_;
  std::map<term, std::size_t> position_;
  fmpq_mpoly_ctx_t context_;
};

struct element {
  explicit element(const ring& r) : r_(r) { fmpq_mpoly_init(v, r.context()); }
  element(const ring& r, const polynomial& p) : element(r) { r.put(v, p); }
  ~element() { fmpq_mpoly_clear(v, r_.context()); }
  element(const element&) = delete;
  element& operator=(const element&) = delete;
  fmpq_mpoly_t v;

 private:
  const ring& r_;
};

}  // namespace

void cancel(polynomial& num, polynomial& den) {
  if (num.terms().size() + den.terms().size() > max_terms)
    throw limit_error("a quotient of more than 3000 terms");  // FLINT cannot be interrupted
  const monomial up = ring::shift(num);
  const ring r{&num, &den};
  element a(r, num * up), b(r, den), g(r), qa(r), qb(r);
  if (!fmpq_mpoly_gcd(g.v, a.v, b.v, r.context())) throw limit_error("a common divisor too large to compute");
  if (fmpq_mpoly_is_one(g.v, r.context())) return;
  if (!fmpq_mpoly_divides(qa.v, a.v, g.v, r.context()) || !fmpq_mpoly_divides(qb.v, b.v, g.v, r.context()))
    throw limit_error("a common divisor that does not divide");
  num = r.get(qa.v) * inverse(up);
  den = r.get(qb.v);
}

std::optional<polynomial> exact_quotient(const polynomial& p, const polynomial& q) {
  const monomial up = ring::shift(p), uq = ring::shift(q);
  const ring r{&p, &q};
  element a(r, p * up), b(r, q * uq), c(r);
  if (!fmpq_mpoly_divides(c.v, a.v, b.v, r.context())) return std::nullopt;
  return r.get(c.v) * (inverse(up) * uq);
}

std::optional<polynomial> square_root(const polynomial& p) {
  if (!ring::shift(p).empty()) return std::nullopt;
  const ring r{&p};
  element a(r, p), c(r);
  if (!fmpq_mpoly_sqrt(c.v, a.v, r.context())) return std::nullopt;
  return r.get(c.v);
}

}  // namespace twofold::analyser::flint
