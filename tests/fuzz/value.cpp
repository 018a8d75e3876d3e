// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Exact values of terms, by the definitions of C++ over the rationals, ℤ and ℤ/2^w.
#include "fuzz/value.hpp"

namespace twofold::analyser::fuzz {
namespace {

using kind = value::kind;

value special(kind k) { return {k, {}}; }
value truth(bool b) { return finite(b ? 1 : 0); }

//! The worse of two unknown values, if one is unknown.
bool unknown(const value& a, const value& b, value& out) {
  if (a.is == kind::undefined || b.is == kind::undefined) return out = special(kind::undefined), true;
  if (a.is == kind::inexact || b.is == kind::inexact) return out = special(kind::inexact), true;
  return false;
}

int sign(const value& v) {
  if (v.is == kind::infinity) return 1;
  if (v.is == kind::minus_infinity) return -1;
  return sgn(v.number);
}

value negated(const value& v) {
  switch (v.is) {
    case kind::finite:
      return finite(-v.number);
    case kind::infinity:
      return special(kind::minus_infinity);
    case kind::minus_infinity:
      return special(kind::infinity);
    default:
      return v;
  }
}

value sum(const value& a, const value& b) {
  if (a.is == kind::finite && b.is == kind::finite) return finite(a.number + b.number);
  if (a.is == kind::finite) return b;
  if (b.is == kind::finite || a.is == b.is) return a;
  return special(kind::undefined);
}

value product(const value& a, const value& b) {
  if (a.is == kind::finite && b.is == kind::finite) return finite(a.number * b.number);
  const int s = sign(a) * sign(b);
  return special(s == 0 ? kind::undefined : s > 0 ? kind::infinity : kind::minus_infinity);
}

value ratio(const value& a, const value& b) {
  if (b.is != kind::finite) return a.is == kind::finite ? finite(0) : special(kind::undefined);
  if (b.number == 0) return special(kind::undefined);
  return a.is == kind::finite ? finite(a.number / b.number) : sgn(b.number) > 0 ? a : negated(a);
}

bool below(const value& a, const value& b) {
  if (a.is == kind::finite && b.is == kind::finite) return a.number < b.number;
  if (a.is == b.is) return false;
  return a.is == kind::minus_infinity || b.is == kind::infinity;
}

mpz_class rounded_down(const mpq_class& q) {
  mpz_class r;
  mpz_fdiv_q(r.get_mpz_t(), q.get_num().get_mpz_t(), q.get_den().get_mpz_t());
  return r;
}

mpz_class modulus(type t) { return mpz_class(1) << t.bits; }

value wrapped(const value& v, type t) {
  if (v.is != kind::finite || !t.is_modular()) return v;
  mpz_class r;
  mpz_fdiv_r(r.get_mpz_t(), v.number.get_num().get_mpz_t(), modulus(t).get_mpz_t());
  return finite(mpq_class(r));
}

value converted(const value& v, type from, type to) {
  if (!v.known()) return v;
  if (to.kind == sort::boolean) return truth(v.is != kind::finite || v.number != 0);
  if (v.is != kind::finite) return to.kind == sort::real ? v : special(kind::undefined);
  if (to.kind == sort::real) return v;
  const mpz_class whole = from.kind != sort::real ? v.number.get_num()
                          : sgn(v.number) < 0     ? mpz_class(-rounded_down(-v.number))
                                                  : rounded_down(v.number);
  if (to.is_modular()) return wrapped(finite(mpq_class(whole)), to);
  mpz_class r;  // narrower signed integers wrap (C++20)
  const mpz_class half = modulus(to) / 2, shifted = whole + half;
  mpz_fdiv_r(r.get_mpz_t(), shifted.get_mpz_t(), modulus(to).get_mpz_t());
  return finite(mpq_class(r - half));
}

value power_of_two(const value& v) {
  if (v.is == kind::minus_infinity) return finite(0);
  if (v.is == kind::infinity) return v;
  if (v.number.get_den() != 1 || abs(v.number) > 4000) return special(kind::inexact);
  const long k = v.number.get_num().get_si();
  mpz_class p = 1;
  p <<= static_cast<unsigned long>(k < 0 ? -k : k);
  return finite(k < 0 ? mpq_class(mpz_class(1), p) : mpq_class(p));
}

value called(const node& n, const value& v) {
  if (!v.known()) return v;
  if (n.name == "exp") return power_of_two(v);
  if (v.is != kind::finite) return special(kind::inexact);
  if (n.name == "floor") return finite(mpq_class(rounded_down(v.number)));
  if (n.name == "ceil") return finite(mpq_class(-rounded_down(-v.number)));
  if (n.name == "trunc") return sgn(v.number) < 0 ? finite(mpq_class(-rounded_down(-v.number))) : finite(mpq_class(rounded_down(v.number)));
  return special(kind::inexact);
}

value whole_numbers(const node& n, const value& a, const value& b) {
  if (a.is != kind::finite || b.is != kind::finite) return special(kind::undefined);
  const mpz_class x = a.number.get_num(), y = b.number.get_num();
  switch (n.kind) {
    case op::quotient:
    case op::remainder: {
      if (y == 0) return special(kind::undefined);
      return finite(mpq_class(n.is(op::quotient) ? mpz_class(x / y) : mpz_class(x % y)));  // GMP truncates as C++ does
    }
    case op::bit_and:
      return finite(mpq_class(x & y));
    case op::bit_or:
      return finite(mpq_class(x | y));
    case op::bit_xor:
      return finite(mpq_class(x ^ y));
    default: {
      if (sgn(y) < 0 || y >= n.type.bits) return special(kind::undefined);
      const unsigned long by = y.get_ui();
      return wrapped(finite(n.is(op::shift_left) ? mpq_class(x << by) : mpq_class(x >> by)), n.type);
    }
  }
}

value binary(const node& n, const value& a, const value& b) {
  value out;
  if (n.is(op::logical_and) || n.is(op::logical_or)) {
    if (!a.known()) return a;
    return (sgn(a.number) != 0) == n.is(op::logical_or) ? a : b;
  }
  if (unknown(a, b, out)) return out;
  switch (n.kind) {
    case op::add:
      return wrapped(sum(a, b), n.type);
    case op::mul:
      return wrapped(product(a, b), n.type);
    case op::div:
      return ratio(a, b);
    case op::min:
      return below(b, a) ? b : a;
    case op::max:
      return below(a, b) ? b : a;
    case op::less:
      return truth(below(a, b));
    case op::less_equal:
      return truth(!below(b, a));
    case op::equal:
      return truth(a == b);
    default:
      return whole_numbers(n, a, b);
  }
}

}  // namespace

value finite(const mpq_class& v) {
  value r{kind::finite, v};
  r.number.canonicalize();
  return r;
}

std::string to_text(const value& v) {
  switch (v.is) {
    case kind::finite:
      return v.number.get_str();
    case kind::infinity:
      return "inf";
    case kind::minus_infinity:
      return "-inf";
    case kind::undefined:
      return "undefined";
    default:
      return "irrational";
  }
}

line::line(const std::vector<term>& roots) {
  for (const term t : roots) roots_.push_back(place(t));
  values_.resize(operations_.size());
}

std::size_t line::place(term t) {
  if (const auto it = places_.find(&*t); it != places_.end()) return it->second;
  operation o{&*t, {}};
  for (const term a : t->args) o.args.push_back(place(a));
  operations_.push_back(std::move(o));
  return places_[&*t] = operations_.size() - 1;
}

value line::evaluate(const operation& o, const std::map<term, value>& symbols) const {
  const node& n = *o.what;
  const auto arg = [&](std::size_t i) -> const value& { return values_[o.args[i]]; };
  switch (n.kind) {
    case op::number:
      return finite(n.value);
    case op::infinity:
      return special(kind::infinity);
    case op::minus_infinity:
      return special(kind::minus_infinity);
    case op::symbol: {
      const auto it = symbols.find(term(&n));
      return it == symbols.end() ? special(kind::undefined) : it->second;
    }
    case op::neg:
      return wrapped(negated(arg(0)), n.type);
    case op::abs:
      return arg(0).known() && sign(arg(0)) < 0 ? negated(arg(0)) : arg(0);
    case op::bit_not:
      return arg(0).is == kind::finite ? wrapped(finite(-arg(0).number - 1), n.type) : arg(0);
    case op::logical_not:
      return arg(0).known() ? truth(sgn(arg(0).number) == 0) : arg(0);
    case op::select:
      return !arg(0).known() ? arg(0) : sgn(arg(0).number) != 0 ? arg(1) : arg(2);
    case op::cast:
      return converted(arg(0), n.args[0]->type, n.type);
    case op::call:
      return o.args.size() == 1 ? called(n, arg(0)) : special(kind::inexact);
    case op::nan:
    case op::read:
    case op::inner_fold:
      return special(kind::inexact);
    default:
      return binary(n, arg(0), arg(1));
  }
}

std::vector<value> line::run(const std::map<term, value>& symbols) {
  for (std::size_t i = 0; i < operations_.size(); ++i) values_[i] = evaluate(operations_[i], symbols);
  std::vector<value> r;
  r.reserve(roots_.size());
  for (const std::size_t p : roots_) r.push_back(values_[p]);
  return r;
}

}  // namespace twofold::analyser::fuzz
