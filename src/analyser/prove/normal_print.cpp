// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Normal forms back to terms. The same normal form always gives the same term, so terms of normal forms serve as keys.
#include <set>

#include "prove/atoms.hpp"

namespace twofold::analyser {
namespace {

term as(term a, type t) {
  if (a->type.kind == sort::boolean && t.kind != sort::boolean) return select(a, number(1, t), number(0, t));
  if (a->type.kind == t.kind && !t.is_modular() && !a->type.is_modular()) return a;  // widths of reals and of ℤ do not matter
  return a->type == t ? a : cast(a, t);
}

term natural_power(term a, const mpz_class& n, type t) {
  if (n > 4096) throw limit_error("a power too large to write out");
  term r = number(1, t);
  for (long i = n.get_si(), bit = 1L << 12; bit > 0; bit >>= 1) {
    if (!is_number(r, 1)) r = mul(r, r);
    if (i & bit) r = mul(r, a);
  }
  return r;
}

//! b = log(k)·rest for a number k: k and rest; else 0 and b.
std::pair<mpq_class, term> base_of(term b, type t) {
  std::vector<term> factors, todo{b};
  while (!todo.empty()) {
    const term u = todo.back();
    todo.pop_back();
    if (u->is(op::mul)) todo.push_back(u->args[1]), todo.push_back(u->args[0]);
    else factors.push_back(u);
  }
  for (std::size_t i = 0; i < factors.size(); ++i) {
    if (!factors[i]->is(op::call) || factors[i]->name != "log" || !factors[i]->args[0]->is(op::number)) continue;
    term rest = number(1, t);
    for (std::size_t k = 0; k < factors.size(); ++k)
      if (k != i) rest = mul(rest, factors[k]);
    return {factors[i]->args[0]->value, rest};
  }
  return {0, b};
}

//! Π exp(b_i)^(c_i) as exp(Σ c_i b_i), or pow(k, Σ c_i b_i/log k) for those with a base. Positive summands first.
term generators_to_term(const std::vector<factor>& generators, type t) {
  std::map<mpq_class, term> exponents;  // by base; 0 stands for e
  for (const int sign : {1, -1})
    for (const factor& g : generators) {
      if (sgn(g.exponent) != sign) continue;
      const auto [base, b] = base_of(g.atom->args[0], t);
      const term x = g.exponent == -1 ? neg(b) : mul(number(g.exponent, t), b);
      term& sum = exponents[base];
      sum = sum ? add(sum, x) : x;
    }
  term r = number(1, t);
  for (const auto& [base, x] : exponents) {
    if (base == 0) r = mul(r, call("exp", {x}, t));
    else if (base == 2) r = mul(r, call("exp2", {x}, t));
    else r = mul(r, call("pow", {number(base, t), x}, t));
  }
  return r;
}

}  // namespace

polynomial resolved(const polynomial& p, term indicator, bool value) {
  polynomial r;
  for (const auto& [m, c] : p.terms()) {
    monomial rest;
    bool has = false;
    for (const factor& f : m)
      if (f.atom == indicator) has = true;
      else rest.push_back(f);
    if (!has || value) r.add_term(rest, c);
  }
  return r;
}
std::set<term> indicators(const polynomial& p) {
  std::set<term> r;
  for (const auto& [m, c] : p.terms())
    for (const factor& f : m)
      if (f.atom->type.kind == sort::boolean) r.insert(f.atom);
  return r;
}
term first_indicator(const polynomial& p) {
  const auto all = indicators(p);
  return all.empty() ? term() : *all.begin();
}

rational resolved(const rational& r, term indicator, bool value) { return rational(resolved(r.num(), indicator, value), r.den()); }

term to_term(const monomial& m, const mpq_class& c, type t) {
  std::vector<factor> generators;
  term up = number(1, t), down = number(1, t), when;
  for (const factor& f : m)
    if (f.atom->type.kind == sort::boolean) when = when ? logical_and(when, f.atom) : f.atom;
    else if (is_generator(f.atom)) generators.push_back(f);
    else if (sgn(f.exponent) > 0) up = mul(up, natural_power(as(f.atom, t), f.exponent.get_num(), t));
    else down = mul(down, natural_power(as(f.atom, t), -f.exponent.get_num(), t));
  if (!generators.empty()) up = mul(up, generators_to_term(generators, t));
  if (!is_number(down, 1)) up = div(up, down);
  const term r = c == -1 && !t.is_modular() ? neg(up) : mul(number(c, t), up);
  return when ? select(when, r, number(0, t)) : r;
}

term to_term(const polynomial& p, type t) {
  if (t.kind == sort::boolean) {
    if (p.is_constant()) return boolean(p.constant() != 0);
    const term i = first_indicator(p);
    if (indicators(p).size() > 10) throw limit_error("a condition over more than 10 comparisons");
    if (!i) throw not_normal("a condition that is not Boolean");
    return select(i, to_term(resolved(p, i, true), t), to_term(resolved(p, i, false), t));
  }
  // as one nested choice while that is short, else as a sum of choices
  const std::size_t choices = indicators(p).size();
  if (choices > 0 && choices <= 3) {
    const term i = first_indicator(p);
    return select(i, to_term(resolved(p, i, true), t), to_term(resolved(p, i, false), t));
  }
  term r;
  std::vector<std::pair<const monomial*, const mpq_class*>> order;  // positive terms first: a − b, not −b + a; the constant last
  for (const int sign : {1, -1})
    for (const auto& [m, c] : p.terms())
      if (!m.empty() && sgn(c) == sign) order.emplace_back(&m, &c);
  if (const auto it = p.terms().find({}); it != p.terms().end()) order.emplace_back(&it->first, &it->second);
  for (const auto& [m, c] : order) {
    const term x = to_term(*m, *c, t);
    r = r ? add(r, x) : x;
  }
  return r ? r : number(0, t);
}

term to_term(const rational& r, type t) {
  const term n = to_term(r.num(), t);
  return r.is_polynomial() ? n : div(n, to_term(r.den(), t));
}

term retype(term t, type to) {
  std::unordered_map<std::uint32_t, term> done;
  const std::function<term(term)> walk = [&](term u) -> term {
    if (u->is(op::symbol)) return u;
    if (const auto it = done.find(u->id); it != done.end()) return it->second;
    const bool real = u->type.kind == sort::real;
    term r = u;
    if (u->is(op::number)) r = real ? number(u->value, to) : u;
    else if (!u->args.empty() && !u->is(op::read)) {
      std::vector<term> args;
      for (term a : u->args) args.push_back(walk(a));
      if (u->is(op::cast) && real && args[0]->type.kind == sort::real) r = args[0];
      else if (u->is(op::call)) r = call(u->name, std::move(args), real ? to : u->type);
      else if (u->is(op::inner_fold)) r = rebuild(u, std::move(args));
      else r = make(u->kind, std::move(args), real ? to : u->type);
    }
    done.emplace(u->id, r);
    return r;
  };
  return walk(t);
}

}  // namespace twofold::analyser
