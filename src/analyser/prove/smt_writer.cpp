// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Terms to SMT-LIB: each shared node is defined once; quotients are kept as pairs.
#include "prove/smt_writer.hpp"

#include <algorithm>
#include <cstdlib>
#include <set>

#include "prove/brief.hpp"
#include "prove/domain.hpp"

namespace twofold::analyser {

using smt::both;
using smt::constant;
using smt::named;
using smt::negation;
using smt::numeral;
using smt::power_of_two;
using smt::sexp;
using smt::sort_name;

std::string smt_writer::define(const char* prefix, const std::string& sort, const std::string& body) {
  if (!body.starts_with('(')) return body;  // a name or a number
  std::string& name = defined_[{sort, body}];
  if (!name.empty()) return name;
  name = prefix + std::to_string(count_++);
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
    check(negation(x->type.kind == sort::boolean ? sexp("=", condition(x), condition(y)) : relation("=", x, y)), "equal operands");
  }
}

const smt_writer::quotient& smt_writer::value(term t) {
  if (const auto it = values_.find(t); it != values_.end()) return it->second;
  quotient q = make_value(t);
  return values_.emplace(t, std::move(q)).first->second;
}
smt_writer::quotient smt_writer::written(const std::string& body, type t) {
  return named(define(is_int(t) ? "i" : "n", is_int(t) ? "Int" : "Real", body));
}
std::string smt_writer::integer(term t) {
  const quotient& q = value(t);
  return smt::text(q.scale, q.num, true);
}
std::string smt_writer::whole(term t) {
  const quotient& q = value(t);
  const std::string above = smt::text(q.scale, q.num);
  return q.den.empty() ? above : sexp("/", above, smt::text(1, q.den));
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
      r = negation(condition(a[0]));
      break;
    case op::logical_and:
      r = both(condition(a[0]), condition(a[1]));
      break;
    case op::logical_or:
      r = smt::either(condition(a[0]), condition(a[1]));
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
      } else if (relaxed_ && is_int(a[0]->type)) {
        const quotient x = as_real(a[0]);
        r = t->is(op::less) ? relation("<=", sum({x, constant(1)}), as_real(a[1]))
                            : relation(t->is(op::equal) ? "=" : "<=", x, as_real(a[1]));
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
  const bool integral = is_int(t->type);
  switch (t->kind) {
    case op::number:
      return constant(t->value);
    case op::symbol:
      return named(opaque(t, sort_name(t->type)));
    case op::add:
      if (!integral) return real_sum(t);
      return written(wrapped(sexp("+", integer(a[0]), integer(a[1])), t->type, most(a[0]) + most(a[1])), t->type);
    case op::neg:
      return integral ? written(wrapped(sexp("-", integer(a[0])), t->type), t->type) : times(constant(-1), value(a[0]));
    case op::mul:
      if (!integral) return times(value(a[0]), value(a[1]));
      return written(wrapped(sexp("*", integer(a[0]), integer(a[1])), t->type, most(a[0]) * most(a[1])), t->type);
    case op::div:
      return divided(value(a[0]), value(a[1]));
    case op::max:
    case op::min:
      return extremum(t);
    case op::abs: {
      const quotient x = value(a[0]);
      const quotient y = integral ? written(sexp("-", integer(a[0])), t->type) : times(constant(-1), x);
      return choose(relation("<=", constant(0), x, integral), x, y, integral);
    }
    case op::select:
      return choose(condition(a[0]), value(a[1]), value(a[2]), integral);
    case op::cast:
      return converted(t);
    case op::quotient:
    case op::remainder: {
      const std::string x = integer(a[0]), y = integer(a[1]);
      if (t->type.is_modular()) return written(sexp(t->is(op::quotient) ? "div" : "mod", x, y), t->type);
      const std::string q = sexp("ite", sexp(">=", x, "0"), sexp("div", x, y), sexp("-", sexp("div", sexp("-", x), y)));
      return written(t->is(op::quotient) ? q : sexp("-", x, sexp("*", y, q)), t->type);
    }
    case op::shift_left:
    case op::shift_right:
      if (a[1]->is(op::number) && a[1]->value >= 0 && a[1]->value < t->type.bits) {
        const std::string k = power_of_two(static_cast<unsigned>(a[1]->value.get_num().get_ui()));
        if (t->is(op::shift_right)) return written(sexp("div", integer(a[0]), k), t->type);
        return written(wrapped(sexp("*", integer(a[0]), k), t->type, most(a[0]) * mpz_class(k)), t->type);
      }
      throw unwritable("a shift by a variable amount");
    case op::bit_and:
    case op::bit_or:
    case op::bit_xor:
    case op::bit_not:
      return bits(t);
    case op::infinity:
    case op::minus_infinity:
    case op::nan:
      throw unwritable("an infinity or NaN");
    case op::call:
      return call(t);
    default:
      return named(opaque(t, sort_name(t->type)));
  }
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

namespace {
//! s, where the condition says that a sum is not 0 and the sum is s²; null: it does not.
term base_of_square(term condition, normaliser& normal) {
  if (!condition->is(op::logical_not) || !condition->args[0]->is(op::equal)) return {};
  const term t = condition->args[0]->args[0], zero = condition->args[0]->args[1];
  if (!is_number(zero, 0) || !t->is(op::add) || t->type.kind != sort::real) return {};
  try {
    const rational r = normal(t);
    const auto s = r.is_polynomial() ? square_root(r.num()) : std::nullopt;
    return s ? to_term(rational(*s), t->type) : term();
  } catch (const not_normal&) {
    return {};
  }
}
}  // namespace

void smt_writer::domain(const obligation& o, std::vector<std::pair<std::string, std::string>>& out) {
  for (term t : {o.left, o.right})
    for (const auto& d : domain_conditions(t)) {
      std::string under = "true";
      const term squares = of_any_squares(d.condition);
      if (const term base = base_of_square(d.condition, normal_)) {  // s² ≠ 0 where s ≠ 0
        out.emplace_back(negation(relation("=", d.condition->args[0]->args[0], mul(base, base))), "a square");
        for (term g : d.guards) under = both(under, condition(g));
        out.emplace_back(both(under, vanishes(value(base), false)), "defined: " + brief(d.where));
        continue;
      }
      if (!squares)
        for (term g : d.guards) under = both(under, condition(g));
      out.emplace_back(both(under, negation(condition(squares ? squares : d.condition))), "defined: " + brief(d.where));
    }
}

namespace {
//! Speaks of an integer other than as the operand of a function, which is a constant in what is written.
bool of_integers(term t) {
  if (t->is(op::call)) return false;
  return t->type.kind == sort::integer || std::any_of(t->args.begin(), t->args.end(), of_integers);
}
}  // namespace

//! The hypotheses that matter and the path, written.
std::vector<std::string> smt_writer::facts(const obligation& o, const std::vector<term>& path) {
  std::vector<term> known = that_matter(o, path);
  known.insert(known.end(), path.begin(), path.end());
  std::erase_if(known, [](term t) { return is_number(t, 1) || contains(t, is_special); });
  note_bounds(known);
  relaxed_ = smt::says_nothing_of_integers(o, known);
  for (term t : known) gather(t);
  gather(o.left), gather(o.right);
  // What is written without laws of functions comes first: the claims that such laws rest on may suppose it.
  const auto plain = [](term t) { return !contains(t, [](const node& n) { return n.is(op::call) && n.name != "sqrt"; }); };
  std::stable_partition(known.begin(), known.end(), plain);
  std::vector<std::string> r;
  for (term t : known) {
    r.push_back(condition(t));
    if (plain(t) && !of_integers(t) && body_.str().empty()) premises_.push_back(r.back());
  }
  return r;
}

//! Each claim: what contradicts the facts, and why it is claimed.
std::string smt_writer::finished(const std::vector<std::string>& known, const std::vector<std::pair<std::string, std::string>>& claims) {
  std::ostringstream main;
  for (const auto& f : known) main << "(assert " << f << ")\n";
  for (const auto& f : assumptions_) main << "(assert " << f << ")\n";
  std::vector<std::pair<std::string, std::string>> all = in_range_;
  all.insert(all.end(), claims.begin(), claims.end());
  for (const auto& [c, why] : all)
    main << "(push 1)" << (why.empty() ? "" : " ; " + why) << "\n(assert " << c << ")\n(check-sat)\n(pop 1)\n";
  std::string premises;
  if (!body_.str().empty())
    for (const auto& f : premises_) premises += "(assert " + f + ")\n";
  return "(push 1)\n" + head_.str() + premises + body_.str() + main.str() + "(pop 1)\n";
}

std::string smt_writer::script(const obligation& o, const std::vector<term>& path) {
  const std::vector<std::string> known = facts(o, path);
  const std::string same =
      o.left->type.kind == sort::boolean ? sexp("=", condition(o.left), condition(o.right)) : relation("=", o.left, o.right);
  std::vector<std::pair<std::string, std::string>> claims{{negation(same), ""}};
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
    for (term t : c.path) all = both(all, condition(t));
    none = both(none, negation(all));
  }
  return finished({}, {{none, "these are all cases"}});
}

}  // namespace twofold::analyser
