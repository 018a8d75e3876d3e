// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Terms to SMT-LIB: each shared node is defined once; quotients are kept as pairs.
#include "prove/smt_writer.hpp"

#include <algorithm>
#include <set>

#include "prove/brief.hpp"
#include "prove/domain.hpp"

namespace twofold::analyser {
namespace {

//! Arguments, not a braced list: where a part throws (a term that no solver can be asked about), GCC 12 ends the life of the list's array
//! before it destroys the strings in it.
template <class... Parts>
std::string sexp(const Parts&... parts) {
  std::string r = "(";
  const auto add = [&](const std::string& p) {
    if (!p.empty()) r += (r.size() > 1 ? " " : "") + p;
  };
  (add(parts), ...);
  return r + ")";
}
std::string product(const std::string& a, const std::string& b) {
  if (b.empty() || b == "1.0") return a;  // first: a denominator that is not there is 1, and 1 times it is "1.0"
  if (a.empty() || a == "1.0") return b;
  return sexp("*", a, b);
}
std::string numeral(const mpq_class& v, bool integer) {
  const mpz_class n = abs(v.get_num());
  std::string r = n.get_str() + (integer ? "" : ".0");
  if (v.get_den() != 1) r = sexp("/", r, v.get_den().get_str() + ".0");
  return sgn(v) < 0 ? sexp("-", r) : r;
}
std::string power_of_two(unsigned n) { return mpz_class(mpz_class(1) << n).get_str(); }
std::string sort_name(type t) { return t.kind == sort::boolean ? "Bool" : t.kind == sort::integer ? "Int" : "Real"; }

}  // namespace

std::string smt_writer::scaled(const std::string& num, const std::string& den) { return product(num, den); }

std::string smt_writer::define(const char* prefix, const std::string& sort, const std::string& body) {
  if (body.find('(') == std::string::npos) return body;
  const std::string name = prefix + std::to_string(count_++);
  head_ << "(define-fun " << name << " () " << sort << " " << body << ")\n";
  return name;
}
std::string smt_writer::declare(const std::string& wanted, const std::string& sort) {
  std::string plain;
  for (char c : wanted) plain += c == '|' || c == '\\' ? '_' : c;
  std::string name = "|" + plain + "|";
  for (int i = 2; !names_.insert(name).second; ++i) name = "|" + plain + "@" + std::to_string(i) + "|";
  head_ << "(declare-const " << name << " " << sort << ")\n";
  return name;
}
std::string smt_writer::opaque(term t, const std::string& sort) {
  const term key = t->args.empty() ? t : to_term(normal_(t), t->type);
  const std::string operation = std::to_string(static_cast<int>(t->kind)) + t->name;
  const auto it = opaque_.find({key, operation});
  if (it != opaque_.end()) {
    if (it->second.first != t) same_operands(it->second.first, t);
    return it->second.second;
  }
  const std::string name = declare(brief(t), sort);
  opaque_.emplace(std::pair{key, operation}, std::pair{t, name});
  if (t->type.is_modular()) assumptions_.push_back(sexp("and", sexp("<=", "0", name), sexp("<", name, power_of_two(t->type.bits))));
  return name;
}

//! Two uses of a function are one constant because their operands are equal: claims of their own. Where the operation may be regrouped
//! (gcd, hypot), its law is taken as given.
void smt_writer::same_operands(term a, term b) {
  bool pairwise = a->args.size() == b->args.size();
  for (std::size_t i = 0; pairwise && i < a->args.size(); ++i)
    pairwise = a->args[i]->type.kind == b->args[i]->type.kind && normal_.equal(a->args[i], b->args[i]);
  if (!pairwise) {
    body_ << "; by the laws of " << (a->name.empty() ? "the operation" : a->name) << ", not claimed here: " << brief(a) << " = " << brief(b)
          << "\n";
    return;
  }
  for (std::size_t i = 0; i < a->args.size(); ++i) {
    const term x = a->args[i], y = b->args[i];
    if (x == y || x->is_symbol(symbol_kind::array)) continue;
    check(x->type.kind == sort::boolean ? sexp("not", sexp("=", condition(x), condition(y))) : sexp("not", relation("=", x, y)),
          "equal operands");
  }
}

const smt_writer::quotient& smt_writer::value(term t) {
  if (const auto it = values_.find(t); it != values_.end()) return it->second;
  quotient q = make_value(t);
  const bool integer = t->type.kind == sort::integer;
  q.num = define(integer ? "i" : "n", integer ? "Int" : "Real", q.num);
  if (!q.den.empty()) q.den = define("d", "Real", q.den);
  return values_.emplace(t, q).first->second;
}
std::string smt_writer::integer(term t) { return value(t).num; }
std::string smt_writer::whole(term t) {
  const quotient q = value(t);
  return q.den.empty() ? q.num : sexp("/", q.num, q.den);
}
std::string smt_writer::wrapped(const std::string& e, type t) const { return t.is_modular() ? sexp("mod", e, power_of_two(t.bits)) : e; }

smt_writer::quotient smt_writer::choose(const std::string& c, const quotient& x, const quotient& y, bool integer) {
  quotient q{sexp("ite", c, x.num, y.num), ""};
  const std::string one = integer ? "1" : "1.0";
  if (!x.den.empty() || !y.den.empty()) q.den = sexp("ite", c, x.den.empty() ? one : x.den, y.den.empty() ? one : y.den);
  return q;
}

//! a op b for op in <, <=, =, on pairs: multiplied by the squares of the denominators, so that no sign is needed.
std::string smt_writer::relation(const char* op, term a, term b) {
  const quotient x = value(a), y = value(b);
  if (x.den.empty() && y.den.empty()) return sexp(op, x.num, y.num);
  const bool equality = std::string(op) == "=";
  const std::string l = product(x.num, y.den), r = product(y.num, x.den);
  if (equality) return sexp(op, l, r);
  const std::string d = product(x.den, y.den);
  return sexp(op, product(l, d), product(r, d));
}

std::string smt_writer::condition(term t) {
  if (const auto it = conditions_.find(t); it != conditions_.end()) return it->second;
  const auto& a = t->args;
  std::string r;
  switch (t->kind) {
    case op::number:
      r = t->value != 0 ? "true" : "false";
      break;
    case op::logical_not:
      r = sexp("not", condition(a[0]));
      break;
    case op::logical_and:
      r = sexp("and", condition(a[0]), condition(a[1]));
      break;
    case op::logical_or:
      r = sexp("or", condition(a[0]), condition(a[1]));
      break;
    case op::select:
      r = sexp("ite", condition(a[0]), condition(a[1]), condition(a[2]));
      break;
    case op::less:
    case op::less_equal:
    case op::equal:
      if (a[0]->type.kind == sort::boolean) {
        const std::string x = condition(a[0]), y = condition(a[1]);
        r = t->is(op::equal) ? sexp("=", x, y) : t->is(op::less) ? sexp("and", sexp("not", x), y) : sexp("=>", x, y);
      } else {
        r = relation(t->is(op::equal) ? "=" : t->is(op::less) ? "<" : "<=", a[0], a[1]);
      }
      break;
    default:
      r = opaque(t, "Bool");
      break;
  }
  r = define("c", "Bool", r);
  conditions_.emplace(t, r);
  return r;
}

smt_writer::quotient smt_writer::make_value(term t) {
  const auto& a = t->args;
  const bool is_integer = t->type.kind == sort::integer;
  switch (t->kind) {
    case op::number:
      return {numeral(t->value, is_integer), ""};
    case op::symbol:
      return {opaque(t, sort_name(t->type)), ""};
    case op::add: {
      const quotient x = value(a[0]), y = value(a[1]);
      if (x.den == y.den) return {wrapped(sexp("+", x.num, y.num), t->type), x.den};
      return {sexp("+", product(x.num, y.den), product(y.num, x.den)), product(x.den, y.den)};
    }
    case op::neg:
      return {wrapped(sexp("-", value(a[0]).num), t->type), value(a[0]).den};
    case op::mul: {
      const quotient x = value(a[0]), y = value(a[1]);
      return {wrapped(sexp("*", x.num, y.num), t->type), product(x.den, y.den)};
    }
    case op::div: {
      const quotient x = value(a[0]), y = value(a[1]);
      return {product(x.num, y.den.empty() ? "1.0" : y.den), product(x.den, y.num)};
    }
    case op::max:
    case op::min: {
      const std::string c = relation("<=", a[0], a[1]);
      return t->is(op::max) ? choose(c, value(a[1]), value(a[0]), is_integer) : choose(c, value(a[0]), value(a[1]), is_integer);
    }
    case op::abs: {
      const quotient x = value(a[0]), y{sexp("-", x.num), x.den};
      return choose(relation("<=", number(0, a[0]->type), a[0]), x, y, is_integer);
    }
    case op::select:
      return choose(condition(a[0]), value(a[1]), value(a[2]), is_integer);
    case op::cast: {
      if (a[0]->type.kind == sort::boolean) return {sexp("ite", condition(a[0]), numeral(1, is_integer), numeral(0, is_integer)), ""};
      if (t->type.kind == sort::real) {
        if (a[0]->type.kind == sort::real) return value(a[0]);
        return {sexp("to_real", integer(a[0])), ""};
      }
      if (a[0]->type.kind == sort::real) {
        const std::string x = whole(a[0]);
        return {wrapped(sexp("ite", sexp(">=", x, "0.0"), sexp("to_int", x), sexp("-", sexp("to_int", sexp("-", x)))), t->type), ""};
      }
      if (t->type.is_modular()) return {wrapped(integer(a[0]), t->type), ""};
      if (t->type.bits > a[0]->type.bits || (t->type.bits == a[0]->type.bits && a[0]->type.is_signed)) return {integer(a[0]), ""};
      const std::string half = power_of_two(t->type.bits - 1);
      return {sexp("-", sexp("mod", sexp("+", integer(a[0]), half), power_of_two(t->type.bits)), half), ""};
    }
    case op::quotient:
    case op::remainder: {
      const std::string x = integer(a[0]), y = integer(a[1]);
      if (t->type.is_modular()) return {sexp(t->is(op::quotient) ? "div" : "mod", x, y), ""};
      const std::string q = sexp("ite", sexp(">=", x, "0"), sexp("div", x, y), sexp("-", sexp("div", sexp("-", x), y)));
      return {t->is(op::quotient) ? q : sexp("-", x, sexp("*", y, q)), ""};
    }
    case op::shift_left:
    case op::shift_right:
      if (a[1]->is(op::number) && a[1]->value >= 0 && a[1]->value < t->type.bits) {
        const std::string k = power_of_two(static_cast<unsigned>(a[1]->value.get_num().get_ui()));
        return {t->is(op::shift_left) ? wrapped(sexp("*", integer(a[0]), k), t->type) : sexp("div", integer(a[0]), k), ""};
      }
      throw unwritable("a shift by a variable amount");
    case op::bit_and:
    case op::bit_or:
    case op::bit_xor:
    case op::bit_not:
      throw unwritable("operations on bits");
    case op::infinity:
    case op::minus_infinity:
    case op::nan:
      throw unwritable("an infinity or NaN");
    case op::call:
      return call(t);
    default:
      return {opaque(t, sort_name(t->type)), ""};
  }
}

smt_writer::quotient smt_writer::call(term t) {
  const std::string& f = t->name;
  const auto& a = t->args;
  if (f == "exp") return power_of("e", a[0]);
  if (f == "exp2") return power_of("2", a[0]);
  if (f == "pow" && a[0]->is(op::number) && sgn(a[0]->value) > 0) return power_of(a[0]->value.get_str(), a[1]);
  if (f == "fabs") return value(abs(a[0]));
  if (f == "fmax") return value(max(a[0], a[1]));
  if (f == "fmin") return value(min(a[0], a[1]));
  if (f == "fma") return value(add(mul(a[0], a[1]), a[2]));
  if (f == "floor") return {sexp("to_real", sexp("to_int", whole(a[0]))), ""};
  if (f == "ceil") return {sexp("-", sexp("to_real", sexp("to_int", sexp("-", whole(a[0]))))), ""};
  if (f == "trunc" || f == "round") {
    const std::string x = f == "trunc" ? whole(a[0]) : "", half = "0.5";
    const std::string y = f == "round" ? whole(a[0]) : "";
    const std::string up = f == "round" ? sexp("+", y, half) : x, down = f == "round" ? sexp("-", half, y) : sexp("-", x);
    return {sexp("ite", sexp(">=", f == "round" ? y : x, "0.0"), sexp("to_real", sexp("to_int", up)),
                 sexp("-", sexp("to_real", sexp("to_int", down)))),
            ""};
  }
  const std::string r = opaque(t, sort_name(t->type));
  if (f == "sqrt") {
    const quotient x = value(a[0]);
    assumptions_.push_back(sexp(">=", r, "0.0"));
    assumptions_.push_back(sexp("=>", relation("<=", number(0), a[0]), sexp("=", product(sexp("*", r, r), x.den), x.num)));
  }
  return {r, ""};
}

smt_writer::quotient smt_writer::power_of(const std::string& base, term argument) {
  const rational n = normal_(argument);
  auto& family = exponentials_[base];
  for (const exponential& e : family)
    if (e.normal == n) {
      if (e.argument != argument) check(sexp("not", relation("=", e.argument, argument)), "equal exponents");
      return {e.name, ""};
    }
  const std::string name = declare(base + "^(" + brief(argument) + ")", "Real");
  assumptions_.push_back(sexp(">", name, "0.0"));
  family.push_back({argument, n, name});
  return {name, ""};
}

void smt_writer::check(const std::string& assertion, const std::string& why) {
  body_ << "(push 1) ; " << why << "\n(assert " << assertion << ")\n(check-sat)\n(pop 1)\n";
}

//! The instances of e^s·e^t = e^(s+t) among the exponentials that occur; a sum that two different pairs share gets a name.
void smt_writer::laws() {
  for (auto& [base, family] : exponentials_) {
    const std::size_t n = family.size();
    if (n > 40) throw unwritable("more than 40 different exponentials");
    for (const exponential& e : std::vector<exponential>(family))
      if (e.normal.is_zero()) {
        check(sexp("not", relation("=", e.argument, number(0, e.argument->type))), "exponent zero");
        assumptions_.push_back(sexp("=", e.name, "1.0"));
      }
    std::vector<std::tuple<rational, std::size_t, std::size_t>> sums;
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = i; j < n; ++j)
        if (!family[i].normal.is_zero() && !family[j].normal.is_zero()) sums.emplace_back(family[i].normal + family[j].normal, i, j);
    for (const auto& [s, i, j] : sums) {
      const term sum = add(family[i].argument, family[j].argument);
      const std::string pair = sexp("*", family[i].name, family[j].name);
      if (s.is_zero()) {
        check(sexp("not", relation("=", sum, number(0, sum->type))), "exponents cancel");
        assumptions_.push_back(sexp("=", pair, "1.0"));
        continue;
      }
      bool known = false;
      std::size_t shared = 0;
      for (const exponential& e : family) known |= e.normal == s;
      for (const auto& other : sums) shared += std::get<0>(other) == s;
      if (!known && shared < 2) continue;
      const std::string name = power_of(base, sum).num;
      assumptions_.push_back(sexp("=", pair, name));
    }
  }
}

namespace {
//! Hypotheses that share symbols with the claim, directly or through one another. A claim that holds without the others holds with them,
//! and a length in integers beside a claim in reals would cost a solver its decision procedure for reals.
std::vector<term> that_matter(const obligation& o) {
  std::set<term> reached;
  for (const term t : {o.left, o.right})
    for (const term s : symbols(t)) reached.insert(s);
  std::vector<bool> taken(o.hypotheses.size(), false);
  for (bool grown = true; grown;) {
    grown = false;
    for (std::size_t i = 0; i < taken.size(); ++i) {
      const std::vector<term> of = symbols(o.hypotheses[i]);
      if (taken[i] || std::none_of(of.begin(), of.end(), [&](term s) { return reached.count(s) > 0; })) continue;
      taken[i] = grown = true;
      reached.insert(of.begin(), of.end());
    }
  }
  std::vector<term> r;
  for (std::size_t i = 0; i < taken.size(); ++i)
    if (taken[i] || symbols(o.hypotheses[i]).empty()) r.push_back(o.hypotheses[i]);
  return r;
}
}  // namespace

std::string smt_writer::script(const obligation& o) {
  std::vector<std::string> hypotheses;
  for (term h : that_matter(o))
    if (!is_number(h, 1) && !contains(h, is_special)) hypotheses.push_back(condition(h));
  const std::string claim =
      o.left->type.kind == sort::boolean ? sexp("=", condition(o.left), condition(o.right)) : relation("=", o.left, o.right);
  std::vector<std::pair<std::string, std::string>> domains;
  for (term t : {o.left, o.right})
    for (const auto& d : domain_conditions(t)) {
      std::string under = "true";
      for (term g : d.guards) under = sexp("and", under, condition(g));
      domains.emplace_back(sexp("and", under, sexp("not", condition(d.condition))), "defined: " + brief(d.where));
    }
  laws();
  std::ostringstream main;
  for (const auto& h : hypotheses) main << "(assert " << h << ")\n";
  for (const auto& a : assumptions_) main << "(assert " << a << ")\n";
  main << "(push 1)\n(assert (not " << claim << "))\n(check-sat)\n(pop 1)\n";
  for (const auto& [d, why] : domains) main << "(push 1) ; " << why << "\n(assert " << d << ")\n(check-sat)\n(pop 1)\n";
  return "(push 1)\n" + head_.str() + body_.str() + main.str() + "(pop 1)\n";
}

}  // namespace twofold::analyser
