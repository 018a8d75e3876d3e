// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Terms to SMT-LIB: each shared node is defined once; quotients are kept as pairs.
#include "prove/smt_writer.hpp"

#include <algorithm>
#include <cstdlib>
#include <set>

#include "prove/brief.hpp"
#include "prove/domain.hpp"

namespace twofold::analyser {

using smt::factors;
using smt::numeral;
using smt::power_of_two;
using smt::product;
using smt::sexp;
using smt::sort_name;

// --- quotients: sums over the least common denominator, so that degrees stay small

smt_writer::quotient smt_writer::cancelled(quotient q) {
  const factors shared = common(q.up, q.den);
  q.up = q.up / shared;
  q.den = q.den / shared;
  return q;
}
smt_writer::quotient smt_writer::times(const quotient& x, const quotient& y) {
  return cancelled({product(x.num, y.num), x.up * y.up, x.den * y.den});
}
//! That y, and what it divides by, is not zero is claimed where the quotient is evaluated.
smt_writer::quotient smt_writer::over(const quotient& x, const quotient& y) {
  const factors shared = common(x.den, y.den);
  return cancelled({product(x.num, (y.den / shared).text()), x.up, x.den / shared * factors(y.num) * y.up});
}
smt_writer::quotient smt_writer::plus(const quotient& x, const quotient& y) {
  const factors up = common(x.up, y.up), den = lcm(x.den, y.den);
  const auto part = [&](const quotient& q) { return product(q.num, (q.up / up * (den / q.den)).text()); };
  return cancelled({sexp("+", part(x), part(y)), up, den});
}
smt_writer::quotient smt_writer::power(const quotient& x, long n) {
  quotient r{"1.0", {}, {}};
  for (long i = 0; i < std::abs(n); ++i) r = n > 0 ? times(r, x) : over(r, x);
  return r;
}
factors smt_writer::positive(const factors& f) const {
  return f.only([&](const std::string& name, unsigned) { return positive_.contains(name); });
}

//! Where denominators are known to be positive they are not chosen between: the common one will do.
smt_writer::quotient smt_writer::choose(const std::string& c, const quotient& x, const quotient& y, bool integer) {
  const factors up = common(x.up, y.up), x_positive = positive(x.den), y_positive = positive(y.den), den = lcm(x_positive, y_positive);
  const factors x_other = x.den / x_positive, y_other = y.den / y_positive, other = common(x_other, y_other);
  const auto part = [&](const quotient& q, const factors& own) { return product(q.num, (q.up / up * (den / own)).text()); };
  quotient q{sexp("ite", c, part(x, x_positive), part(y, y_positive)), up, den * other};
  if (const factors a = x_other / other, b = y_other / other; !integer && !(a.empty() && b.empty()))
    q.den = q.den * factors(define("d", "Real", sexp("ite", c, a.text(), b.text())));
  return cancelled(std::move(q));
}

//! a op b for op in <, <=, =, over the common denominator; where the sign of that is not known, multiplied by it once more.
std::string smt_writer::relation(const char* op, quotient x, quotient y) {
  const factors up = common(x.up, y.up), den = lcm(x.den, y.den);
  factors more;
  if (std::string(op) != "=")
    for (const auto& [name, n] : den.powers())
      if (n % 2 != 0 && !positive_.contains(name)) more = more * factors(name);
  const auto side = [&](const quotient& q) { return product(q.num, (q.up / up * (den / q.den) * more).text()); };
  return sexp(op, side(x), side(y));
}

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
  return values_.emplace(t, q).first->second;
}
std::string smt_writer::integer(term t) { return value(t).num; }
std::string smt_writer::whole(term t) {
  const quotient q = value(t);
  return q.den.empty() ? q.above() : sexp("/", q.above(), q.den.text());
}
std::string smt_writer::wrapped(const std::string& e, type t) const { return t.is_modular() ? sexp("mod", e, power_of_two(t.bits)) : e; }

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
      return {numeral(t->value, is_integer), {}, {}};
    case op::symbol:
      return {opaque(t, sort_name(t->type)), {}, {}};
    case op::add:
      if (is_integer) return {wrapped(sexp("+", integer(a[0]), integer(a[1])), t->type), {}, {}};
      return plus(value(a[0]), value(a[1]));
    case op::neg: {
      const quotient x = value(a[0]);
      return {wrapped(sexp("-", x.num), t->type), x.up, x.den};
    }
    case op::mul:
      if (is_integer) return {wrapped(sexp("*", integer(a[0]), integer(a[1])), t->type), {}, {}};
      return times(value(a[0]), value(a[1]));
    case op::div:
      return over(value(a[0]), value(a[1]));
    case op::max:
    case op::min: {
      const std::string c = relation("<=", a[0], a[1]);
      return t->is(op::max) ? choose(c, value(a[1]), value(a[0]), is_integer) : choose(c, value(a[0]), value(a[1]), is_integer);
    }
    case op::abs: {
      const quotient x = value(a[0]), y{sexp("-", x.num), x.up, x.den};
      return choose(relation("<=", number(0, a[0]->type), a[0]), x, y, is_integer);
    }
    case op::select:
      return choose(condition(a[0]), value(a[1]), value(a[2]), is_integer);
    case op::cast: {
      if (a[0]->type.kind == sort::boolean) return {sexp("ite", condition(a[0]), numeral(1, is_integer), numeral(0, is_integer)), {}, {}};
      if (t->type.kind == sort::real) {
        if (a[0]->type.kind == sort::real) return value(a[0]);
        return {sexp("to_real", integer(a[0])), {}, {}};
      }
      if (a[0]->type.kind == sort::real) {
        const std::string x = whole(a[0]);
        return {wrapped(sexp("ite", sexp(">=", x, "0.0"), sexp("to_int", x), sexp("-", sexp("to_int", sexp("-", x)))), t->type), {}, {}};
      }
      if (t->type.is_modular()) return {wrapped(integer(a[0]), t->type), {}, {}};
      if (t->type.bits > a[0]->type.bits || (t->type.bits == a[0]->type.bits && a[0]->type.is_signed)) return {integer(a[0]), {}, {}};
      const std::string half = power_of_two(t->type.bits - 1);
      return {sexp("-", sexp("mod", sexp("+", integer(a[0]), half), power_of_two(t->type.bits)), half), {}, {}};
    }
    case op::quotient:
    case op::remainder: {
      const std::string x = integer(a[0]), y = integer(a[1]);
      if (t->type.is_modular()) return {sexp(t->is(op::quotient) ? "div" : "mod", x, y), {}, {}};
      const std::string q = sexp("ite", sexp(">=", x, "0"), sexp("div", x, y), sexp("-", sexp("div", sexp("-", x), y)));
      return {t->is(op::quotient) ? q : sexp("-", x, sexp("*", y, q)), {}, {}};
    }
    case op::shift_left:
    case op::shift_right:
      if (a[1]->is(op::number) && a[1]->value >= 0 && a[1]->value < t->type.bits) {
        const std::string k = power_of_two(static_cast<unsigned>(a[1]->value.get_num().get_ui()));
        return {t->is(op::shift_left) ? wrapped(sexp("*", integer(a[0]), k), t->type) : sexp("div", integer(a[0]), k), {}, {}};
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
      return {opaque(t, sort_name(t->type)), {}, {}};
  }
}

smt_writer::quotient smt_writer::call(term t) {
  const std::string& f = t->name;
  const auto& a = t->args;
  if (f == "exp") return power_of(0, a[0]);
  if (f == "exp2") return power_of(2, a[0]);
  if (f == "pow" && a[0]->is(op::number) && sgn(a[0]->value) > 0) return power_of(a[0]->value, a[1]);
  if (f == "log") return logarithm(t);
  if (f == "sqrt") return root(t);
  if (f == "fabs") return value(abs(a[0]));
  if (f == "fmax") return value(max(a[0], a[1]));
  if (f == "fmin") return value(min(a[0], a[1]));
  if (f == "fma") return value(add(mul(a[0], a[1]), a[2]));
  if (f == "floor") return {sexp("to_real", sexp("to_int", whole(a[0]))), {}, {}};
  if (f == "ceil") return {sexp("-", sexp("to_real", sexp("to_int", sexp("-", whole(a[0]))))), {}, {}};
  if (f == "trunc" || f == "round") {
    const std::string x = f == "trunc" ? whole(a[0]) : "", half = "0.5";
    const std::string y = f == "round" ? whole(a[0]) : "";
    const std::string up = f == "round" ? sexp("+", y, half) : x, down = f == "round" ? sexp("-", half, y) : sexp("-", x);
    return {sexp("ite", sexp(">=", f == "round" ? y : x, "0.0"), sexp("to_real", sexp("to_int", up)),
                 sexp("-", sexp("to_real", sexp("to_int", down)))),
            {},
            {}};
  }
  return {opaque(t, sort_name(t->type)), {}, {}};
}

void smt_writer::check(const std::string& assertion, const std::string& why) {
  body_ << "(push 1) ; " << why << "\n(assert " << assertion << ")\n(check-sat)\n(pop 1)\n";
}

namespace {
//! Hypotheses that share symbols with the claim, directly or through one another. A claim that holds without the others holds with them,
//! and a length in integers beside a claim in reals would cost a solver its decision procedure for reals.
std::vector<term> that_matter(const obligation& o, const std::vector<term>& path) {
  std::set<term> reached;
  const auto reach = [&](term t) {
    for (const term s : symbols(t)) reached.insert(s);
  };
  reach(o.left), reach(o.right);
  for (const term p : path) reach(p);
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

//! 0 ≤ p² + q² + …, said of any p, q, …: squares of sums, multiplied out, are more than a solver has to see. Null: t is none such.
term of_any_squares(term t) {
  if (!t->is(op::less_equal) || !is_number(t->args[0], 0)) return {};
  std::vector<term> todo{t->args[1]};
  std::map<term, term> bases;
  term sum = t->args[0];
  while (!todo.empty()) {
    const term u = todo.back();
    todo.pop_back();
    if (u->is(op::add)) todo.insert(todo.end(), u->args.begin(), u->args.end());
    else if (u->is(op::mul) && u->args[0] == u->args[1]) {
      const term p =
          bases.try_emplace(u->args[0], symbol(symbol_kind::opaque, "any " + std::to_string(bases.size()), u->type)).first->second;
      sum = add(sum, mul(p, p));
    } else {
      return {};
    }
  }
  return less_equal(t->args[0], sum);
}
}  // namespace

void smt_writer::domain(const obligation& o, std::vector<std::pair<std::string, std::string>>& out) {
  for (term t : {o.left, o.right})
    for (const auto& d : domain_conditions(t)) {
      std::string under = "true";
      const term squares = of_any_squares(d.condition);
      if (!squares)
        for (term g : d.guards) under = sexp("and", under, condition(g));
      out.emplace_back(sexp("and", under, sexp("not", condition(squares ? squares : d.condition))), "defined: " + brief(d.where));
    }
}

//! The hypotheses that matter and the path, written.
std::vector<std::string> smt_writer::facts(const obligation& o, const std::vector<term>& path) {
  std::vector<term> known = that_matter(o, path);
  known.insert(known.end(), path.begin(), path.end());
  std::erase_if(known, [](term t) { return is_number(t, 1) || contains(t, is_special); });
  for (term t : known) gather(t);
  gather(o.left), gather(o.right);
  std::vector<std::string> r;
  for (term t : known) r.push_back(condition(t));
  return r;
}

//! Each claim: what contradicts the facts, and why it is claimed.
std::string smt_writer::finished(const std::vector<std::string>& known, const std::vector<std::pair<std::string, std::string>>& claims) {
  std::ostringstream main;
  for (const auto& f : known) main << "(assert " << f << ")\n";
  for (const auto& f : assumptions_) main << "(assert " << f << ")\n";
  for (const auto& [c, why] : claims)
    main << "(push 1)" << (why.empty() ? "" : " ; " + why) << "\n(assert " << c << ")\n(check-sat)\n(pop 1)\n";
  return "(push 1)\n" + head_.str() + body_.str() + main.str() + "(pop 1)\n";
}

std::string smt_writer::script(const obligation& o, const std::vector<term>& path) {
  const std::vector<std::string> known = facts(o, path);
  const std::string same =
      o.left->type.kind == sort::boolean ? sexp("=", condition(o.left), condition(o.right)) : relation("=", o.left, o.right);
  std::vector<std::pair<std::string, std::string>> claims{{sexp("not", same), ""}};
  if (path.empty()) domain(o, claims);  // of a case: of the whole
  return finished(known, claims);
}

std::string smt_writer::definedness(const obligation& o) {
  const std::vector<std::string> known = facts(o, {});
  std::vector<std::pair<std::string, std::string>> claims;
  domain(o, claims);
  return finished(known, claims);
}

std::string smt_writer::cover(const std::vector<proof_case>& cases) {
  for (const proof_case& c : cases)
    for (term t : c.path) gather(t);
  std::string none = "true";
  for (const proof_case& c : cases) {
    std::string all = "true";
    for (term t : c.path) all = sexp("and", all, condition(t));
    none = sexp("and", none, sexp("not", all));
  }
  return finished({}, {{none, "these are all cases"}});
}

}  // namespace twofold::analyser
