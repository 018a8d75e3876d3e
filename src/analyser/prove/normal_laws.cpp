// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The normaliser's laws of exponentials, roots, max-sets, absolute values and comparisons.
#include <algorithm>

#include "prove/normal.hpp"

namespace twofold::analyser {
namespace {

constexpr std::size_t max_set = 64;

rational negated(const rational& r) { return rational(0) - r; }

//! b and n with n = b^k, k as large as possible: 8 → 2, 3. n > 1.
std::pair<mpz_class, long> perfect_power(const mpz_class& n) {
  for (long k = static_cast<long>(mpz_sizeinbase(n.get_mpz_t(), 2)); k > 1; --k) {
    mpz_class b;
    if (mpz_root(b.get_mpz_t(), n.get_mpz_t(), static_cast<unsigned long>(k))) return {b, k};
  }
  return {n, 1};
}

//! log of a positive rational over logarithms of integers that are no powers.
rational log_number(const mpq_class& v) {
  const auto part = [](const mpz_class& n) -> rational {
    if (n == 1) return rational(0);
    const auto [b, k] = perfect_power(n);
    return rational(polynomial(call("log", {number(mpq_class(b))}, double_type))) * rational(mpq_class(k));
  };
  return part(v.get_num()) - part(v.get_den());
}

rational monomial_value(const monomial& m) {
  polynomial p;
  p.add_term(m, 1);
  return rational(std::move(p));
}

//! First coefficient of a monomial other than 1: its sign is the canonical sign.
const mpq_class& leading(const polynomial& p) {
  const auto it = p.terms().begin();
  return it->first.empty() && p.terms().size() > 1 ? std::next(it)->second : it->second;
}

}  // namespace

//! e^(N/D), one generator per monomial of N: each monomial over D is a basis term.
rational normaliser::exponential(const rational& r) {
  monomial generators;
  rational factor(1);
  for (const auto& [m, c] : r.num().terms()) {
    polynomial p;
    p.add_term(m, 1);
    const rational q(std::move(p), r.den());  // in lowest terms
    const mpq_class scale = q.num().terms().begin()->second;
    const rational basis = q * rational(mpq_class(1 / scale));
    const term b = to_term(basis, double_type);
    const term e = analyser::call("exp", {b}, double_type);
    polynomial g;
    g.add_term({{e, c * scale}}, 1);
    factor = multiply(factor, rational(std::move(g)));
  }
  return factor;
}

rational normaliser::logarithm(const rational& r) {
  if (r.is_zero()) throw not_normal("the logarithm of zero");
  if (r.is_constant() && sgn(r.constant()) < 0) throw not_normal("the logarithm of a negative number");
  const monomial e = generator_content(r.num());
  const mpq_class c = content(r.num());
  rational result = log_number(c);
  for (const factor& g : e) result = result + visit(g.atom->args[0]) * rational(g.exponent);
  const rational rest = rational(r.num() * inverse(e) * mpq_class(1 / c), r.den());
  if (rest == rational(1)) return result;
  return result + rational(polynomial(analyser::call("log", {to_term(rest, double_type)}, double_type)));
}

rational normaliser::root(const rational& r) {
  if (r.is_zero()) return r;
  if (r.is_constant() && sgn(r.constant()) < 0) throw not_normal("the root of a negative number");
  const mpq_class c = content(r.num());
  mpz_class square = 1, rest = c.get_num() * c.get_den();  // √(p/q) = √(pq)/q
  for (unsigned long k = 2; k < 200; ++k)
    while (mpz_divisible_ui_p(rest.get_mpz_t(), k * k)) rest /= k * k, square *= k;
  if (mpz_perfect_square_p(rest.get_mpz_t())) square *= sqrt(rest), rest = 1;
  monomial halves = generator_content(r.num());
  const rational inner = rational(r.num() * inverse(halves) * mpq_class(mpq_class(rest) / c), r.den());
  for (factor& p : halves) p.exponent /= 2;
  mpq_class outside(square, c.get_den());
  outside.canonicalize();
  const rational front = reduce(monomial_value(halves) * rational(outside));
  if (inner == rational(1)) return front;
  const auto n = square_root(inner.num()), d = square_root(inner.den());
  if (n && d) return multiply(front, absolute(rational(*n, *d)));
  return multiply(front, rational(polynomial(analyser::call("sqrt", {to_term(inner, double_type)}, double_type))));
}

rational normaliser::power_call(const rational& base, const rational& exponent, term t) {
  if (exponent.is_constant()) {
    const mpq_class e = exponent.constant();
    if (e.get_den() == 1 && abs(e.get_num()) <= 64) return power(base, e.get_num().get_si());
    if (e.get_den() == 2 && abs(e.get_num()) <= 64) return power(root(base), e.get_num().get_si());
  }
  if (base.is_constant() && sgn(base.constant()) > 0) return exponential(multiply(exponent, log_number(base.constant())));
  const bool positive_base =
      !exponent.is_constant() || (base.is_polynomial() && certain_sign(base) > 0);  // required where y varies: domain.cpp
  return positive_base ? exponential(multiply(exponent, logarithm(base))) : opaque(t);
}

rational normaliser::call(term t) {
  const std::string& f = t->name;
  const auto arg = [&](std::size_t i) { return visit(t->args[i]); };
  const std::size_t n = t->args.size();
  if (n == 1) {
    if (f == "exp") return exponential(arg(0));
    if (f == "exp2") return exponential(multiply(arg(0), log_number(2)));
    if (f == "exp10") return exponential(multiply(arg(0), log_number(10)));
    if (f == "expm1") return exponential(arg(0)) - rational(1);
    if (f == "log") return logarithm(arg(0));
    if (f == "log2") return divide(logarithm(arg(0)), log_number(2));
    if (f == "log10") return divide(logarithm(arg(0)), log_number(10));
    if (f == "log1p") return logarithm(arg(0) + rational(1));
    if (f == "sqrt") return root(arg(0));
    if (f == "fabs" || f == "abs") return absolute(arg(0));
    if (f == "floor" || f == "ceil" || f == "trunc" || f == "round" || f == "rint" || f == "nearbyint")
      if (const rational r = arg(0); is_integer_valued(r)) return r;
  } else if (n == 2) {
    if (f == "pow") return power_call(arg(0), arg(1), t);
    if (f == "fmax") return maximum({arg(0), arg(1)}, t->type);
    if (f == "fdim") return maximum({arg(0) - arg(1), rational(0)}, t->type);
    if (f == "hypot") return root(multiply(arg(0), arg(0)) + multiply(arg(1), arg(1)));
    if (f == "gcd" || f == "lcm") return as_set(t);
    if (f == "fmin") return negated(maximum({negated(arg(0)), negated(arg(1))}, t->type));
  } else if (n == 3 && f == "fma") {
    return multiply(arg(0), arg(1)) + arg(2);
  }
  return opaque(t);
}

// --- max-sets

namespace {
std::vector<term> members(term max_atom) {
  std::vector<term> r;
  while (max_atom->is(op::max)) {
    r.push_back(max_atom->args[0]);
    max_atom = max_atom->args[1];
  }
  r.push_back(max_atom);
  return r;
}
//! A max atom that r contains once, linearly, with a positive number as coefficient: c·max(S) + rest = max(c·s + rest).
std::optional<std::pair<term, mpq_class>> summand_max(const rational& r) {
  if (!r.is_polynomial()) return std::nullopt;
  for (const auto& [m, c] : r.num().terms()) {
    if (m.size() != 1 || !m[0].atom->is(op::max) || m[0].exponent != 1 || sgn(c) < 0) continue;
    const rational rest = r - rational(polynomial(m[0].atom)) * rational(c);
    if (!rest.contains(m[0].atom)) return std::pair{m[0].atom, c};
  }
  return std::nullopt;
}
//! Coefficient-wise minimum: what all sums share.
polynomial common_summand(const std::vector<polynomial>& ps) {
  polynomial::map least;
  std::map<monomial, std::size_t, monomial_less> seen;
  for (const auto& p : ps)
    for (const auto& [m, c] : p.terms()) {
      auto [it, fresh] = least.try_emplace(m, c);
      if (c < it->second) it->second = c;
      ++seen[m];
    }
  polynomial r;
  for (const auto& [m, c] : least)
    if (seen[m] == ps.size() || sgn(c) < 0) r.add_term(m, c);
  return r;
}
}  // namespace

rational normaliser::maximum(std::vector<rational> set, type t) {
  for (std::size_t i = 0; i < set.size(); ++i)  // flatten
    while (const auto inner = summand_max(set[i])) {
      const rational rest = set[i] - rational(polynomial(inner->first)) * rational(inner->second);
      const auto parts = members(inner->first);
      if (set.size() + parts.size() > max_set) break;
      set[i] = rest + visit(parts[0]) * rational(inner->second);
      for (std::size_t k = 1; k < parts.size(); ++k) set.push_back(rest + visit(parts[k]) * rational(inner->second));
    }
  std::vector<rational> kept;  // without those that another one exceeds for all values
  for (std::size_t i = 0; i < set.size(); ++i) {
    bool beaten = false;
    for (std::size_t j = 0; j < set.size() && !beaten; ++j) {
      if (i == j) continue;
      const rational d = set[j] - set[i];
      beaten = d.is_zero() ? j < i : certain_sign(d) > 0;
    }
    if (!beaten) kept.push_back(set[i]);
  }
  if (kept.size() == 1) return kept[0];
  if (kept.size() == 2 && (kept[0] + kept[1]).is_zero()) return absolute(kept[0]);

  polynomial den(mpq_class(1));
  for (const auto& r : kept)
    if (!exact_quotient(den, r.den())) den = den * r.den();
  std::vector<polynomial> nums;
  for (const auto& r : kept) nums.push_back(r.num() * *exact_quotient(den, r.den()));
  const polynomial shared = common_summand(nums);
  mpz_class up = 0, down = 1;
  polynomial everything;
  for (auto& p : nums) {
    p = p - shared;
    if (p.is_zero()) continue;
    const mpq_class c = content(p);
    up = gcd(up, c.get_num());
    down = lcm(down, c.get_den());
    for (const auto& [m, v] : p.terms()) everything.add_term(m, abs(v));
  }
  mpq_class scale(up, down);
  scale.canonicalize();
  const monomial generators = generator_content(everything), down_generators = inverse(generators);
  const type kind = t.kind == sort::real ? double_type : long_type;
  std::vector<term> elements;
  for (const auto& p : nums) elements.push_back(to_term(rational(p * mpq_class(1 / scale) * down_generators, den), kind));
  std::sort(elements.begin(), elements.end());
  term atom = elements.back();
  for (std::size_t i = elements.size() - 1; i-- > 0;) atom = max(elements[i], atom);
  const rational m = atom->is(op::max) ? rational(polynomial(atom)) : visit(atom);
  return rational(shared, den) + multiply(m, monomial_value(generators) * rational(scale));
}

rational normaliser::absolute(const rational& r) {
  if (r.is_zero()) return r;
  if (const int s = certain_sign(r)) return s > 0 ? r : negated(r);
  const mpq_class c = content(r.num());
  const monomial e = generator_content(r.num());
  const mpq_class s = sgn(leading(r.num())) < 0 ? mpq_class(-1) : mpq_class(1);
  const rational inner = rational(r.num() * inverse(e) * mpq_class(s / c), r.den());
  const term u = to_term(inner, is_integer_valued(inner) ? long_type : double_type);
  const term a = analyser::abs(u);
  return monomial_value(e) * rational(c) * (a->is(op::abs) ? rational(polynomial(a)) : visit(a));
}

// --- comparisons and logic

namespace {
//! d divided by what is certainly positive.
rational primitive(const rational& d) {
  return rational(d.num() * inverse(generator_content(d.num())) * mpq_class(1 / content(d.num())), d.den());
}
term key(const rational& d) { return to_term(d, is_integer_valued(d) ? long_type : double_type); }
}  // namespace

//! c·Π e^(…) − c'·Π e^(…), c, c' > 0, compares as log c + … − log c' − …: the exponential is strictly increasing.
std::optional<rational> normaliser::difference_of_exponents(const rational& d) {
  if (!d.is_polynomial() || d.num().terms().size() != 2) return std::nullopt;
  rational sides[2];
  int i = 0, sign = 1;
  for (const auto& [m, c] : d.num().terms()) {
    polynomial p;
    p.add_term(m, abs(c));
    if (certain_sign(rational(p)) <= 0) return std::nullopt;
    if (i == 0) sign = sgn(c);
    else if (sgn(c) == sign) return std::nullopt;
    sides[i++] = logarithm(rational(p));
  }
  return sign > 0 ? sides[0] - sides[1] : sides[1] - sides[0];
}

rational normaliser::zero(const rational& d) {
  if (d.is_zero()) return rational(1);
  if (const auto e = difference_of_exponents(d)) return zero(*e);
  if (certain_sign(d) != 0) return rational(0);
  rational p = primitive(d);
  if (sgn(leading(p.num())) < 0) p = negated(p);
  const term k = key(p);
  return rational(polynomial(analyser::equal(k, number(0, k->type))));
}

rational normaliser::positive(const rational& d, bool integer) {
  if (d.is_zero()) return rational(0);
  if (const int s = certain_sign(d)) return rational(s > 0 ? 1 : 0);
  if (const auto e = difference_of_exponents(d)) return positive(*e, false);
  const rational p = primitive(d);
  if (sgn(leading(p.num())) > 0) {
    const term k = key(p);
    return rational(polynomial(analyser::less(number(0, k->type), k)));
  }
  if (integer && is_integer_valued(p)) return rational(1) - positive(negated(p) + rational(1), true);  // d > 0  ⇔  ¬(1 − d > 0)
  return rational(1) - positive(negated(p), false) - zero(p);
}

rational normaliser::condition(term t) {
  const auto& a = t->args;
  switch (t->kind) {
    case op::number:
      return rational(t->value);
    case op::logical_not:
      return rational(1) - visit(a[0]);
    case op::logical_and:
      return multiply(visit(a[0]), visit(a[1]));
    case op::logical_or: {
      const rational x = visit(a[0]), y = visit(a[1]);
      return x + y - multiply(x, y);
    }
    case op::select: {
      const rational c = visit(a[0]), x = visit(a[1]), y = visit(a[2]);
      return y + multiply(c, x - y);
    }
    case op::less:
    case op::less_equal:
    case op::equal: {
      const type k = a[0]->type;
      const rational x = visit(a[0]), y = visit(a[1]);
      if (x == y) return rational(t->is(op::less) ? 0 : 1);
      if (k.kind == sort::boolean) {  // as 0 and 1
        const rational both = multiply(x, y);
        if (t->is(op::equal)) return rational(1) - x - y + both + both;
        return t->is(op::less) ? y - both : rational(1) - x + both;
      }
      if (k.is_modular()) {  // no law of order survives the wrap
        if (t->is(op::less) && a[1]->is(op::number) && always_below(a[0], a[1]->value.get_num())) return rational(1);
        if (t->is(op::less_equal)) return rational(1) - condition(analyser::less(a[1], a[0]));
        term u = to_term(x, k), v = to_term(y, k);
        if (t->is(op::equal) && v < u) std::swap(u, v);
        const term c = t->is(op::less) ? analyser::less(u, v) : analyser::equal(u, v);
        return c->is(op::number) ? rational(c->value) : rational(polynomial(c));
      }
      const bool integer = k.kind == sort::integer;
      if (t->is(op::equal)) return zero(reduce(x - y));
      if (t->is(op::less)) return positive(reduce(y - x), integer);
      return rational(1) - positive(reduce(x - y), integer);
    }
    case op::symbol:
      return rational(polynomial(t));
    default:
      return opaque(t);
  }
}

}  // namespace twofold::analyser
