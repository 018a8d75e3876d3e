// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Expansion of terms into sums of products, and back.
#include "derive/polynomial.hpp"

#include <algorithm>
#include <unordered_map>

namespace twofold::analyser::deriving {
namespace {

constexpr std::size_t max_monomials = 4000;

class expander {
 public:
  polynomial operator()(term t) {
    if (auto it = done_.find(&*t); it != done_.end()) return it->second;
    polynomial p = work(t);
    if (p.size() > max_monomials) throw limit_error("a sum of more than " + std::to_string(max_monomials) + " products");
    return done_.emplace(&*t, std::move(p)).first->second;
  }

 private:
  polynomial work(term t) {
    switch (t->kind) {
      case op::number:
        return constant(t->value);
      case op::add:
        return plus((*this)(t->args[0]), (*this)(t->args[1]));
      case op::neg:
        return plus({}, (*this)(t->args[0]), -1);
      case op::mul:
        return times((*this)(t->args[0]), (*this)(t->args[1]));
      case op::div:
        return times((*this)(t->args[0]), reciprocal(t->args[1]));
      case op::cast:
        return converted(t);
      case op::call:
        return called(t);
      default:
        return single({{t, 1}});
    }
  }

  //! 1/t, factor by factor: a denominator d·d stays a power of d.
  polynomial reciprocal(term t) {
    if (t->is(op::mul)) return times(reciprocal(t->args[0]), reciprocal(t->args[1]));
    return power((*this)(t), -1, t->type);
  }

  //! p^k. A negative power of a sum is an atom of its own.
  polynomial power(const polynomial& p, long k, type t) {
    if (k == 0) return constant(1);
    if (p.size() == 1) {
      const auto& [m, c] = *p.begin();
      mpq_class d = 1;
      for (long i = 0; i < std::abs(k); ++i) d *= c;
      return single(times({}, m, k), k < 0 ? mpq_class(1 / d) : d);
    }
    if (k < 0) {
      if (p.empty()) return single({{div(number(1, t), number(0, t)), 1}});
      const mpq_class lead = p.rbegin()->second;  // one sign and scale for each denominator, so that equal ones are equal atoms
      mpq_class d = 1;
      for (long i = 0; i < -k; ++i) d *= lead;
      return single({{to_term(plus({}, p, 1 / lead), t), k}}, 1 / d);
    }
    polynomial r = p;
    for (long i = 1; i < k; ++i) r = times(r, p);
    return r;
  }

  polynomial converted(term t) {
    const term a = t->args[0];
    const bool widening =
        t->type.kind == sort::real && (a->type.kind == sort::real || (a->type.kind == sort::integer && a->type.is_signed));
    if (!widening) return single({{t, 1}});
    if (a->type.kind == sort::real) return (*this)(a);
    polynomial r;
    for (const auto& [m, c] : (*this)(a)) {
      monomial real;
      for (const auto& [atom, k] : m) real[cast(atom, double_type)] = k;
      r = plus(std::move(r), single(real, c));
    }
    return r;
  }

  polynomial called(term t) {
    const std::string& f = t->name;
    if (f == "exp" || f == "exp2") return exponential(t);
    if (f == "pow" && t->args[1]->is(op::number) && t->args[1]->value.get_den() == 1 && ::abs(t->args[1]->value.get_num()) <= 8)
      return power((*this)(t->args[0]), t->args[1]->value.get_num().get_si(), t->type);
    return single({{t, 1}});
  }

  polynomial exponential(term t) {
    const std::string logarithm = t->name == "exp" ? "log" : "log2";
    polynomial result = constant(1);
    for (const auto& [m, c] : (*this)(t->args[0])) {
      const bool inverse = m.size() == 1 && m.begin()->second == 1 && m.begin()->first->is(op::call) &&
                           m.begin()->first->name == logarithm && c.get_den() == 1;
      if (inverse) result = times(result, power((*this)(m.begin()->first->args[0]), c.get_num().get_si(), t->type));
      else if (m.empty()) result = times(result, single({{call(t->name, {number(c, t->type)}, t->type), 1}}));
      else result = times(result, single({{call(t->name, {to_term(m, t->type)}, t->type), c}}));
    }
    return result;
  }

  std::unordered_map<const node*, polynomial> done_;
};

term raised(term base, unsigned long k) {
  term r = base;
  for (unsigned long i = 1; i < k; ++i) r = mul(r, base);
  return r;
}

//! Σ c·(argument of the exponential), for the exponentials of one function in a product.
term joined_exponent(const monomial& m, const std::string& name, type t) {
  term positive, negative;
  for (const auto& [atom, k] : m) {
    if (!is_exponential(atom) || atom->name != name) continue;
    const mpq_class size = ::abs(k);
    const term part = mul(number(size, t), atom->args[0]);
    term& side = sgn(k) > 0 ? positive : negative;
    side = side ? add(side, part) : part;
  }
  if (!positive && !negative) return {};
  if (!negative) return positive;
  return positive ? sub(positive, negative) : neg(negative);
}

}  // namespace

polynomial constant(const mpq_class& c) { return c == 0 ? polynomial{} : polynomial{{monomial{}, c}}; }
polynomial single(const monomial& m, const mpq_class& c) { return c == 0 ? polynomial{} : polynomial{{m, c}}; }

polynomial plus(polynomial a, const polynomial& b, const mpq_class& scale) {
  for (const auto& [m, c] : b) {
    mpq_class& at = a[m];
    at += c * scale;
    if (at == 0) a.erase(m);
  }
  return a;
}
monomial times(monomial a, const monomial& b, const mpq_class& power) {
  for (const auto& [atom, k] : b) {
    mpq_class& at = a[atom];
    at += k * power;
    if (at == 0) a.erase(atom);
  }
  return a;
}
polynomial times(const polynomial& a, const polynomial& b) {
  if (a.size() * b.size() > max_monomials) throw limit_error("a sum of more than " + std::to_string(max_monomials) + " products");
  polynomial r;
  for (const auto& [m, c] : a)
    for (const auto& [n, d] : b) r = plus(std::move(r), single(times(m, n), c * d));
  return r;
}

polynomial expanded(term t) { return expander{}(t); }

polynomial map_atoms(const polynomial& p, const std::function<term(term)>& image) {
  expander ex;
  polynomial r;
  for (const auto& [m, c] : p) {
    polynomial product = constant(c);
    for (const auto& [atom, k] : m) {
      const term to = image(atom);
      if (!to || to == atom) {
        product = times(product, single({{atom, k}}));
        continue;
      }
      polynomial q = ex(to);
      if (q.size() == 1 && (k.get_den() == 1 || q.begin()->second == 1)) {
        mpq_class d = 1;
        for (mpz_class i = 0; i < ::abs(k.get_num()); ++i) d *= q.begin()->second;
        product = times(product, single(times({}, q.begin()->first, k), sgn(k) < 0 ? mpq_class(1 / d) : d));
      } else if (sgn(k) > 0 && k.get_den() == 1) {
        for (mpz_class i = 0; i < k.get_num(); ++i) product = times(product, q);
      } else if (q.empty()) {
        throw limit_error("a denominator that vanishes");
      } else {
        const mpq_class lead = q.rbegin()->second;
        mpq_class d = 1;
        for (mpz_class i = 0; i < -k.get_num(); ++i) d *= lead;
        product = times(product, single({{to_term(plus({}, q, 1 / lead), to->type), k}}, 1 / d));
      }
    }
    r = plus(std::move(r), product);
  }
  return r;
}

bool is_exponential(term atom) { return atom->is(op::call) && (atom->name == "exp" || atom->name == "exp2"); }

bool mentions(const monomial& m, const std::function<bool(const node&)>& pred) {
  return std::any_of(m.begin(), m.end(), [&](const auto& f) { return contains(f.first, pred); });
}

term to_term(const monomial& m, type t) {
  term top, bottom;
  const auto multiply = [&](term& side, term factor) { side = side ? mul(side, factor) : factor; };
  for (const auto& [atom, k] : m) {
    if (is_exponential(atom)) continue;
    const term a = atom->type == t ? atom : cast(atom, t);
    multiply(sgn(k) > 0 ? top : bottom, raised(a, mpz_class(::abs(k.get_num())).get_ui()));
  }
  for (const char* name : {"exp", "exp2"})
    if (const term e = joined_exponent(m, name, t)) multiply(top, call(name, {e}, t));
  if (!top) top = number(1, t);
  return bottom ? div(top, bottom) : top;
}

term to_term(const polynomial& p, type t) {
  term positive, negative;  // negative summands last: a + b − c
  for (const auto& [m, c] : p) {
    const mpq_class size = ::abs(c);
    term part = to_term(m, t);
    if (size.get_den() == 1 || t.kind != sort::real) part = mul(number(size, t), part);
    else part = size.get_num() == 1 ? div(part, number(mpq_class(size.get_den()), t)) : mul(number(size, t), part);
    term& side = sgn(c) > 0 ? positive : negative;
    side = side ? add(side, part) : part;
  }
  if (!positive && !negative) return number(0, t);
  if (!negative) return positive;
  return positive ? sub(positive, negative) : neg(negative);
}

fraction over(const polynomial& p, term denominator) {
  mpq_class lowest = 0;
  for (const auto& [m, c] : p)
    if (auto it = m.find(denominator); it != m.end() && it->second < lowest) lowest = it->second;
  const long k = -lowest.get_num().get_si();
  const polynomial d = expanded(denominator);
  polynomial r;
  for (const auto& [m, c] : p) {
    monomial rest = m;
    long have = k;
    if (auto it = rest.find(denominator); it != rest.end()) {
      have += it->second.get_num().get_si();
      rest.erase(it);
    }
    polynomial q = single(rest, c);
    for (long i = 0; i < have; ++i) q = times(q, d);
    r = plus(std::move(r), q);
  }
  return {r, k};
}

std::optional<linear_form> linear_in(const polynomial& p, term v) {
  linear_form f;
  const auto is_v = [&](const node& n) { return &n == &*v; };
  for (const auto& [m, c] : p) {
    monomial rest = m;
    const auto it = rest.find(v);
    const bool here = it != rest.end();
    if (here && it->second != 1) return std::nullopt;
    if (here) rest.erase(it);
    if (mentions(rest, is_v)) return std::nullopt;
    polynomial& side = here ? f.slope : f.rest;
    side = plus(std::move(side), single(rest, c));
  }
  return f;
}

}  // namespace twofold::analyser::deriving
