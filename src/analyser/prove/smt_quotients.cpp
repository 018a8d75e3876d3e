// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Sums, choices and comparisons of quotients in SMT-LIB, over least common denominators, so that degrees stay small. What is equal
//! but for the order of its operands gets one name, so that a solver sees a polynomial identity as one.
#include <cstdlib>

#include "prove/smt_writer.hpp"

namespace twofold::analyser {

using smt::constant;
using smt::factors;
using smt::sexp;
using smt::text;

namespace {
constexpr std::size_t max_operands = 64;  // of a sum or an extremum that is written as one
}

smt_writer::quotient smt_writer::power(const quotient& x, long n) {
  quotient r = constant(1);
  for (long i = 0; i < std::abs(n); ++i) r = n > 0 ? times(r, x) : divided(r, x);
  return r;
}
smt_writer::quotient smt_writer::divided(const quotient& x, const quotient& y) {
  if (is_zero(y)) return smt::cancelled({x.scale, x.num * y.den, x.den * factors("0.0")});  // in a branch that is not taken, or not defined
  return over(x, y);
}
factors smt_writer::positive(const factors& f) const {
  return f.only([&](const std::string& name) { return positive_.contains(name); });
}

//! scale·t as summands, through sums, changes of sign and multiples, of ℤ too, read as reals.
void smt_writer::summands(term t, const mpq_class& scale, std::vector<quotient>& out) {
  const auto& a = t->args;
  if (t->is(op::add) && out.size() < max_operands) return summands(a[0], scale, out), summands(a[1], scale, out);
  if (t->is(op::neg)) return summands(a[0], -scale, out);
  if (t->is(op::mul) && a[0]->is(op::number)) return summands(a[1], scale * a[0]->value, out);
  if (t->is(op::cast) && is_int(a[0]->type) && !a[0]->type.is_modular()) return summands(a[0], scale, out);
  out.push_back(times(constant(scale), is_int(t->type) ? as_real(t) : value(t)));
}

//! f·Σ c_i·p_i/d: common factors in front, over the least common denominator, alike ones together, the first c_i being 1.
smt_writer::quotient smt_writer::sum(std::vector<quotient> parts) {
  std::erase_if(parts, [](const quotient& q) { return is_zero(q); });
  if (parts.empty()) return constant(0);
  factors up = parts[0].num, den;
  for (const quotient& q : parts) up = common(up, q.num), den = lcm(den, q.den);
  std::map<std::string, std::pair<factors, mpq_class>> alike;
  for (const quotient& q : parts) {
    const factors own = q.num / up * (den / q.den);
    auto& [f, scale] = alike[text(1, own)];
    f = own, scale += q.scale;
  }
  std::erase_if(alike, [](const auto& entry) { return sgn(entry.second.second) == 0; });
  if (alike.empty()) return constant(0);
  const auto& [first, scale] = alike.begin()->second;
  if (alike.size() == 1) return smt::cancelled({scale, up * first, den});
  std::vector<std::string> written;
  for (const auto& [name, entry] : alike) written.push_back(text(mpq_class(entry.second / scale), entry.first));
  return smt::cancelled({scale, up * factors(define("n", "Real", smt::all_of("+", written))), den});
}

//! Where denominators are known to be positive they are not chosen between: the common one will do.
smt_writer::quotient smt_writer::choose(const std::string& c, const quotient& x, const quotient& y, bool integer) {
  if (c == "true") return x;
  if (c == "false") return y;
  if (integer) return smt::named(define("i", "Int", sexp("ite", c, text(x.scale, x.num, true), text(y.scale, y.num, true))));
  const factors up = is_zero(x) ? y.num : is_zero(y) ? x.num : common(x.num, y.num);
  const factors x_positive = positive(x.den), y_positive = positive(y.den), den = lcm(x_positive, y_positive);
  const factors x_other = x.den / x_positive, y_other = y.den / y_positive, other = common(x_other, y_other);
  const auto part = [&](const quotient& q, const factors& own) {
    return is_zero(q) ? text(0, {}) : text(q.scale, q.num / up * (den / own));
  };
  const std::string then = part(x, x_positive), otherwise = part(y, y_positive);
  quotient q{1, up, den * other};
  if (then != otherwise) q.num = q.num * factors(define("n", "Real", sexp("ite", c, then, otherwise)));
  else if (is_zero(x)) return constant(0);
  else q.scale = x.scale, q.num = q.num * (x.num / up * (den / x_positive));
  if (const factors a = x_other / other, b = y_other / other; !(a == b))
    q.den = q.den * factors(define("d", "Real", sexp("ite", c, text(1, a), text(1, b))));
  return smt::cancelled(std::move(q));
}

//! The operands of nested maxima (minima), each once.
void smt_writer::operands(term t, op kind, std::vector<term>& out) {
  if (t->is(kind) && out.size() < max_operands)
    for (term a : t->args) operands(a, kind, out);
  else if (std::find(out.begin(), out.end(), t) == out.end()) out.push_back(t);
}
//! A quotient whose denominator may have either sign gets a name, q·d = n where d ≠ 0: between extrema of such quotients a solver would
//! choose denominators as well. Some q satisfies that whatever n and d are, so nothing is assumed; that d ≠ 0 is claimed with the rest.
smt_writer::quotient smt_writer::with_sign(const quotient& q) {
  const factors known = positive(q.den), other = q.den / known;
  if (other.empty() || other.powers().contains("0.0")) return q;
  const std::string up = text(1, q.num), down = text(1, other);
  std::string& name = named_quotients_[{up, down}];
  if (name.empty()) {
    name = declare("q " + std::to_string(named_quotients_.size()), "Real");
    head_ << "(assert (=> (not (= " << down << " 0.0)) (= (* " << name << " " << down << ") " << up << ")))\n";
  }
  return {q.scale, factors(name), known};
}
//! In one order, whatever the order in t: that of real numbers and integers is total, so max is commutative and associative.
smt_writer::quotient smt_writer::extremum(term t) {
  std::vector<term> all;
  operands(t, t->kind, all);
  std::sort(all.begin(), all.end(), [](term a, term b) { return a->id < b->id; });
  const bool integer = is_int(t->type);
  const auto operand = [&](term a) { return integer ? value(a) : with_sign(value(a)); };
  quotient r = operand(all[0]);
  for (std::size_t i = 1; i < all.size(); ++i) {
    const quotient x = operand(all[i]);
    const std::string c = relation("<=", r, x, integer);
    r = t->is(op::max) ? choose(c, x, r, integer) : choose(c, r, x, integer);
  }
  return r;
}

//! A product is 0 where one of its factors is.
std::string smt_writer::vanishes(const quotient& q, bool integer) const {
  if (is_zero(q)) return "true";
  std::string r = "false";
  for (const auto& [name, power] : q.num.powers())
    if (!positive_.contains(name)) r = smt::either(r, sexp("=", name, smt::numeral(0, integer)));
  return r;
}

//! a op b for op in <, <=, =, over the common denominator; where the sign of that is not known, multiplied by it once more.
std::string smt_writer::relation(const char* op, quotient x, quotient y, bool integer) {
  const bool equation = std::string(op) == "=";
  if (equation && is_zero(y)) return vanishes(x, integer);
  if (equation && is_zero(x)) return vanishes(y, integer);
  for (auto [zero, other] : {std::pair{&x, &y}, std::pair{&y, &x}})
    if (is_zero(*zero)) other->num = other->num / positive(other->num), other->den = other->den / positive(other->den);
  const factors up = positive(common(x.num, y.num)), den = lcm(x.den, y.den);
  factors more;
  if (!equation)
    for (const auto& [name, n] : den.powers())
      if (n % 2 != 0 && !positive_.contains(name)) more = more * factors(name);
  const auto side = [&](const quotient& q) {
    return is_zero(q) ? smt::numeral(0, integer) : text(q.scale, q.num / up * (den / q.den) * more, integer);
  };
  const std::string a = side(x), b = side(y);
  if (a == b) return std::string(op) == "<" ? "false" : "true";
  return sexp(op, a, b);
}

}  // namespace twofold::analyser
