// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Exponentials, logarithms and roots in SMT-LIB. Each is taken apart by the laws of the normal form into constants that stand for
//! e^b, log v and sqrt v of terms that no law takes apart, and that it may be taken apart so is a claim about polynomials.
#include <cstdlib>

#include "prove/brief.hpp"
#include "prove/smt_writer.hpp"

namespace twofold::analyser {

using smt::factors;
using smt::sexp;

namespace {

constexpr long max_power = 64;
const mpq_class natural_base = 0;

//! The base of an exponential and its exponent; no exponential: a null term.
std::pair<mpq_class, term> base_and_exponent(term t) {
  if (!t->is(op::call)) return {0, {}};
  if (t->name == "exp") return {natural_base, t->args[0]};
  if (t->name == "exp2") return {2, t->args[0]};
  if (t->name == "pow" && t->args[0]->is(op::number) && sgn(t->args[0]->value) > 0) return {t->args[0]->value, t->args[1]};
  return {0, {}};
}
bool is_call(term t, const char* name) { return t->is(op::call) && t->name == name; }

//! The largest u of which both are whole multiples.
mpq_class common_unit(const mpq_class& a, const mpq_class& b) {
  mpq_class r(gcd(mpz_class(a.get_num() * b.get_den()), mpz_class(b.get_num() * a.get_den())), a.get_den() * b.get_den());
  r.canonicalize();
  return r;
}

//! Σ exponent_i·basis_i of a normal form, bases without coefficients.
template <class Visit>
void each_basis(const rational& r, const Visit& visit) {
  for (const auto& [m, c] : r.num().terms()) {
    polynomial p;
    p.add_term(m, 1);
    const rational q(std::move(p), r.den());
    const mpq_class scale = q.num().terms().begin()->second;
    visit(q * rational(mpq_class(1 / scale)), mpq_class(c * scale));
  }
}

//! A root that is taken apart: front·sqrt(inner), front a positive number times exponentials; inner null: 1.
struct root_parts {
  monomial generators;
  mpq_class number;
  term inner, whole;  // of the root; sqrt(inner)
};
std::optional<root_parts> parts_of_root(const rational& r) {
  if (!r.is_polynomial() || r.num().terms().size() != 1) return std::nullopt;
  const auto& [m, c] = *r.num().terms().begin();
  if (sgn(c) <= 0) return std::nullopt;
  root_parts found{{}, c, {}, {}};
  for (const factor& f : m)
    if (is_generator(f.atom)) found.generators.push_back(f);
    else if (is_call(f.atom, "sqrt") && f.exponent == 1 && !found.inner) found.whole = f.atom, found.inner = f.atom->args[0];
    else return std::nullopt;
  return found;
}

}  // namespace

void smt_writer::note(const mpq_class& base, term basis, const mpq_class& exponent) {
  mpq_class& unit = units_[{base, basis}];
  unit = sgn(unit) == 0 ? mpq_class(abs(exponent)) : common_unit(unit, abs(exponent));
}
void smt_writer::note(const mpq_class& base, const rational& exponent) {
  each_basis(exponent, [&](const rational& basis, const mpq_class& c) {
    const term b = to_term(basis, double_type);
    if (is_call(b, "log")) gather(b->args[0]);
    note(base, b, c);
  });
}

//! The powers of exponentials that occur in t, or will where it is taken apart.
void smt_writer::gather(term t) {
  if (!gathered_.insert(t).second) return;
  for (term a : t->args) gather(a);
  if (const auto [base, exponent] = base_and_exponent(t); exponent) note(base, normal_(exponent));
  if (is_call(t, "log")) note(natural_base, normal_(t));
  if (is_call(t, "sqrt"))
    if (const auto parts = parts_of_root(normal_(t))) {
      gather(to_term(parts->generators, 1, double_type));
      if (parts->inner) gather(parts->inner);
    }
}

//! base^argument as a product of powers of constants, by base^(s+t) = base^s·base^t: the argument is the sum that the normal form says.
smt_writer::quotient smt_writer::power_of(const mpq_class& base, term argument) {
  const rational r = normal_(argument);
  const term sum = to_term(r, double_type);
  if (sum != argument && expanded_.insert(argument).second) check(sexp("not", relation("=", argument, sum)), "exponent");
  quotient q{"1.0", {}, {}};
  each_basis(r, [&](const rational& basis, const mpq_class& c) { q = times(q, generator(base, basis, c)); });
  return q;
}

smt_writer::quotient smt_writer::generator(const mpq_class& base, const rational& basis, const mpq_class& exponent) {
  const term b = to_term(basis, double_type);
  const bool small = exponent.get_den() == 1 && abs(exponent.get_num()) <= max_power;
  if (base == natural_base && is_call(b, "log") && small) return power(value(b->args[0]), exponent.get_num().get_si());  // e^(log v) = v
  if (base != natural_base && basis == rational(1) && small) return power({smt::numeral(base, false), {}, {}}, exponent.get_num().get_si());
  const auto unit = units_.find({base, b});
  const mpq_class n = unit == units_.end() ? mpq_class(0) : mpq_class(exponent / unit->second);
  if (sgn(n) == 0 || n.get_den() != 1 || abs(n.get_num()) > max_power) throw unwritable("powers of " + brief(b) + " without a small unit");
  std::string& name = generators_[{base, b}];
  if (name.empty()) {
    const term scaled = mul(number(unit->second, double_type), b);
    name = declare((base == natural_base ? "e" : base.get_str()) + "^(" + brief(scaled) + ")", "Real");
    positive_.insert(name);
    assumptions_.push_back(sexp(">", name, "0.0"));
  }
  const factors f(name, static_cast<unsigned>(std::abs(n.get_num().get_si())));
  return sgn(n) > 0 ? quotient{"1.0", f, {}} : quotient{"1.0", {}, f};
}

//! log u as the normal form writes it, log c + Σ c_i b_i + log v, because u = c·e^(Σ c_i b_i)·v.
smt_writer::quotient smt_writer::logarithm(term t) {
  const term apart = to_term(normal_(t), double_type);
  if (is_call(apart, "log") || !unfolding_.insert(t).second) return {opaque(t, "Real"), {}, {}};
  check(sexp("not", relation("=", value(t->args[0]), power_of(natural_base, apart))), "logarithm of a product");
  const quotient q = value(apart);
  unfolding_.erase(t);
  return q;
}

//! sqrt u as front·sqrt v, because u = front²·v and front is positive.
smt_writer::quotient smt_writer::root(term t) {
  const auto parts = parts_of_root(normal_(t));
  if (!parts || parts->whole == t || (parts->generators.empty() && parts->number == 1 && parts->inner)) return plain_root(t);
  const term front = to_term(parts->generators, parts->number, double_type), square = mul(front, front);
  check(sexp("not", relation("=", t->args[0], parts->inner ? mul(square, parts->inner) : square)), "root of a product");
  return parts->inner ? times(value(front), plain_root(parts->whole)) : value(front);
}
smt_writer::quotient smt_writer::plain_root(term t) {
  const std::string r = opaque(t, "Real");
  const quotient x = value(t->args[0]);
  assumptions_.push_back(sexp(">=", r, "0.0"));
  assumptions_.push_back(sexp("=>", relation("<=", quotient{"0.0", {}, {}}, x), relation("=", quotient{sexp("*", r, r), {}, {}}, x)));
  return {r, {}, {}};
}

}  // namespace twofold::analyser
