// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Bounds of elementary functions by rational arithmetic: Taylor series with their remainders, outward rounding.
#include "refute/enclosure.hpp"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <sstream>

#include "ir/exact_domain.hpp"

namespace twofold::analyser {
namespace {

constexpr unsigned precision = 192;  // bits after the binary point

struct bounds {
  mpq_class low, high;
};

mpq_class rounded(const mpq_class& v, bool up) {
  mpz_class scaled = v.get_num();
  mpz_mul_2exp(scaled.get_mpz_t(), scaled.get_mpz_t(), precision);
  if (up) mpz_cdiv_q(scaled.get_mpz_t(), scaled.get_mpz_t(), v.get_den_mpz_t());
  else mpz_fdiv_q(scaled.get_mpz_t(), scaled.get_mpz_t(), v.get_den_mpz_t());
  mpq_class r(scaled);
  mpq_div_2exp(r.get_mpq_t(), r.get_mpq_t(), precision);
  return r;
}
bounds outward(const mpq_class& low, const mpq_class& high) { return {rounded(low, false), rounded(high, true)}; }

bounds plus(const bounds& a, const bounds& b) { return outward(a.low + b.low, a.high + b.high); }
bounds minus(const bounds& a) { return {-a.high, -a.low}; }
bounds times(const bounds& a, const bounds& b) {
  const mpq_class p[] = {a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high};
  return outward(*std::min_element(p, p + 4), *std::max_element(p, p + 4));
}
std::optional<bounds> over(const bounds& a, const bounds& b) {
  if (sgn(b.low) <= 0 && sgn(b.high) >= 0) return std::nullopt;
  return times(a, outward(1 / b.high, 1 / b.low));
}

//! e^q: Taylor at q/2^k in [-1/2, 1/2], then k squarings. The remainder after N terms is below 2·|r|^N/N!.
std::optional<bounds> exponential(const mpq_class& q) {
  if (::abs(q) > 500) return std::nullopt;
  unsigned halvings = 0;
  mpq_class r = q;
  while (::abs(r) > mpq_class(1, 2)) {
    r /= 2;
    ++halvings;
  }
  const bounds x = outward(r, r);
  bounds sum{1, 1}, term{1, 1};
  for (unsigned n = 1; n <= 48; ++n) {
    term = *over(times(term, x), {n, n});
    sum = plus(sum, term);
  }
  const mpq_class rest = mpq_class(1, mpz_class(1) << 190);  // 2·2^-49/49! < 2^-190
  sum = outward(sum.low - rest, sum.high + rest);
  for (unsigned k = 0; k < halvings; ++k) sum = times(sum, sum);
  return sum;
}

//! ln q for q > 0: a guess, improved by Halley's iteration, then certified by the exponential on both sides.
std::optional<bounds> logarithm(const mpq_class& q) {
  if (sgn(q) <= 0) return std::nullopt;
  long exponent = 0;
  const double mantissa = mpz_get_d_2exp(&exponent, q.get_num_mpz_t());
  long below = 0;
  const double mantissa2 = mpz_get_d_2exp(&below, q.get_den_mpz_t());
  mpq_class y(std::log(mantissa / mantissa2) + static_cast<double>(exponent - below) * std::log(2.0));
  for (int round = 0; round < 2; ++round) {
    const std::optional<bounds> e = exponential(y);
    if (!e) return std::nullopt;
    y = rounded(y + 2 * (q - e->low) / (q + e->low), false);
  }
  const mpq_class slack(1, mpz_class(1) << 120);
  const std::optional<bounds> under = exponential(y - slack), above = exponential(y + slack);
  if (!under || !above || under->high > q || above->low < q) return std::nullopt;
  return bounds{y - slack, y + slack};
}

std::optional<bounds> square_root(const mpq_class& q) {
  if (sgn(q) < 0) return std::nullopt;
  mpz_class scaled = q.get_num();
  mpz_mul_2exp(scaled.get_mpz_t(), scaled.get_mpz_t(), 2 * precision);
  mpz_fdiv_q(scaled.get_mpz_t(), scaled.get_mpz_t(), q.get_den_mpz_t());
  mpq_class low(sqrt(scaled)), high(mpz_class(sqrt(scaled) + 1));
  mpq_div_2exp(low.get_mpq_t(), low.get_mpq_t(), precision);
  mpq_div_2exp(high.get_mpq_t(), high.get_mpq_t(), precision);
  return bounds{low, high};
}

//! sin or cos of q, |q| ≤ 16, by its alternating series: the remainder is below the first term left out.
std::optional<bounds> circular(const mpq_class& q, bool cosine) {
  if (::abs(q) > 16) return std::nullopt;
  const bounds x = outward(q, q), square = times(x, x);
  bounds term = cosine ? bounds{1, 1} : x, sum = term;
  for (unsigned n = cosine ? 1 : 2; n < 130; n += 2) {
    term = minus(*over(times(term, square), {n * (n + 1), n * (n + 1)}));
    sum = plus(sum, term);
  }
  const mpq_class rest(1, mpz_class(1) << 180);  // 16^130/130! < 2^-180
  return outward(sum.low - rest, sum.high + rest);
}

using point_function = std::optional<bounds> (*)(const mpq_class&);
std::optional<bounds> hyperbolic_tangent(const mpq_class& q) {
  const std::optional<bounds> e = exponential(2 * q);
  if (!e) return std::nullopt;
  const std::optional<bounds> r = over({2, 2}, plus(*e, {1, 1}));
  return r ? std::optional(plus({1, 1}, minus(*r))) : std::nullopt;
}
std::optional<bounds> exponential_minus_one(const mpq_class& q) {
  const std::optional<bounds> e = exponential(q);
  return e ? std::optional(plus(*e, {-1, -1})) : std::nullopt;
}
std::optional<bounds> logarithm_of_one_plus(const mpq_class& q) { return logarithm(1 + q); }

//! An increasing function of an interval: its values at the ends.
std::optional<bounds> increasing(point_function f, const bounds& x) {
  const std::optional<bounds> low = f(x.low), high = x.low == x.high ? low : f(x.high);
  return low && high ? std::optional(bounds{low->low, high->high}) : std::nullopt;
}
std::optional<bounds> scaled_by_log2(const bounds& x, bool divide) {
  const std::optional<bounds> two = logarithm(2);
  if (!two) return std::nullopt;
  return divide ? over(x, *two) : std::optional(times(x, *two));
}

std::optional<bounds> call(function f, const std::vector<bounds>& x) {
  switch (f) {
    case function::exp:
      return increasing(exponential, x[0]);
    case function::expm1:
      return increasing(exponential_minus_one, x[0]);
    case function::log:
      return increasing(logarithm, x[0]);
    case function::log1p:
      return increasing(logarithm_of_one_plus, x[0]);
    case function::sqrt:
      return increasing(square_root, x[0]);
    case function::tanh:
      return increasing(hyperbolic_tangent, x[0]);
    case function::exp2:
      if (const auto y = scaled_by_log2(x[0], false)) return increasing(exponential, *y);
      return std::nullopt;
    case function::log2:
      if (const auto y = increasing(logarithm, x[0])) return scaled_by_log2(*y, true);
      return std::nullopt;
    case function::sin:
    case function::cos: {
      // both have slope at most 1
      const mpq_class middle = (x[0].low + x[0].high) / 2, radius = (x[0].high - x[0].low) / 2;
      const std::optional<bounds> y = circular(middle, f == function::cos);
      return y ? std::optional(outward(y->low - radius, y->high + radius)) : std::nullopt;
    }
    case function::pow: {
      if (sgn(x[0].low) <= 0) return std::nullopt;
      const std::optional<bounds> l = increasing(logarithm, x[0]);
      return l ? increasing(exponential, times(*l, x[1])) : std::nullopt;
    }
    case function::fma:
      return plus(times(x[0], x[1]), x[2]);
    case function::fmin:
      return bounds{std::min(x[0].low, x[1].low), std::min(x[0].high, x[1].high)};
    case function::fmax:
      return bounds{std::max(x[0].low, x[1].low), std::max(x[0].high, x[1].high)};
    case function::abs:
      if (sgn(x[0].low) >= 0) return x[0];
      if (sgn(x[0].high) <= 0) return minus(x[0]);
      return bounds{0, std::max(mpq_class(-x[0].low), x[0].high)};
    default:
      return std::nullopt;
  }
}

// --- the domain
struct enclosure_slot {
  enclosure v;
  bool defined = false;
};

bool is_finite(const exact& e) { return e.kind == exact::kind::finite; }
bounds bounds_of(const enclosure& e) { return e.thick ? bounds{e.low, e.high} : bounds{e.v.value, e.v.value}; }
void put(enclosure_slot& out, const bounds& b) {
  out.v.thick = true;
  out.v.low = b.low;
  out.v.high = b.high;
  out.defined = true;
}
void put(enclosure_slot& out, const enclosure& e) {
  out.v = e;
  out.defined = true;
}
void put(enclosure_slot& out, const mpq_class& v) {
  exact e;
  e.value = v;
  put(out, enclosure(e));
}

struct enclosure_domain {
  using value = enclosure;
  using slot = enclosure_slot;

  void constant(const node& n, slot& out) const {
    exact_slot s;
    exact_.constant(n, s);
    put(out, enclosure(s.v));
  }
  void assign(slot& out, const enclosure& v, type) const { put(out, v); }
  void undefine(slot& out, const char*) const { out.defined = false; }
  std::optional<std::int64_t> index(const slot& s) const {
    if (!s.defined || s.v.thick) return std::nullopt;
    return exact_.index({s.v.v, true});
  }
  void set_index(slot& out, std::int64_t i) const { put(out, mpq_class(static_cast<long>(i))); }

  void apply(const node& n, function f, std::span<const slot* const> args, slot& out) const {
    out.defined = false;
    if (n.is(op::select)) return choose(args, out);
    const bool lazy = n.is(op::logical_and) || n.is(op::logical_or);
    const bool thick = std::any_of(args.begin(), args.end(), [](const slot* a) { return a->defined && a->v.thick; });
    if (!thick) {
      std::vector<exact_slot> plain;
      std::vector<const exact_slot*> pointers;
      for (const slot* a : args) plain.push_back({a->v.v, a->defined});
      for (const exact_slot& p : plain) pointers.push_back(&p);
      exact_slot result;
      exact_.apply(n, f, pointers, result);
      if (result.defined) return put(out, enclosure(result.v));
      if (lazy || !n.is(op::call)) return;
    }
    for (const slot* a : args)
      if (!a->defined || (!a->v.thick && !is_finite(a->v.v) && !n.is(op::min) && !n.is(op::max) && !n.is(op::less) &&
                          !n.is(op::less_equal) && !n.is(op::equal)))
        return;
    n.is(op::call) ? bounded_call(n, f, args, out) : bounded(n, args, out);
  }

 private:
  static void choose(std::span<const slot* const> args, slot& out) {
    if (!args[0]->defined || args[0]->v.thick) return;
    const slot& taken = *args[args[0]->v.v.value != 0 ? 1 : 2];
    if (taken.defined) put(out, taken.v);
  }
  static void bounded_call(const node& n, function f, std::span<const slot* const> args, slot& out) {
    std::vector<bounds> x;
    for (const slot* a : args) x.push_back(bounds_of(a->v));
    const bool rounding =
        f == function::floor || f == function::ceil || f == function::trunc || f == function::round || f == function::nearbyint;
    if (rounding) return;  // a thick value beside a jump: nothing is claimed
    if (n.type.kind != sort::real) return;
    if (const std::optional<bounds> r = call(f, x)) put(out, *r);
  }
  //! -1, 0, 1 where the order of a and b is certain.
  static std::optional<int> order(const enclosure& a, const enclosure& b) {
    const auto infinite = [](const enclosure& e) {
      return e.thick || is_finite(e.v) ? 0 : e.v.kind == exact::kind::infinity ? 1 : e.v.kind == exact::kind::minus_infinity ? -1 : 2;
    };
    const int i = infinite(a), j = infinite(b);
    if (i == 2 || j == 2) return std::nullopt;
    if (i != 0 || j != 0) return i < j ? -1 : i > j ? 1 : 0;
    const bounds x = bounds_of(a), y = bounds_of(b);
    if (x.high < y.low) return -1;
    if (y.high < x.low) return 1;
    return std::nullopt;
  }
  static void bounded(const node& n, std::span<const slot* const> args, slot& out) {
    const enclosure &a = args[0]->v, &b = args[args.size() - 1]->v;
    switch (n.kind) {
      case op::add:
        return put(out, plus(bounds_of(a), bounds_of(b)));
      case op::mul:
        return put(out, times(bounds_of(a), bounds_of(b)));
      case op::neg:
        return put(out, minus(bounds_of(a)));
      case op::div:
        if (const std::optional<bounds> q = over(bounds_of(a), bounds_of(b))) put(out, *q);
        return;
      case op::abs:
        return put(out, *call(function::abs, {bounds_of(a)}));
      case op::cast:
        if (n.type.kind == sort::real) put(out, a);
        return;
      case op::min:
      case op::max:
      case op::less:
      case op::less_equal:
      case op::equal:
        break;
      default:
        return;
    }
    const std::optional<int> o = order(a, b);
    if (n.is(op::less)) return o ? put(out, mpq_class(*o < 0 ? 1 : 0)) : void();
    if (n.is(op::less_equal)) return o ? put(out, mpq_class(*o <= 0 ? 1 : 0)) : void();
    if (n.is(op::equal)) return o && *o != 0 ? put(out, mpq_class(0)) : void();
    if (o) return put(out, (*o < 0) == n.is(op::max) ? b : a);
    if (const std::optional<bounds> r = call(n.is(op::max) ? function::fmax : function::fmin, {bounds_of(a), bounds_of(b)})) put(out, *r);
  }

  exact_domain exact_;
};

}  // namespace

bool apart(const enclosure& a, const enclosure& b) {
  if (!a.thick && !b.thick) return !(a.v == b.v);
  if ((!a.thick && !is_finite(a.v)) || (!b.thick && !is_finite(b.v))) return true;  // a thick value is finite
  const bounds x = bounds_of(a), y = bounds_of(b);
  return x.high < y.low || y.high < x.low;
}
std::string to_text(const enclosure& e) {
  if (!e.thick) return to_text(e.v);
  std::ostringstream out;
  out << std::setprecision(9) << mpq_class((e.low + e.high) / 2).get_d() << "…";
  return out.str();
}

struct enclosure_program::implementation : program<enclosure_domain> {
  using program::program;
};
enclosure_program::enclosure_program(std::vector<term> roots, bool) : p_(std::make_unique<implementation>(roots, enclosure_domain{})) {}
enclosure_program::~enclosure_program() = default;
enclosure_program::enclosure_program(enclosure_program&&) noexcept = default;
enclosure_program& enclosure_program::operator=(enclosure_program&&) noexcept = default;
const std::vector<term>& enclosure_program::inputs() const { return p_->inputs(); }
const std::vector<term>& enclosure_program::arrays() const { return p_->arrays(); }
std::size_t enclosure_program::slot(term symbol) const { return p_->find(symbol); }
void enclosure_program::set(std::size_t slot, const enclosure& v) { p_->set(slot, v); }
void enclosure_program::set_array(term array, std::span<const enclosure> entries, std::vector<std::size_t> shape) {
  p_->set_array(array, entries, std::move(shape));
}
void enclosure_program::run() { p_->run(); }
const enclosure* enclosure_program::value(std::size_t root) const {
  const enclosure_slot& s = p_->result(root);
  return s.defined ? &s.v : nullptr;
}

}  // namespace twofold::analyser
