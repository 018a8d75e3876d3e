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

bool is_call(term t, const char* name) { return t->is(op::call) && t->name == name; }

//! What a function is by definition in terms of exp, log, sqrt, max and powers with whole exponents; null: it is none such. Where the one
//! is defined, which is claimed of the term as it stands, the other is.
term by_definition(term t) {
  if (!t->is(op::call)) return {};
  const auto& a = t->args;
  const std::string& f = t->name;
  const auto value = [&](const mpq_class& v) { return number(v, t->type); };
  const auto of = [&](const char* name, term x) { return analyser::call(name, {x}, t->type); };
  if (f == "log1p") return of("log", add(value(1), a[0]));
  if (f == "expm1") return sub(of("exp", a[0]), value(1));
  if (f == "log2" || f == "log10") return div(of("log", a[0]), of("log", value(f == "log2" ? 2 : 10)));
  if (f == "exp2" || f == "exp10") return of("exp", mul(a[0], of("log", value(f == "exp2" ? 2 : 10))));
  if (f == "hypot" && a.size() == 2) return of("sqrt", add(mul(a[0], a[0]), mul(a[1], a[1])));
  if (f == "fdim") return max(sub(a[0], a[1]), value(0));
  if (f != "pow") return {};
  if (!a[1]->is(op::number)) return of("exp", mul(a[1], of("log", a[0])));
  const mpq_class twice = 2 * a[1]->value;
  if (twice.get_den() != 1) return sgn(a[1]->value) > 0 ? term() : of("exp", mul(a[1], of("log", a[0])));
  return twice.get_num() % 2 == 0 ? term() : analyser::call("pow", {of("sqrt", a[0]), value(twice)}, t->type);
}

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

//! A real rounded to a whole number; `round` takes halves away from 0.
std::string rounded(const std::string& how, const std::string& x) {
  const auto down = [](const std::string& y) { return sexp("to_real", sexp("to_int", y)); };
  const auto up = [&](const std::string& y) { return sexp("-", down(sexp("-", y))); };
  if (how == "floor") return down(x);
  if (how == "ceil") return up(x);
  if (how == "trunc") return sexp("ite", sexp(">=", x, "0.0"), down(x), up(x));
  return sexp("ite", sexp(">=", x, "0.0"), down(sexp("+", x, "0.5")), up(sexp("-", x, "0.5")));
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

void smt_writer::note(const rational& exponent) {
  each_basis(exponent, [&](const rational& basis, const mpq_class& c) {
    const term b = to_term(basis, double_type);
    if (is_call(b, "log")) gather(b->args[0]);
    mpq_class& unit = units_[b];
    unit = sgn(unit) == 0 ? mpq_class(abs(c)) : common_unit(unit, abs(c));
  });
}

//! The powers of exponentials that occur in t, or will where it is taken apart.
void smt_writer::gather(term t) {
  if (!gathered_.insert(t).second) return;
  for (term a : t->args) gather(a);
  if (const term d = by_definition(t)) gather(d);
  if (is_call(t, "exp")) note(normal_(t->args[0]));
  if (is_call(t, "log")) note(normal_(t));
  if (is_call(t, "sqrt"))
    if (const auto parts = parts_of_root(normal_(t))) {
      gather(to_term(parts->generators, 1, double_type));
      if (parts->inner) gather(parts->inner);
    }
}

//! e^argument as a product of powers of constants, by e^(s+t) = e^s·e^t: the argument is the sum that the normal form says.
smt_writer::quotient smt_writer::exponential(term argument) {
  const rational r = normal_(argument);
  const term sum = to_term(r, double_type);
  if (sum != argument && expanded_.insert(argument).second) check(smt::negation(relation("=", argument, sum)), "exponent");
  quotient q = smt::constant(1);
  each_basis(r, [&](const rational& basis, const mpq_class& c) { q = times(q, generator(basis, c)); });
  return q;
}

smt_writer::quotient smt_writer::generator(const rational& basis, const mpq_class& exponent) {
  const term b = to_term(basis, double_type);
  const bool small = exponent.get_den() == 1 && abs(exponent.get_num()) <= max_power;
  if (is_call(b, "log") && small) return power(value(b->args[0]), exponent.get_num().get_si());  // e^(log v) = v
  const auto unit = units_.find(b);
  const mpq_class n = unit == units_.end() ? mpq_class(0) : mpq_class(exponent / unit->second);
  if (sgn(n) == 0 || n.get_den() != 1 || abs(n.get_num()) > max_power) throw unwritable("powers of " + brief(b) + " without a small unit");
  std::string& name = generators_[b];
  if (name.empty()) {
    const term scaled = mul(number(unit->second, double_type), b);
    name = declare("e^(" + brief(scaled) + ")", "Real");
    positive_.insert(name);
    assumptions_.push_back(sexp(">", name, "0.0"));
  }
  const factors f(name, static_cast<unsigned>(std::abs(n.get_num().get_si())));
  return sgn(n) > 0 ? quotient{1, f, {}} : quotient{1, {}, f};
}

//! log u as the normal form writes it, log c + Σ c_i b_i + log v, because u = c·e^(Σ c_i b_i)·v.
smt_writer::quotient smt_writer::logarithm(term t) {
  const term apart = to_term(normal_(t), double_type);
  if (is_call(apart, "log") || !unfolding_.insert(t).second) {
    const std::string r = opaque(t, "Real");
    if (t->args[0]->is(op::number) && t->args[0]->value > 1 && positive_.insert(r).second) assumptions_.push_back(sexp(">", r, "0.0"));
    return smt::named(r);
  }
  check(smt::negation(relation("=", value(t->args[0]), exponential(apart))), "logarithm of a product");
  const quotient q = value(apart);
  unfolding_.erase(t);
  return q;
}

//! sqrt u as front·sqrt v, because u = front²·v and front is positive.
smt_writer::quotient smt_writer::root(term t) {
  const auto parts = parts_of_root(normal_(t));
  if (!parts || parts->whole == t || (parts->generators.empty() && parts->number == 1 && parts->inner)) return plain_root(t);
  const term front = to_term(parts->generators, parts->number, double_type), square = mul(front, front);
  check(smt::negation(relation("=", t->args[0], parts->inner ? mul(square, parts->inner) : square)), "root of a product");
  return parts->inner ? times(value(front), plain_root(parts->whole)) : value(front);
}
smt_writer::quotient smt_writer::plain_root(term t) {
  const std::string r = opaque(t, "Real");
  const quotient x = value(t->args[0]);
  assumptions_.push_back(sexp(">=", r, "0.0"));
  assumptions_.push_back(sexp("=>", relation("<=", smt::constant(0), x), relation("=", smt::named(r, 2), x)));
  return smt::named(r);
}

smt_writer::quotient smt_writer::call(term t) {
  const std::string& f = t->name;
  const auto& a = t->args;
  if (const term d = by_definition(t)) return value(d);
  if (f == "exp") return exponential(a[0]);
  if (f == "log") return logarithm(t);
  if (f == "sqrt") return root(t);
  if (f == "pow" && a[1]->value.get_den() == 1 && abs(a[1]->value.get_num()) <= max_power)
    return power(value(a[0]), a[1]->value.get_num().get_si());
  if (f == "fabs") return value(abs(a[0]));
  if (f == "fmax") return value(max(a[0], a[1]));
  if (f == "fmin") return value(min(a[0], a[1]));
  if (f == "fma") return value(add(mul(a[0], a[1]), a[2]));
  if (f == "floor" || f == "ceil" || f == "trunc" || f == "round") return written(rounded(f, whole(a[0])), t->type);
  return smt::named(opaque(t, smt::sort_name(t->type)));
}

}  // namespace twofold::analyser
