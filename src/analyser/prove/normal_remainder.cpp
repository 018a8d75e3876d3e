// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The normaliser's law of remainders: ℤ → ℤ/m is a homomorphism of rings. Where u is a natural number that did not wrap on the way,
//! u rem m is the representative of the class of u, so u may be any polynomial of the same class: inner remainders by m are opened,
//! coefficients are taken modulo m. That nothing wrapped and nothing is negative is seen from the ranges of types and of remainders.
#include <optional>

#include "prove/normal.hpp"

namespace twofold::analyser {
namespace {

//! ℤ, in which sums of words do not wrap.
constexpr type wide{sort::integer, 200, true};

}  // namespace

//! Of t, if t is what ℤ makes of its operands: no unsigned operation in it wraps.
const std::optional<normaliser::bounds>& normaliser::exact_range(term t) {
  if (const auto it = ranges_.find(t->id); it != ranges_.end()) return it->second;
  std::optional<bounds> r = exact_range_of_operation(t);
  if (r && t->type.is_modular() && (r->low < 0 || r->high >= (mpz_class(1) << t->type.bits))) r.reset();
  return ranges_.emplace(t->id, std::move(r)).first->second;
}

std::optional<normaliser::bounds> normaliser::exact_range_of_operation(term t) {
  if (t->type.kind == sort::boolean) return bounds{0, 1};
  if (t->type.kind != sort::integer) return std::nullopt;
  const auto arg = [&](std::size_t i) { return exact_range(t->args[i]); };
  switch (t->kind) {
    case op::number:
      return bounds{t->value.get_num(), t->value.get_num()};
    case op::symbol:
      if (!t->type.is_modular()) return std::nullopt;
      return bounds{0, (mpz_class(1) << t->type.bits) - 1};
    case op::add: {
      const auto a = arg(0), b = arg(1);
      if (!a || !b) return std::nullopt;
      return bounds{a->low + b->low, a->high + b->high};
    }
    case op::mul: {
      const auto a = arg(0), b = arg(1);
      if (!a || !b || a->low < 0 || b->low < 0) return std::nullopt;
      return bounds{a->low * b->low, a->high * b->high};
    }
    case op::cast: {  // what changes in the conversion is not opened
      const auto a = arg(0);
      const mpz_class top = mpz_class(1) << (t->type.is_signed ? t->type.bits - 1 : t->type.bits);
      return a && a->low >= 0 && a->high < top ? a : std::nullopt;
    }
    case op::select: {
      const auto a = arg(1), b = arg(2);
      if (!a || !b) return std::nullopt;
      return bounds{std::min(a->low, b->low), std::max(a->high, b->high)};
    }
    case op::remainder: {  // of the sign of the dividend
      const term m = t->args[1];
      if (!m->is(op::number) || m->value <= 0) return std::nullopt;
      const mpz_class most = m->value.get_num() - 1;
      return bounds{t->type.is_modular() || is_natural(t->args[0]) ? mpz_class(0) : mpz_class(-most), most};
    }
    default:
      return std::nullopt;
  }
}
bool normaliser::is_natural(term t) {
  const auto& r = exact_range(t);
  return r && r->low >= 0;
}
bool normaliser::always_below(term t, const mpz_class& bound) {
  const auto& r = exact_range(t);
  return r && r->high < bound;
}

//! A polynomial of the class of t modulo m; t is natural and did not wrap.
rational normaliser::congruent(term t, const mpz_class& m) {
  if (const auto it = congruent_.find({t->id, m}); it != congruent_.end()) return it->second;
  return congruent_.emplace(std::pair{t->id, m}, congruent_operation(t, m)).first->second;
}

rational normaliser::congruent_operation(term t, const mpz_class& m) {
  const auto& a = t->args;
  switch (t->kind) {
    case op::number:
      return rational(t->value);
    case op::add:
      return congruent(a[0], m) + congruent(a[1], m);
    case op::mul:
      return multiply(congruent(a[0], m), congruent(a[1], m));
    case op::cast:
      return a[0]->type.kind == sort::boolean ? visit(a[0]) : congruent(a[0], m);
    case op::select: {
      const rational c = visit(a[0]), x = congruent(a[1], m), y = congruent(a[2], m);
      return y + multiply(c, x - y);
    }
    case op::remainder:
      if (a[1]->is(op::number) && a[1]->value == m && is_natural(a[0])) return congruent(a[0], m);
      break;
    default:
      break;
  }
  const term u = to_term(visit(t), t->type);  // a number of its own
  const term in_integers = t->type.is_modular() ? cast(u, wide) : u;
  return in_integers->is(op::number) ? rational(in_integers->value) : rational(polynomial(in_integers));
}

rational normaliser::remainder(term t) {
  const term m = t->args[1];
  if (!m->is(op::number) || m->value <= 0 || !is_natural(t->args[0])) return opaque(t);
  const mpz_class modulus = m->value.get_num();
  const rational u = congruent(t->args[0], modulus);
  if (!u.is_polynomial()) return opaque(t);
  polynomial p;
  mpz_class c;
  for (const auto& [product, v] : u.num().terms()) {
    if (v.get_den() != 1) return opaque(t);
    mpz_fdiv_r(c.get_mpz_t(), v.get_num_mpz_t(), modulus.get_mpz_t());
    p.add_term(product, mpq_class(c));
  }
  if (p.is_zero()) return rational(0);
  for (const auto& [product, v] : p.terms())  // C++ takes another representative where the dividend is negative
    for (const factor& atom : product)
      if (!is_natural(atom.atom)) return opaque(t);
  // written over ℤ: as an unsigned term it might wrap
  const term representative = make(op::remainder, {to_term(p, wide), number(mpq_class(modulus), wide)}, wide);
  return representative->is(op::number) ? rational(representative->value) : rational(polynomial(representative));
}

}  // namespace twofold::analyser
