// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Solving additive coordinates for the loop's own variables.
#include "derive/transport.hpp"

#include <algorithm>

#include "derive/sampling.hpp"

namespace twofold::analyser::deriving {

polynomial placed(const polynomial& p, const substitution& s) {
  polynomial r;
  for (const auto& [m, c] : p) {
    polynomial product = constant(c);
    for (const auto& [atom, k] : m) {
      const term to = substitute(atom, s);
      if (!is_exponential(to)) {  // exponents are expanded, so that they join; their atoms are not
        if (to->is(op::number)) {
          polynomial q = constant(to->value);
          if (q.empty() && sgn(k) < 0) throw limit_error("a denominator that vanishes");
          if (q.empty()) {
            product = {};
            continue;
          }
          mpq_class d = 1;
          for (mpz_class i = 0; i < ::abs(k.get_num()); ++i) d *= to->value;
          product = times(product, constant(sgn(k) < 0 ? mpq_class(1 / d) : d));
        } else {
          product = times(product, single({{to, k}}));
        }
        continue;
      }
      product = times(product, single({{to, k}}));
    }
    r = plus(std::move(r), product);
  }
  return r;
}

polynomial inverse(const polynomial& p, type t) {
  if (p.size() == 1) return single(times({}, p.begin()->first, -1), mpq_class(1 / p.begin()->second));
  if (p.empty()) throw limit_error("a denominator that vanishes");
  const mpq_class lead = p.rbegin()->second;
  return single({{to_term(plus({}, p, 1 / lead), t), -1}}, 1 / lead);
}

namespace {

//! φ at the initial state; it is 0 where e^−∞ meets it.
polynomial at_start(const polynomial& phi, const std::vector<candidate::variable>& known, const candidate::variable& v) {
  substitution s;
  for (const auto& w : known) s[w.symbol] = w.init;
  s[v.symbol] = v.init;
  polynomial r;
  for (const auto& [m, c] : phi) {
    const bool vanishes =
        std::any_of(m.begin(), m.end(), [&](const auto& f) { return sgn(f.second) > 0 && is_number(substitute(f.first, s), 0); });
    if (!vanishes) r = plus(std::move(r), placed(single(m, c), s));
  }
  return r;
}

//! k if the polynomial is c·(e^v)^k alone.
std::optional<std::pair<mpq_class, mpq_class>> pure_exponential(const polynomial& phi, term v) {
  if (phi.size() != 1 || phi.begin()->first.size() != 1) return std::nullopt;
  const auto& [atom, k] = *phi.begin()->first.begin();
  if (!is_exponential(atom) || atom->args[0] != v) return std::nullopt;
  return std::pair{k, phi.begin()->second};
}

}  // namespace

std::optional<solved> solve(const coordinate& c, const candidate::variable& v, const std::vector<candidate::variable>& known) {
  std::vector<candidate::variable> all = known;
  all.push_back(v);
  const substitution left = sides(all, symbol_kind::left), right = sides(all, symbol_kind::right), merged = merges(known);
  polynomial sum = plus(placed(c.phi, left), placed(c.phi, right));
  sum = plus(std::move(sum), at_start(c.phi, known, v), -1);
  const term own = v.type.kind == sort::real ? v.symbol : cast(v.symbol, double_type);
  if (const auto e = pure_exponential(c.phi, v.symbol)) {  // log-scale variable: v = M + log Σ e^(v_i − M), M the larger one
    const auto& [k, factor] = *e;
    if (::abs(k) != 1 || factor != 1) return std::nullopt;
    const term a = left_of(v.symbol), b = right_of(v.symbol), top = sgn(k) > 0 ? max(a, b) : min(a, b);
    const bool base_two = c.phi.begin()->first.begin()->first->name == "exp2";
    const polynomial inner = times(sum, single({{call(base_two ? "exp2" : "exp", {top}, v.type), -k}}));
    const term logarithm = call(base_two ? "log2" : "log", {to_term(inner, v.type)}, v.type);
    return solved{{}, sgn(k) > 0 ? add(top, logarithm) : sub(top, logarithm)};
  }
  const auto f = linear_in(c.phi, own);
  if (!f || f->slope.empty() || v.type.kind != sort::real) return std::nullopt;
  sum = plus(std::move(sum), placed(f->rest, merged), -1);
  sum = times(sum, inverse(placed(f->slope, merged), v.type));
  return solved{sum, to_term(sum, v.type)};
}

namespace {

//! A variable that is a mean (w), or a sum (w = n·mean): what a shift of the data moves.
struct location {
  term variable;
  term weight;       // null for a mean
  term mean, delta;  // fresh symbols
};

//! The denominators of the merge of w, if it is a quotient of sums.
std::optional<term> denominator_of(const polynomial& p) {
  std::optional<term> d;
  for (const auto& [m, c] : p)
    for (const auto& [atom, k] : m) {
      if (sgn(k) >= 0 || is_exponential(atom)) continue;
      if (!atom->is(op::add)) continue;
      if (d && *d != atom) return std::nullopt;
      d = atom;
    }
  return d;
}

//! p/d as a polynomial, where d is a sum whose first summand is a single atom of power 1: long division in that atom.
std::optional<polynomial> divided(polynomial p, const polynomial& d, term lead) {
  const auto f = linear_in(d, lead);
  if (!f || f->slope != constant(f->slope.empty() ? mpq_class(0) : f->slope.begin()->second)) return std::nullopt;
  const mpq_class scale = f->slope.begin()->second;
  const auto degree = [&](const monomial& m) {
    auto it = m.find(lead);
    return it == m.end() ? mpq_class(0) : it->second;
  };
  polynomial quotient;
  while (!p.empty()) {
    const auto top = std::max_element(p.begin(), p.end(), [&](const auto& a, const auto& b) { return degree(a.first) < degree(b.first); });
    if (degree(top->first) < 1) return std::nullopt;
    const polynomial q = single(times(top->first, {{lead, 1}}, -1), top->second / scale);
    quotient = plus(std::move(quotient), q);
    p = plus(std::move(p), times(q, d), -1);
  }
  return quotient;
}

//! N/d^k with each group of products that differ only in the atoms of d divided by d as often as possible.
polynomial reduced(const fraction& f, term denominator) {
  const polynomial d = expanded(denominator);
  std::set<term> counts;
  for (const auto& [m, c] : d)
    for (const auto& [atom, k] : m) counts.insert(atom);
  std::map<monomial, polynomial> groups;
  for (const auto& [m, c] : f.numerator) {
    monomial outer, inner;
    for (const auto& [atom, k] : m) (counts.contains(atom) ? inner : outer)[atom] = k;
    groups[outer] = plus(std::move(groups[outer]), single(inner, c));
  }
  polynomial r;
  for (auto& [outer, inner] : groups) {
    long k = f.power;
    while (k > 0) {
      const auto q = divided(inner, d, *counts.begin());
      if (!q) break;
      inner = *q;
      --k;
    }
    monomial m = outer;
    if (k > 0) m[denominator] = -k;
    r = plus(std::move(r), times(inner, single(m)));
  }
  return r;
}

//! Every atom expanded: merged means become quotients of sums.
polynomial opened(const polynomial& p, type t) {
  polynomial r;
  for (const auto& [m, c] : p) {
    polynomial product = constant(c);
    for (const auto& [atom, k] : m) {
      const polynomial q = k.get_den() == 1 ? expanded(atom) : single({{atom, 1}});
      const polynomial factor = sgn(k) > 0 || q.empty() ? q : inverse(q, t);
      if (k.get_den() != 1) product = times(product, single({{atom, k}}));
      else
        for (mpz_class i = 0; i < ::abs(k.get_num()); ++i) product = times(product, factor);
    }
    r = plus(std::move(r), product);
  }
  return r;
}

std::vector<location> locations(const std::vector<candidate::variable>& known, const candidate::variable& v) {
  std::vector<location> r;
  std::vector<candidate::variable> all = known;
  all.push_back(v);
  for (const auto& w : all) {
    if (w.type.kind != sort::real) continue;
    const std::string stem = "delta_" + w.name;
    location l{w.symbol, {}, symbol(symbol_kind::opaque, "mean_" + w.name, w.type), symbol(symbol_kind::opaque, stem, w.type)};
    const term same = substitute(w.merge, {{left_of(w.symbol), l.mean}, {right_of(w.symbol), l.mean}});
    if (denominator_of(expanded(w.merge)) && same_on_samples(same, l.mean)) r.push_back(l);  // a mean of equal means is that mean
  }
  return r;
}

}  // namespace

std::optional<term> shifted(const solved& s, const candidate::variable& v, const std::vector<candidate::variable>& known) {
  const auto scaled = [](const auto& f) {
    return std::any_of(f.first.begin(), f.first.end(), [](const auto& a) { return is_exponential(a.first); });
  };
  if (std::any_of(s.sum.begin(), s.sum.end(), scaled)) return std::nullopt;
  candidate::variable own = v;
  own.merge = s.merge;
  const polynomial full = opened(s.sum, v.type);
  const auto d = denominator_of(full);
  if (!d) return std::nullopt;
  std::vector<location> where;
  for (const location& l : locations(known, own)) {
    const auto uses = [&](const auto& f) { return mentions(f.first, [&](const node& n) { return &n == &*left_of(l.variable); }); };
    if (std::any_of(full.begin(), full.end(), uses)) where.push_back(l);
  }
  if (where.empty()) return std::nullopt;
  substitution shift, back;
  for (const location& l : where) {
    shift[left_of(l.variable)] = l.mean;
    shift[right_of(l.variable)] = add(l.mean, l.delta);
    back[l.mean] = left_of(l.variable);
    back[l.delta] = sub(right_of(l.variable), left_of(l.variable));
  }
  const polynomial moved = map_atoms(full, [&](term atom) { return substitute(atom, shift); });
  const polynomial result = reduced(over(moved, *d), *d);
  const bool own_mean = where.size() == 1 && where[0].variable == v.symbol;
  for (const auto& [m, c] : result)
    for (const location& l : where)
      if (auto it = m.find(l.mean); it != m.end() && !(own_mean && m.size() == 1 && it->second == 1)) return std::nullopt;
  return substitute(to_term(result, v.type), back);
}

}  // namespace twofold::analyser::deriving
