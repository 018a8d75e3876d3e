// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The normaliser: walks a term and computes in ℚ(atoms), or in ℤ/2^w for unsigned terms.
#include <set>

#include "prove/atoms.hpp"

namespace twofold::analyser {
namespace {

rational wrapped(const rational& r, type t) {
  mpz_class modulus = 1, c;
  modulus <<= t.bits;
  polynomial p;
  for (const auto& [m, v] : r.num().terms()) {
    mpz_fdiv_r(c.get_mpz_t(), v.get_num_mpz_t(), modulus.get_mpz_t());
    p.add_term(m, mpq_class(c));
  }
  return rational(std::move(p));
}

const rational one{mpq_class(1)};

}  // namespace

time_point deadline_in(double seconds) {
  return std::chrono::steady_clock::now() +
         std::chrono::duration_cast<std::chrono::steady_clock::duration>(std::chrono::duration<double>(seconds));
}

rational normaliser::operator()(term t) { return visit(t); }
bool normaliser::equal(term a, term b) {
  if (a == b) return true;
  const rational d = visit(a) - visit(b);
  return a->type.is_modular() ? wrapped(d, a->type).is_zero() : reduce(d).is_zero();
}

rational normaliser::visit(term t) {
  if (const auto it = done_.find(t->id); it != done_.end()) return it->second;
  if (std::chrono::steady_clock::now() > deadline_) throw limit_error("time");
  if (t->is(op::infinity) || t->is(op::minus_infinity) || t->is(op::nan)) throw not_normal("an infinity or NaN");
  rational r = t->type.kind == sort::boolean ? condition(t) : t->type.is_modular() ? wrapped(modular(t), t->type) : arithmetic(t);
  done_.emplace(t->id, r);
  return r;
}

rational normaliser::arithmetic(term t) {
  const auto& a = t->args;
  switch (t->kind) {
    case op::number:
      return rational(t->value);
    case op::symbol:
      return rational(polynomial(t));
    case op::add:
      return visit(a[0]) + visit(a[1]);
    case op::mul:
      return multiply(visit(a[0]), visit(a[1]));
    case op::neg:
      return rational(0) - visit(a[0]);
    case op::div:
      return divide(visit(a[0]), visit(a[1]));
    case op::max:
      return maximum({visit(a[0]), visit(a[1])}, t->type);
    case op::min:
      return rational(0) - maximum({rational(0) - visit(a[0]), rational(0) - visit(a[1])}, t->type);
    case op::abs:
      return absolute(visit(a[0]));
    case op::select:
      return choice(visit(a[0]), visit(a[1]), visit(a[2]), t->type);
    case op::shift_left:
      if (a[1]->is(op::number) && a[1]->value >= 0 && a[1]->value < 64)
        return visit(a[0]) * rational(mpq_class(mpz_class(1) << a[1]->value.get_num().get_ui()));
      return opaque(t);
    case op::remainder:
      return remainder(t);
    case op::cast:
      return conversion(t);
    case op::call:
      return call(t);
    case op::bit_and:
    case op::bit_or:
    case op::bit_xor:
      return as_set(t);
    default:
      return opaque(t);
  }
}

//! select(c, x, y). Where c compares x with y this is their maximum or minimum (on a tie both are right).
rational normaliser::choice(const rational& c, const rational& x, const rational& y, type t) {
  if (x == y) return x;
  const bool integer = t.kind == sort::integer;
  const rational d = reduce(x - y), above = positive(d, integer), below = positive(rational(0) - d, integer);
  if (!above.is_constant() && !below.is_constant()) {
    if (c == above || c == one - below) return maximum({x, y}, t);
    if (c == below || c == one - above) return rational(0) - maximum({rational(0) - x, rational(0) - y}, t);
  }
  return y + multiply(c, x - y);
}

//! In ℤ/2^w: only laws of the ring; order, division and bits are opaque, except that bit sets are sets.
rational normaliser::modular(term t) {
  const auto& a = t->args;
  switch (t->kind) {
    case op::number:
      return rational(t->value);
    case op::symbol:
      return rational(polynomial(t));
    case op::add:
      return visit(a[0]) + visit(a[1]);
    case op::mul:
      return reduce(visit(a[0]) * visit(a[1]));
    case op::neg:
      return rational(0) - visit(a[0]);
    case op::select: {
      const rational c = visit(a[0]), x = visit(a[1]), y = visit(a[2]);
      return x == y ? x : y + reduce(c * (x - y));
    }
    case op::shift_left:
      if (a[1]->is(op::number) && a[1]->value >= 0 && a[1]->value < t->type.bits)
        return visit(a[0]) * rational(mpq_class(mpz_class(1) << a[1]->value.get_num().get_ui()));
      return opaque(t);
    case op::remainder:
      return remainder(t);
    case op::cast:
      // ℤ → ℤ/2^w and ℤ/2^v → ℤ/2^w for w ≤ v are homomorphisms of rings; a wider target is not
      if (a[0]->type.kind == sort::boolean) return visit(a[0]);
      if (a[0]->type.kind == sort::integer && (a[0]->type.is_signed || a[0]->type.bits >= t->type.bits)) return visit(a[0]);
      return opaque(t);
    case op::max:
    case op::min:
    case op::bit_and:
    case op::bit_or:
    case op::bit_xor:
      return as_set(t);
    case op::call:
      return t->name == "gcd" || t->name == "lcm" ? as_set(t) : opaque(t);
    default:
      return opaque(t);
  }
}

//! Operations that are associative and commutative, over the set (for xor: the odd ones) of what they join.
rational normaliser::as_set(term t) {
  const auto same = [&](term u) { return u->kind == t->kind && u->type == t->type && u->name == t->name && u->args.size() == 2; };
  const bool cancels = t->is(op::bit_xor);
  std::set<term> set;
  const std::function<void(term)> gather = [&](term u) {
    if (same(u)) return gather(u->args[0]), gather(u->args[1]);
    const term v = to_term(visit(u), t->type);
    if (same(v)) gather(v->args[0]), gather(v->args[1]);
    else if (!set.insert(v).second && cancels) set.erase(v);
  };
  gather(t);
  if (t->is(op::call)) {  // gcd(x, 0) = gcd(x, x) = lcm(x, 1) = |x|
    set.erase(number(t->name == "gcd" ? 0 : 1, t->type));
    if (set.size() <= 1) return visit(set.empty() ? number(t->name == "gcd" ? 0 : 1, t->type) : analyser::abs(*set.begin()));
  }
  if (set.empty()) return rational(0);
  term r;
  for (auto it = set.rbegin(); it != set.rend(); ++it)
    r = !r ? *it : t->is(op::call) ? analyser::call(t->name, {*it, r}, t->type) : make(t->kind, {*it, r}, t->type);
  return same(r) ? rational(polynomial(r)) : visit(r);
}

rational normaliser::conversion(term t) {
  const term a = t->args[0];
  const type from = a->type;
  if (from.kind == sort::boolean) return visit(a);
  if (t->type.kind == sort::real) return from.is_modular() ? opaque(t) : visit(a);  // ℤ and ℝ into ℝ; unsigned: by its representative
  if (from.kind == sort::real) {
    const rational r = visit(a);
    return is_integer_valued(r) ? r : opaque(t);
  }
  if (from.is_modular()) return opaque(t);
  return t->type.bits >= from.bits ? visit(a) : opaque(t);  // narrowing to a signed type wraps
}

rational normaliser::opaque(term t) {
  std::vector<term> args;
  bool numbers = true;
  for (std::size_t i = 0; i < t->args.size(); ++i) {
    const term a = t->args[i];
    args.push_back(t->is(op::read) && i == 0 ? a : to_term(visit(a), a->type));
    // a sum is written in the type of its first summand: what is cut off must be cut off from its own type, or the cast would be gone
    if (t->is(op::cast) && a->type.kind == sort::integer) args.back() = analyser::cast(args.back(), a->type);
    numbers &= args.back()->is(op::number);
  }
  if (t->args.empty()) return rational(polynomial(t));
  const term r = t->is(op::call)         ? analyser::call(t->name, std::move(args), t->type.kind == sort::real ? double_type : t->type)
                 : t->is(op::inner_fold) ? inner_fold(t->name, args[0], args[1], args[2])
                                         : make(t->kind, std::move(args), t->type);
  if (r->is(op::number)) return rational(r->value);
  if (r != t && r->kind != t->kind) return visit(r);  // folding made it something simpler
  return rational(polynomial(r));
}

rational normaliser::divide(const rational& a, const rational& b) {
  if (b.is_zero()) throw not_normal("a denominator is identically zero");
  if (a.is_zero()) return a;
  // an indicator must not be cancelled: where it is 0 the quotient is not even looked at
  if (first_indicator(b.num())) {
    const term q = analyser::div(number(1), to_term(b, double_type));
    return multiply(a, rational(polynomial(q)));
  }
  return reduce(a / b);
}

rational normaliser::power(const rational& a, long n) {
  if (n < 0) return divide(one, power(a, -n));
  if (a.is_constant() && n > 1) {
    const mpq_class c = a.constant();
    const double bits = static_cast<double>(mpz_sizeinbase(c.get_num_mpz_t(), 2) + mpz_sizeinbase(c.get_den_mpz_t(), 2));
    if (bits * static_cast<double>(n) > 20'000) throw limit_error("a power of more than 20000 bits");
  }
  rational r = one;
  if (n > 4096) throw limit_error("a power above 4096");
  for (long bit = 1L << 12; bit > 0; bit >>= 1) {
    if (!(r == one)) r = multiply(r, r);
    if (n & bit) r = multiply(r, a);
  }
  return r;
}

// --- laws on powers of atoms

namespace {
bool is_unary(term a, const char* name) { return a->is(op::call) && a->name == name; }
//! exp(log t): its integer powers are powers of t.
term radicand(term a) { return is_generator(a) && is_unary(a->args[0], "log") ? a->args[0]->args[0] : term(); }
bool reducible(const factor& f) {
  if (f.atom->type.kind == sort::boolean) return f.exponent != 1;
  if (f.atom->is(op::abs) || is_unary(f.atom, "sqrt")) return f.exponent >= 2;
  return radicand(f.atom) && (sgn(f.exponent) < 0 || f.exponent >= 1);
}
//! [d > 0]·[d = 0] = 0
bool contradictory(const monomial& m) {
  for (const factor& f : m)
    if (f.atom->is(op::less) && is_number(f.atom->args[0], 0))
      for (const factor& g : m)
        if (g.atom->is(op::equal) && g.atom->args[0] == f.atom->args[1] && is_number(g.atom->args[1], 0)) return true;
  return false;
}
bool reducible(const polynomial& p) {
  for (const auto& [m, c] : p.terms()) {
    if (contradictory(m)) return true;
    for (const factor& f : m)
      if (reducible(f)) return true;
  }
  return false;
}
}  // namespace

namespace {
long small(const mpz_class& n) {
  if (!n.fits_slong_p()) throw limit_error("an exponent too large");
  return n.get_si();
}
}  // namespace

rational normaliser::reduced_monomial(const monomial& m, const mpq_class& c) {
  if (contradictory(m)) return rational(0);
  monomial kept;
  rational r(c);
  for (const factor& f : m) {
    if (!reducible(f)) kept.push_back(f);
    else if (f.atom->type.kind == sort::boolean) kept.push_back({f.atom, 1});
    else if (const term t = radicand(f.atom)) {
      mpz_class whole;
      mpz_fdiv_q(whole.get_mpz_t(), f.exponent.get_num_mpz_t(), f.exponent.get_den_mpz_t());
      r = multiply(r, power(visit(t), small(whole)));
      if (const mpq_class rest = f.exponent - whole; sgn(rest) != 0) kept.push_back({f.atom, rest});
    } else {
      const mpz_class half = f.exponent.get_num() / 2;
      const rational inner = visit(f.atom->args[0]);
      r = multiply(r, power(f.atom->is(op::abs) ? multiply(inner, inner) : inner, small(half)));
      if (mpz_odd_p(f.exponent.get_num_mpz_t())) kept.push_back({f.atom, 1});
    }
  }
  polynomial p;
  p.add_term(kept, 1);
  return r * rational(std::move(p));
}

rational normaliser::reduce(const polynomial& p) {
  if (!reducible(p)) return rational(p);
  rational r(0);
  for (const auto& [m, c] : p.terms()) r = r + reduced_monomial(m, c);
  return reduce(r);
}
rational normaliser::reduce(const rational& r) {
  const bool n = reducible(r.num()), d = reducible(r.den());
  if (!n && !d) return r;
  const rational num = reduce(r.num());
  if (r.is_polynomial()) return num;
  const rational den = reduce(r.den());
  if (den.is_zero()) throw not_normal("a denominator is identically zero");
  return reduce(num / den);
}

// --- public helpers

std::optional<rational> normalise(term t, double seconds) {
  try {
    return normaliser(deadline_in(seconds))(t);
  } catch (const not_normal&) {
  } catch (const limit_error&) {
  } catch (const std::domain_error&) {
  }
  return std::nullopt;
}
std::optional<term> simplify(term t, double seconds) {
  const auto r = normalise(t, seconds);
  if (!r) return std::nullopt;
  try {
    const term u = to_term(*r, t->type);
    return t->type.kind == sort::real ? retype(u, t->type) : u;
  } catch (const limit_error&) {
    return std::nullopt;
  }
}
std::optional<std::vector<std::pair<mpq_class, monomial>>> expand(term t, double seconds) {
  const auto r = normalise(t, seconds);
  if (!r || r->den().terms().size() != 1) return std::nullopt;
  const auto& [m, c] = *r->den().terms().begin();
  std::vector<std::pair<mpq_class, monomial>> out;
  const monomial down = inverse(m);
  for (const auto& [n, d] : r->num().terms()) out.emplace_back(d / c, n * down);
  return out;
}
std::optional<std::pair<term, term>> numerator_denominator(term t, double seconds) {
  const auto r = normalise(t, seconds);
  if (!r) return std::nullopt;
  try {
    return std::pair{to_term(r->num(), t->type), to_term(r->den(), t->type)};
  } catch (const limit_error&) {
    return std::nullopt;
  }
}

bool depends_on(const rational& r, term x) {
  for (const polynomial* p : {&r.num(), &r.den()})
    for (const auto& [m, c] : p->terms())
      for (const factor& f : m)
        if (contains(f.atom, [&](const node& n) { return term(&n) == x; })) return true;
  return false;
}
namespace {
//! x occurs in p only as a factor of its own, if at all.
bool is_polynomial_in(const polynomial& p, term x) {
  for (const auto& [m, c] : p.terms())
    for (const factor& f : m)
      if (f.atom != x && contains(f.atom, [&](const node& n) { return term(&n) == x; })) return false;
  return true;
}
}  // namespace
std::optional<rational> coefficient(const rational& r, term x, long n) {
  if (!is_polynomial_in(r.num(), x) || depends_on(rational(r.den()), x)) return std::nullopt;
  polynomial p;
  for (const auto& [m, c] : r.num().terms()) {
    monomial rest;
    mpq_class e = 0;
    for (const factor& f : m)
      if (f.atom == x) e = f.exponent;
      else rest.push_back(f);
    if (e == n) p.add_term(rest, c);
  }
  return rational(std::move(p), r.den());
}
long degree(const rational& r, term x) {
  if (!is_polynomial_in(r.num(), x) || depends_on(rational(r.den()), x)) return -1;
  mpq_class most = 0;
  for (const auto& [m, c] : r.num().terms())
    for (const factor& f : m)
      if (f.atom == x && f.exponent > most) most = f.exponent;
  return most.get_num().get_si();
}

bool is_integer_valued(const rational& r) {
  if (!r.is_polynomial()) return false;
  for (const auto& [m, c] : r.num().terms()) {
    if (c.get_den() != 1) return false;
    for (const factor& f : m) {
      const term a = f.atom;
      const bool rounded = a->is(op::call) && (a->name == "floor" || a->name == "ceil" || a->name == "trunc" || a->name == "round" ||
                                               a->name == "rint" || a->name == "nearbyint");
      if (a->type.kind == sort::real && !rounded && !(a->is(op::cast) && a->args[0]->type.kind == sort::integer)) return false;
    }
  }
  return true;
}

int certain_sign(const rational& r) {
  const auto sign = [](const polynomial& p) {
    int s = 0;
    for (const auto& [m, c] : p.terms()) {
      for (const factor& f : m)
        if (!is_generator(f.atom)) return 0;  // an even power may vanish
      if (s != 0 && s != sgn(c)) return 0;
      s = sgn(c);
    }
    return s;
  };
  return sign(r.num()) * sign(r.den());
}

}  // namespace twofold::analyser
