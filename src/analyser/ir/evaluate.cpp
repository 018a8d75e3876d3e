// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The exact interpreter: rationals in place, integers modulo 2^w where unsigned, and the three special values.
#include "ir/evaluate.hpp"

#include <utility>

#include "ir/deadline.hpp"
#include "ir/exact_domain.hpp"

namespace twofold::analyser {
namespace {

constexpr std::size_t max_limbs = 128;  // 8192 bits: beyond it a value is of no use as a witness

using kind_of = enum exact::kind;
bool finite(const exact& a) { return a.kind == kind_of::finite; }
bool not_a_number(const exact& a) { return a.kind == kind_of::nan; }
int sign_of(const exact& a) { return a.kind == kind_of::infinity ? 1 : a.kind == kind_of::minus_infinity ? -1 : sgn(a.value); }
bool is_integer(const exact& a) { return finite(a) && a.value.get_den() == 1; }
bool truth(const exact& a) { return not_a_number(a) || sign_of(a) != 0; }

//! Whole numbers go without the greatest common divisors that fractions need: most values are whole.
bool is_whole(const mpq_class& v) { return mpz_cmp_ui(v.get_den_mpz_t(), 1) == 0; }

//! a < b as IEEE has it: false where one is a NaN.
bool is_less(const exact& a, const exact& b) {
  if (finite(a) && finite(b)) {
    if (is_whole(a.value) && is_whole(b.value)) return mpz_cmp(a.value.get_num_mpz_t(), b.value.get_num_mpz_t()) < 0;
    return a.value < b.value;
  }
  if (not_a_number(a) || not_a_number(b)) return false;
  if (a.kind == b.kind) return false;
  return a.kind == kind_of::minus_infinity || b.kind == kind_of::infinity;
}
bool is_equal(const exact& a, const exact& b) { return !not_a_number(a) && a == b; }

void put(exact_slot& out, const mpq_class& v) {
  out.v.kind = kind_of::finite;
  out.v.value = v;
  out.defined = true;
}
void put(exact_slot& out, bool v) {
  out.v.kind = kind_of::finite;
  mpz_set_ui(out.v.value.get_num_mpz_t(), v ? 1 : 0);
  mpz_set_ui(out.v.value.get_den_mpz_t(), 1);
  out.defined = true;
}
void put(exact_slot& out, kind_of special) {
  out.v.kind = special;
  out.defined = true;
}
void put(exact_slot& out, const exact& v) {
  out.v.kind = v.kind;
  if (is_whole(v.value)) {
    mpz_set(out.v.value.get_num_mpz_t(), v.value.get_num_mpz_t());
    mpz_set_ui(out.v.value.get_den_mpz_t(), 1);
  } else {
    out.v.value = v.value;
  }
  out.defined = true;
}
void put_infinity(exact_slot& out, int sign) { put(out, sign > 0 ? kind_of::infinity : kind_of::minus_infinity); }

//! Into the range of an unsigned type; refuses values of absurd size.
void finish(exact_slot& out, type t) {
  if (!finite(out.v)) return;
  mpq_class& v = out.v.value;
  if (t.is_modular()) mpz_fdiv_r_2exp(v.get_num_mpz_t(), v.get_num_mpz_t(), t.bits);
  if (mpz_size(v.get_num_mpz_t()) + mpz_size(v.get_den_mpz_t()) > max_limbs) out.defined = false;
}

// --- arithmetic
void plus(exact_slot& out, const exact& a, const exact& b) {
  if (finite(a) && finite(b)) {
    if (is_whole(a.value) && is_whole(b.value)) {
      mpz_add(out.v.value.get_num_mpz_t(), a.value.get_num_mpz_t(), b.value.get_num_mpz_t());
      mpz_set_ui(out.v.value.get_den_mpz_t(), 1);
    } else {
      mpq_add(out.v.value.get_mpq_t(), a.value.get_mpq_t(), b.value.get_mpq_t());
    }
    return put(out, kind_of::finite);
  }
  if (not_a_number(a) || not_a_number(b) || (!finite(a) && !finite(b) && a.kind != b.kind)) return put(out, kind_of::nan);
  put(out, finite(a) ? b.kind : a.kind);
}
void multiply(exact_slot& out, const exact& a, const exact& b) {
  if (finite(a) && finite(b)) {
    if (is_whole(a.value) && is_whole(b.value)) {
      mpz_mul(out.v.value.get_num_mpz_t(), a.value.get_num_mpz_t(), b.value.get_num_mpz_t());
      mpz_set_ui(out.v.value.get_den_mpz_t(), 1);
    } else {
      mpq_mul(out.v.value.get_mpq_t(), a.value.get_mpq_t(), b.value.get_mpq_t());
    }
    return put(out, kind_of::finite);
  }
  const int s = sign_of(a) * sign_of(b);
  if (not_a_number(a) || not_a_number(b) || s == 0) return put(out, kind_of::nan);
  put_infinity(out, s);
}
void divide(exact_slot& out, const exact& a, const exact& b) {
  if (not_a_number(a) || not_a_number(b)) return put(out, kind_of::nan);
  if (finite(b) && sgn(b.value) == 0) return;  // IEEE asks for the sign of the zero, which mathematics does not have
  if (finite(a) && finite(b)) {
    mpq_div(out.v.value.get_mpq_t(), a.value.get_mpq_t(), b.value.get_mpq_t());
    return put(out, kind_of::finite);
  }
  if (finite(a)) return put(out, mpq_class(0));
  if (!finite(b)) return put(out, kind_of::nan);
  put_infinity(out, sign_of(a) * sgn(b.value));
}
void negate(exact_slot& out, const exact& a) {
  if (finite(a)) mpq_neg(out.v.value.get_mpq_t(), a.value.get_mpq_t());
  put(out, finite(a) || not_a_number(a) ? a.kind : a.kind == kind_of::infinity ? kind_of::minus_infinity : kind_of::infinity);
}
void absolute(exact_slot& out, const exact& a) {
  if (finite(a)) mpq_abs(out.v.value.get_mpq_t(), a.value.get_mpq_t());
  put(out, finite(a) || not_a_number(a) ? a.kind : kind_of::infinity);
}

void integer_operation(exact_slot& out, op k, const exact& a, const exact& b, type t) {
  if (!is_integer(a) || !is_integer(b)) return;
  const mpz_class &x = a.value.get_num(), &y = b.value.get_num();
  mpz_class r;
  const bool shift = k == op::shift_left || k == op::shift_right;
  if (shift && (y < 0 || y >= t.bits)) return;
  if ((k == op::quotient || k == op::remainder) && y == 0) return;
  switch (k) {
    case op::quotient:
      mpz_tdiv_q(r.get_mpz_t(), x.get_mpz_t(), y.get_mpz_t());
      break;
    case op::remainder:
      mpz_tdiv_r(r.get_mpz_t(), x.get_mpz_t(), y.get_mpz_t());
      break;
    case op::shift_left:
      r = x << y.get_ui();
      break;
    case op::shift_right:
      mpz_fdiv_q_2exp(r.get_mpz_t(), x.get_mpz_t(), y.get_ui());
      break;
    case op::bit_and:
      r = x & y;
      break;
    case op::bit_or:
      r = x | y;
      break;
    default:
      r = x ^ y;
      break;
  }
  put(out, mpq_class(r));
}

void convert_to(exact_slot& out, const exact& a, type from, type to) {
  if (to.kind == sort::boolean) return put(out, truth(a));
  if (to.kind == sort::real) return put(out, a);
  if (!finite(a)) return;
  mpz_class r;
  mpz_tdiv_q(r.get_mpz_t(), a.value.get_num_mpz_t(), a.value.get_den_mpz_t());
  mpz_class low = 0, high = 1;
  high <<= to.is_signed ? to.bits - 1 : to.bits;
  if (to.is_signed) low = -high;
  if (r < low || r >= high) {
    if (from.kind == sort::real) return;  // undefined in C++
    mpz_fdiv_r_2exp(r.get_mpz_t(), r.get_mpz_t(), to.bits);
    if (to.is_signed && r >= high) r -= 2 * high;
  }
  put(out, mpq_class(r));
}

// --- functions
mpz_class round_down(const mpq_class& v) {
  mpz_class r;
  mpz_fdiv_q(r.get_mpz_t(), v.get_num_mpz_t(), v.get_den_mpz_t());
  return r;
}
mpz_class rounded(function f, const mpq_class& v) {
  const mpq_class half(1, 2);
  switch (f) {
    case function::floor:
      return round_down(v);
    case function::ceil:
      return -round_down(-v);
    case function::trunc:
      return sgn(v) < 0 ? mpz_class(-round_down(-v)) : round_down(v);
    case function::round:
      return sgn(v) < 0 ? mpz_class(-round_down(half - v)) : round_down(v + half);
    default:
      break;  // nearbyint: to nearest, ties to even
  }
  mpz_class low = round_down(v);
  const mpq_class rest = v - low;
  if (rest > half || (rest == half && mpz_odd_p(low.get_mpz_t()))) low += 1;
  return low;
}

bool square_root(mpq_class& out, const mpq_class& v) {
  if (sgn(v) < 0 || !mpz_perfect_square_p(v.get_num_mpz_t()) || !mpz_perfect_square_p(v.get_den_mpz_t())) return false;
  out = mpq_class(sqrt(v.get_num()), sqrt(v.get_den()));
  return true;
}
bool cube_root(mpq_class& out, const mpq_class& v) {
  mpz_class n, d;
  if (!mpz_root(n.get_mpz_t(), v.get_num_mpz_t(), 3) || !mpz_root(d.get_mpz_t(), v.get_den_mpz_t(), 3)) return false;
  out = mpq_class(n, d);
  return true;
}
//! base^k for a small integer k; false where it is undefined or too large.
bool integer_power(mpq_class& out, const mpq_class& base, const mpq_class& exponent) {
  if (exponent.get_den() != 1 || ::abs(exponent.get_num()) > 4096) return false;
  const long k = exponent.get_num().get_si();
  if (k < 0 && sgn(base) == 0) return false;
  const unsigned long m = static_cast<unsigned long>(k < 0 ? -k : k);
  if (m * (mpz_sizeinbase(base.get_num_mpz_t(), 2) + mpz_sizeinbase(base.get_den_mpz_t(), 2) - 2) > 64 * max_limbs) return false;
  mpz_class n, d;
  mpz_pow_ui(n.get_mpz_t(), base.get_num_mpz_t(), m);
  mpz_pow_ui(d.get_mpz_t(), base.get_den_mpz_t(), m);
  if (k < 0) std::swap(n, d);
  out = mpq_class(n, d);
  out.canonicalize();
  return true;
}
//! k with base^k = v.
bool integer_logarithm(mpq_class& out, const mpq_class& v, unsigned long base) {
  if (sgn(v) <= 0 || (v.get_num() != 1 && v.get_den() != 1)) return false;
  mpz_class rest = v.get_den() == 1 ? v.get_num() : v.get_den();
  const mpz_class b = base;
  const long k = static_cast<long>(mpz_remove(rest.get_mpz_t(), rest.get_mpz_t(), b.get_mpz_t()));
  if (rest != 1) return false;
  out = v.get_den() == 1 ? k : -k;
  return true;
}

void exponential(exact_slot& out, const exact& a, const mpq_class& base) {  // base 0: e, of which only the powers 0 and ±∞ are rational
  if (not_a_number(a)) return put(out, kind_of::nan);
  if (!finite(a)) return a.kind == kind_of::infinity ? put(out, kind_of::infinity) : put(out, mpq_class(0));
  mpq_class r = 1;
  if (base == 0 ? sgn(a.value) == 0 : integer_power(r, base, a.value)) put(out, r);
}
void logarithm(exact_slot& out, const exact& a, unsigned long base) {
  if (not_a_number(a) || a.kind == kind_of::infinity) return put(out, a.kind);
  if (!finite(a) || sgn(a.value) < 0) return;
  if (sgn(a.value) == 0) return put(out, kind_of::minus_infinity);
  mpq_class r = 0;
  if (base == 0 ? a.value == 1 : integer_logarithm(r, a.value, base)) put(out, r);
}
void power(exact_slot& out, const exact& a, const exact& b) {
  mpq_class r;
  if (!finite(a) || !finite(b)) return;
  if (integer_power(r, a.value, b.value) || (b.value == mpq_class(1, 2) && square_root(r, a.value))) put(out, r);
}

//! Functions with a rational value at one point only: f(at) = value.
struct special_point {
  function f;
  int at, value;
};
constexpr special_point special_points[] = {
    {function::expm1, 0, 0}, {function::log1p, 0, 0}, {function::sin, 0, 0},  {function::cos, 0, 1},  {function::tan, 0, 0},
    {function::asin, 0, 0},  {function::acos, 1, 0},  {function::atan, 0, 0}, {function::sinh, 0, 0}, {function::cosh, 0, 1},
    {function::tanh, 0, 0},  {function::erf, 0, 0},   {function::erfc, 0, 1}};

//! One-sided limits that C++ gives at ±∞.
void at_infinity(exact_slot& out, function f, int sign) {
  if (f == function::tanh || f == function::erf) return put(out, mpq_class(sign));
  if (f == function::erfc) return put(out, mpq_class(1 - sign));
  if (f == function::expm1) return sign > 0 ? put(out, kind_of::infinity) : put(out, mpq_class(-1));
  if (f == function::log1p && sign > 0) put(out, kind_of::infinity);
}

void call_one(exact_slot& out, function f, const exact& a, bool powers_of_two) {
  mpq_class r;
  switch (f) {
    case function::exp:
      return exponential(out, a, powers_of_two ? 2 : 0);
    case function::exp2:
      return exponential(out, a, 2);
    case function::log:
      return logarithm(out, a, powers_of_two ? 2 : 0);
    case function::log2:
      return logarithm(out, a, 2);
    case function::log10:
      return logarithm(out, a, 10);
    case function::abs:
      return absolute(out, a);
    case function::isnan:
      return put(out, not_a_number(a));
    case function::isinf:
      return put(out, !finite(a) && !not_a_number(a));
    case function::isfinite:
      return put(out, finite(a));
    case function::signbit:
      return not_a_number(a) ? void() : put(out, sign_of(a) < 0);
    case function::floor:
    case function::ceil:
    case function::trunc:
    case function::round:
    case function::nearbyint:
      return finite(a) ? put(out, mpq_class(rounded(f, a.value))) : put(out, a);
    case function::sqrt:
      if (finite(a) ? square_root(r, a.value) : false) return put(out, r);
      if (a.kind == kind_of::infinity || not_a_number(a)) put(out, a.kind);
      return;
    case function::cbrt:
      if (finite(a) && cube_root(r, a.value)) put(out, r);
      return;
    default:
      break;
  }
  if (f == function::unknown || not_a_number(a)) return;
  if (!finite(a)) return at_infinity(out, f, sign_of(a));
  for (const special_point& p : special_points)
    if (p.f == f && a.value == p.at) return put(out, mpq_class(p.value));
}

void call_two(exact_slot& out, function f, const exact& a, const exact& b) {
  mpq_class r;
  switch (f) {
    case function::pow:
      return power(out, a, b);
    case function::fmax:
      return put(out, not_a_number(a) ? b : not_a_number(b) || !is_less(a, b) ? a : b);
    case function::fmin:
      return put(out, not_a_number(a) ? b : not_a_number(b) || !is_less(b, a) ? a : b);
    default:
      break;
  }
  if (!finite(a) || !finite(b)) return;
  const mpq_class &x = a.value, &y = b.value;
  switch (f) {
    case function::fmod:
      return sgn(y) == 0 ? void() : put(out, mpq_class(x - y * rounded(function::trunc, x / y)));
    case function::fdim:
      return put(out, x > y ? mpq_class(x - y) : mpq_class(0));
    case function::hypot:
      return square_root(r, x * x + y * y) ? put(out, r) : void();
    case function::copysign:
      return put(out, mpq_class(sgn(y) < 0 ? mpq_class(-::abs(x)) : mpq_class(::abs(x))));
    case function::gcd:
    case function::lcm:
      if (!is_integer(a) || !is_integer(b)) return;
      return put(out, f == function::gcd ? mpq_class(gcd(x.get_num(), y.get_num())) : mpq_class(lcm(x.get_num(), y.get_num())));
    default:
      return;
  }
}

void call(exact_slot& out, function f, std::span<const exact_slot* const> args, bool powers_of_two) {
  if (args.size() == 1) return call_one(out, f, args[0]->v, powers_of_two);
  if (args.size() == 2) return call_two(out, f, args[0]->v, args[1]->v);
  if (f != function::fma) return;
  exact_slot product;
  multiply(product, args[0]->v, args[1]->v);
  plus(out, product.v, args[2]->v);
}
void unary(const node& n, const exact& a, exact_slot& out) {
  switch (n.kind) {
    case op::neg:
      return negate(out, a);
    case op::abs:
      return absolute(out, a);
    case op::logical_not:
      return put(out, !truth(a));
    case op::bit_not:
      return is_integer(a) ? put(out, mpq_class(-a.value - 1)) : void();
    case op::cast:
      return convert_to(out, a, n.args[0]->type, n.type);
    default:
      return;
  }
}
void binary(const node& n, const exact& a, const exact& b, exact_slot& out) {
  switch (n.kind) {
    case op::add:
      return plus(out, a, b);
    case op::mul:
      return multiply(out, a, b);
    case op::div:
      return divide(out, a, b);
    case op::min:
      return put(out, is_less(b, a) ? b : a);
    case op::max:
      return put(out, is_less(a, b) ? b : a);
    case op::less:
      return put(out, is_less(a, b));
    case op::less_equal:
      return put(out, is_less(a, b) || is_equal(a, b));
    case op::equal:
      return put(out, is_equal(a, b));
    default:
      return integer_operation(out, n.kind, a, b, n.type);
  }
}

}  // namespace

void exact_domain::constant(const node& n, slot& out) const {
  if (n.is(op::number)) put(out, n.value);
  else put(out, n.is(op::infinity) ? kind_of::infinity : n.is(op::minus_infinity) ? kind_of::minus_infinity : kind_of::nan);
}
void exact_domain::assign(slot& out, const exact& v, type) const { put(out, v); }
std::optional<std::int64_t> exact_domain::index(const slot& s) const {
  if (!s.defined || !is_integer(s.v) || !s.v.value.get_num().fits_slong_p()) return std::nullopt;
  return s.v.value.get_num().get_si();
}
void exact_domain::set_index(slot& out, std::int64_t i) const { put(out, mpq_class(static_cast<long>(i))); }

void exact_domain::apply(const node& n, function f, std::span<const slot* const> args, slot& out) const {
  out.defined = false;
  if (!args[0]->defined) return;
  if (n.is(op::select)) {
    const slot& taken = *args[truth(args[0]->v) ? 1 : 2];
    if (taken.defined) put(out, taken.v);
    return;
  }
  if (n.is(op::logical_and) || n.is(op::logical_or)) {
    const bool decided = truth(args[0]->v) == n.is(op::logical_or);
    if (decided || args[1]->defined) put(out, decided ? n.is(op::logical_or) : truth(args[1]->v));
    return;
  }
  for (const slot* a : args)
    if (!a->defined) return;
  if (n.is(op::call)) call(out, f, args, powers_of_two);
  else if (args.size() == 1) unary(n, args[0]->v, out);
  else binary(n, args[0]->v, args[1]->v, out);
  if (out.defined) finish(out, n.type);
}

bool operator<(const exact& a, const exact& b) {
  if (a.kind != b.kind) return a.kind < b.kind;
  return a.kind == kind_of::finite && a.value < b.value;
}
std::string to_text(const exact& v) {
  if (finite(v)) return v.value.get_str();
  return not_a_number(v) ? "nan" : v.kind == kind_of::infinity ? "inf" : "-inf";
}

struct exact_program::implementation : program<exact_domain> {
  using program::program;
};
exact_program::exact_program(std::vector<term> roots, bool powers_of_two)
    : p_(std::make_unique<implementation>(roots, exact_domain{powers_of_two})) {}
exact_program::~exact_program() = default;
exact_program::exact_program(exact_program&&) noexcept = default;
exact_program& exact_program::operator=(exact_program&&) noexcept = default;
const std::vector<term>& exact_program::inputs() const { return p_->inputs(); }
const std::vector<term>& exact_program::arrays() const { return p_->arrays(); }
std::size_t exact_program::slot(term symbol) const { return p_->find(symbol); }
void exact_program::set(std::size_t slot, const exact& v) { p_->set(slot, v); }
void exact_program::set_array(term array, std::span<const exact> entries, std::vector<std::size_t> shape) {
  p_->set_array(array, entries, std::move(shape));
}
void exact_program::run() {
  within_construction_deadline();  // one run over long numbers may take a millisecond, and runs come by the thousand
  p_->run();
}
const exact* exact_program::value(std::size_t root) const {
  const exact_slot& s = p_->result(root);
  return s.defined ? &s.v : nullptr;
}

std::optional<exact> evaluate(term t, const exact_environment& env, const exact_arrays& arrays, bool powers_of_two) {
  exact_program p({t}, powers_of_two);
  for (term s : p.inputs())
    if (auto it = env.find(s); it != env.end()) p.set(s, it->second);
  for (term a : p.arrays())
    if (auto it = arrays.find(a); it != arrays.end()) p.set_array(a, it->second);
  p.run();
  const exact* v = p.value(0);
  return v ? std::optional(*v) : std::nullopt;
}

}  // namespace twofold::analyser
