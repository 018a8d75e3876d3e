// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Integer terms as polynomials.
#include "frontend/polynomial.hpp"

#include <algorithm>

namespace twofold::analyser::frontend {
namespace {

void accumulate(polynomial& p, const std::vector<term>& monomial, const mpz_class& c) {
  auto [it, fresh] = p.terms.try_emplace(monomial, c);
  if (!fresh) it->second += c;
  if (it->second == 0) p.terms.erase(it);
}

polynomial atom(term t) {
  polynomial p;
  p.terms[{t}] = 1;
  return p;
}

//! A number of unsigned type beyond half its range is what subtraction made of a negative one.
mpz_class as_offset(const node& n) {
  mpz_class v = n.value.get_num();
  if (n.type.is_modular() && mpz_sizeinbase(v.get_mpz_t(), 2) >= n.type.bits && n.type.bits >= 32) {
    mpz_class modulus;
    mpz_ui_pow_ui(modulus.get_mpz_t(), 2, n.type.bits);
    if (2 * v >= modulus) v -= modulus;
  }
  return v;
}

//! No offset is as large as this: a constant beyond it is there for its remainder modulo 2^bits.
const mpz_class furthest_offset = mpz_class(1) << 24;

//! A sum of entries in a narrow unsigned type is one modulo 2^bits, and stays so when it becomes wider: nothing bounds data.
bool wraps(term inner, type wide) {
  if (!inner->type.is_modular() || inner->type.bits >= wide.bits) return false;
  if (!inner->is(op::add) && !inner->is(op::mul) && !inner->is(op::neg)) return false;
  return contains(inner,
                  [](const node& n) { return n.is(op::read) || n.is_symbol(symbol_kind::element) || n.is_symbol(symbol_kind::state); });
}

}  // namespace

std::optional<mpz_class> polynomial::constant() const {
  if (terms.empty()) return mpz_class(0);
  if (terms.size() == 1 && terms.begin()->first.empty()) return terms.begin()->second;
  return std::nullopt;
}

polynomial operator+(const polynomial& a, const polynomial& b) {
  polynomial r = a;
  for (const auto& [m, c] : b.terms) accumulate(r, m, c);
  return r;
}

polynomial operator-(const polynomial& a, const polynomial& b) {
  polynomial r = a;
  for (const auto& [m, c] : b.terms) accumulate(r, m, -c);
  return r;
}

polynomial operator*(const polynomial& a, const polynomial& b) {
  polynomial r;
  for (const auto& [m, c] : a.terms)
    for (const auto& [n, d] : b.terms) {
      std::vector<term> product;
      std::merge(m.begin(), m.end(), n.begin(), n.end(), std::back_inserter(product));
      accumulate(r, product, c * d);
    }
  return r;
}

polynomial to_polynomial(term t) {
  if (t->type.kind == sort::real) return atom(t);
  switch (t->kind) {
    case op::number: {
      polynomial p;
      const mpz_class c = as_offset(*t);
      if (c < 0 && t->type.is_modular() && -c > furthest_offset) return atom(t);
      accumulate(p, {}, c);
      return p;
    }
    case op::add: {
      polynomial p;
      for (term a : t->args) p = p + to_polynomial(a);
      return p;
    }
    case op::mul: {
      polynomial p = to_polynomial(t->args[0]);
      for (std::size_t i = 1; i < t->args.size(); ++i) p = p * to_polynomial(t->args[i]);
      return p;
    }
    case op::neg:
      return polynomial{} - to_polynomial(t->args[0]);
    case op::cast:
      // Narrow types wrap within the range of a loop; wider ones do so only where the position is out of its array anyway.
      if (t->args[0]->type.kind == sort::integer && t->type.bits >= 32 && !wraps(t->args[0], t->type)) return to_polynomial(t->args[0]);
      return atom(t);
    default:
      return atom(t);
  }
}

term to_term(const polynomial& p, type t) {
  if (p.terms.size() == 1 && p.terms.begin()->second == 1 && p.terms.begin()->first.size() == 1) return p.terms.begin()->first.front();
  term sum;
  for (const auto& [m, c] : p.terms) {
    term product;
    for (term a : m) {
      const term factor = cast(a, t);
      product = product ? mul(product, factor) : factor;
    }
    const term coefficient = number(mpq_class(c), t);
    product = !product ? coefficient : c == 1 ? product : c == -1 ? neg(product) : mul(coefficient, product);
    sum = sum ? add(sum, product) : product;
  }
  return sum ? sum : number(0L, t);
}

bool mentions(term t, term x) {
  return contains(t, [x](const node& n) { return &n == x.operator->(); });
}

bool mentions_any(const std::vector<term>& list, term x) {
  return std::any_of(list.begin(), list.end(), [x](term t) { return t && mentions(t, x); });
}

bool mentions(const polynomial& p, term x) {
  return std::any_of(p.terms.begin(), p.terms.end(), [x](const auto& entry) {
    return std::any_of(entry.first.begin(), entry.first.end(), [x](term a) { return mentions(a, x); });
  });
}

std::optional<affine_form> affine_in(const polynomial& p, term x) {
  affine_form r;
  for (const auto& [m, c] : p.terms) {
    std::vector<term> others;
    int degree = 0;
    for (term a : m) {
      if (a == x) ++degree;
      else if (mentions(a, x)) return std::nullopt;
      else others.push_back(a);
    }
    if (degree > 1) return std::nullopt;
    accumulate(degree ? r.slope : r.rest, others, c);
  }
  return r;
}

std::optional<mpz_class> distance(term a, term b) { return (to_polynomial(a) - to_polynomial(b)).constant(); }

}  // namespace twofold::analyser::frontend
