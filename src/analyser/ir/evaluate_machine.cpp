// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The machine interpreter: what a compiler without fast-math makes of a term, operation by operation.
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <utility>

#include "ir/evaluate.hpp"
#include "ir/nearest.hpp"
#include "ir/program.hpp"
#include "ir/real_function.hpp"

namespace twofold::analyser {
namespace {

struct machine_slot {
  machine v;
  bool defined = false;
  const char* fault = "a symbol without a value";
};

void put(machine_slot& out, machine v) {
  out.v = v;
  out.defined = true;
}
void put_truth(machine_slot& out, bool v) { put(out, {std::uint64_t{v}}); }
void refuse(machine_slot& out, const char* why) {
  out.defined = false;
  out.fault = why;
}

double as_real(const machine& m) {
  return std::visit([](auto v) { return static_cast<double>(v); }, m.value);
}
bool truth(const machine& m) {
  return std::visit([](auto v) { return v != 0; }, m.value);
}

// --- integers of any width
std::uint64_t mask(unsigned bits) { return bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1; }
std::uint64_t bits_of(const machine& m) {
  if (auto* s = std::get_if<std::int64_t>(&m.value)) return static_cast<std::uint64_t>(*s);
  if (auto* u = std::get_if<std::uint64_t>(&m.value)) return *u;
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(std::get<double>(m.value)));
}
//! The low bits of v as a value of integer type t: conversion between integers, C++20.
machine wrap(std::uint64_t v, type t) {
  v &= mask(t.bits);
  if (!t.is_signed) return {v};
  if (t.bits < 64 && (v >> (t.bits - 1)) != 0) v |= ~mask(t.bits);
  return {static_cast<std::int64_t>(v)};
}
bool fits(std::int64_t v, unsigned bits) {
  const std::int64_t high = static_cast<std::int64_t>(mask(bits) >> 1);
  return -high - 1 <= v && v <= high;
}

machine real(double v, type t) { return {t.bits == 32 ? static_cast<double>(static_cast<float>(v)) : v}; }

void put_converted(machine_slot& out, const machine& m, type to) {
  const double* d = std::get_if<double>(&m.value);
  if (to.kind == sort::boolean) return put_truth(out, truth(m));
  if (to.kind == sort::real) {
    if (d || to.bits != 32) return put(out, real(as_real(m), to));
    // an integer goes to float in one rounding
    return put(out, {std::visit([](auto v) { return static_cast<double>(static_cast<float>(v)); }, m.value)});
  }
  if (!d) return put(out, wrap(bits_of(m), to));
  const double whole = std::trunc(*d);
  const double low = to.is_signed ? -std::ldexp(1.0, to.bits - 1) : 0, high = std::ldexp(1.0, to.is_signed ? to.bits - 1 : to.bits);
  if (!(whole >= low && whole < high)) return refuse(out, "a conversion of a real number that does not fit the integer");
  if (to.is_signed) put(out, {static_cast<std::int64_t>(whole)});
  else put(out, {static_cast<std::uint64_t>(whole)});
}

// --- comparisons
template <class Compare>
bool compare(const machine& a, const machine& b, Compare c) {
  return std::visit(
      [&](auto x, auto y) {
        if constexpr (std::is_same_v<decltype(x), decltype(y)>) return c(x, y);
        else if constexpr (std::is_floating_point_v<decltype(x)> || std::is_floating_point_v<decltype(y)>)
          return c(static_cast<double>(x), static_cast<double>(y));
        else return c(static_cast<std::uint64_t>(x), static_cast<std::uint64_t>(y));
      },
      a.value, b.value);
}
bool is_less(const machine& a, const machine& b) {
  return compare(a, b, [](auto x, auto y) { return x < y; });
}
bool is_less_equal(const machine& a, const machine& b) {
  return compare(a, b, [](auto x, auto y) { return x <= y; });
}
bool is_equal(const machine& a, const machine& b) {
  return compare(a, b, [](auto x, auto y) { return x == y; });
}

// --- arithmetic by type
void signed_arithmetic(machine_slot& out, op k, std::int64_t a, std::int64_t b, unsigned bits) {
  std::int64_t r = 0;
  bool overflow = false;
  switch (k) {
    case op::add:
      overflow = __builtin_add_overflow(a, b, &r);
      break;
    case op::mul:
      overflow = __builtin_mul_overflow(a, b, &r);
      break;
    case op::neg:
      overflow = __builtin_sub_overflow(std::int64_t{0}, a, &r);
      break;
    case op::abs:
      r = a;
      if (a < 0) overflow = __builtin_sub_overflow(std::int64_t{0}, a, &r);
      break;
    default:
      if (b == 0) return refuse(out, "an integer division by zero");
      if (b == -1) {
        if (k == op::quotient) overflow = __builtin_sub_overflow(std::int64_t{0}, a, &r);
        break;
      }
      r = k == op::quotient ? a / b : a % b;
  }
  if (overflow || !fits(r, bits)) return refuse(out, "a signed overflow");
  put(out, {r});
}
void unsigned_arithmetic(machine_slot& out, op k, std::uint64_t a, std::uint64_t b, type t) {
  switch (k) {
    case op::add:
      return put(out, wrap(a + b, t));
    case op::mul:
      return put(out, wrap(a * b, t));
    case op::neg:
      return put(out, wrap(0 - a, t));
    case op::abs:
      return put(out, wrap(a, t));
    default:
      if (b == 0) return refuse(out, "an integer division by zero");
      put(out, wrap(k == op::quotient ? a / b : a % b, t));
  }
}
void real_arithmetic(machine_slot& out, op k, double a, double b, type t) {
  // Double rounding is innocent here: 53 ≥ 2·24 + 2 (Figueroa 1995).
  switch (k) {
    case op::add:
      return put(out, real(a + b, t));
    case op::mul:
      return put(out, real(a * b, t));
    case op::neg:
      return put(out, real(-a, t));
    case op::abs:
      return put(out, real(std::abs(a), t));
    default:
      return put(out, real(a / b, t));
  }
}
void arithmetic(machine_slot& out, op k, const machine& a, const machine& b, type t) {
  if (t.kind == sort::real) return real_arithmetic(out, k, as_real(a), as_real(b), t);
  if (t.is_signed) return signed_arithmetic(out, k, static_cast<std::int64_t>(bits_of(a)), static_cast<std::int64_t>(bits_of(b)), t.bits);
  unsigned_arithmetic(out, k, bits_of(a), bits_of(b), t);
}
void bitwise(machine_slot& out, op k, const machine& a, const machine& b, type t) {
  const std::uint64_t x = bits_of(a), y = bits_of(b);
  const bool shift = k == op::shift_left || k == op::shift_right;
  if (shift && y >= t.bits) return refuse(out, "a shift by the width of its type or more");
  switch (k) {
    case op::shift_left:
      return put(out, wrap(x << y, t));
    case op::shift_right:
      return put(out, wrap(t.is_signed ? static_cast<std::uint64_t>(static_cast<std::int64_t>(x) >> y) : x >> y, t));
    case op::bit_and:
      return put(out, wrap(x & y, t));
    case op::bit_or:
      return put(out, wrap(x | y, t));
    default:
      return put(out, wrap(x ^ y, t));
  }
}

// --- functions
std::optional<bool> predicate(function f, double a) {
  switch (f) {
    case function::isnan:
      return std::isnan(a);
    case function::isinf:
      return std::isinf(a);
    case function::isfinite:
      return std::isfinite(a);
    case function::signbit:
      return std::signbit(a);
    default:
      return std::nullopt;
  }
}

void call(machine_slot& out, const node& n, function f, std::span<const machine_slot* const> args) {
  if (f == function::unknown) return refuse(out, "a call of a function that the interpreter does not know");
  const auto value = [&](std::size_t k) -> const machine& { return args[std::min(k, args.size() - 1)]->v; };
  if (f == function::gcd || f == function::lcm) {
    const auto magnitude = [&](std::size_t k) {
      const std::uint64_t v = bits_of(value(k));
      return std::holds_alternative<std::int64_t>(value(k).value) && static_cast<std::int64_t>(v) < 0 ? 0 - v : v;
    };
    return put(out, wrap(f == function::gcd ? std::gcd(magnitude(0), magnitude(1)) : std::lcm(magnitude(0), magnitude(1)), n.type));
  }
  if (f == function::abs && n.type.kind == sort::integer) return arithmetic(out, op::abs, value(0), value(0), n.type);
  if (const std::optional<bool> p = predicate(f, as_real(value(0)))) return put_truth(out, *p);
  // lround and its like have an integer type; their precision is that of the argument
  const type t = n.type.kind == sort::real ? n.type : n.args[0]->type;
  const bool narrow = t.kind == sort::real && t.bits == 32;
  const double a = as_real(value(0)), b = as_real(value(1)), c = as_real(value(2));
  const double r = narrow ? static_cast<double>(real_function(f, static_cast<float>(a), static_cast<float>(b), static_cast<float>(c)))
                          : real_function(f, a, b, c);
  put_converted(out, {r}, n.type);
}

struct machine_domain {
  using value = machine;
  using slot = machine_slot;

  void constant(const node& n, slot& out) const {
    const double infinity = std::numeric_limits<double>::infinity();
    if (n.is(op::infinity)) return put(out, {infinity});
    if (n.is(op::minus_infinity)) return put(out, {-infinity});
    if (n.is(op::nan)) return put(out, {std::numeric_limits<double>::quiet_NaN()});
    if (n.type.kind == sort::real)
      return put(out, {n.type.bits == 32 ? static_cast<double>(nearest<float>(n.value)) : nearest<double>(n.value)});
    mpz_class low;
    mpz_fdiv_r_2exp(low.get_mpz_t(), n.value.get_num_mpz_t(), 64);
    put(out, wrap(low.get_ui(), n.type));
  }
  void assign(slot& out, const machine& v, type t) const { put_converted(out, v, t); }
  void undefine(slot& out, const char* why) const { refuse(out, why); }
  std::optional<std::int64_t> index(const slot& s) const {
    if (!s.defined || std::holds_alternative<double>(s.v.value)) return std::nullopt;
    if (auto* u = std::get_if<std::uint64_t>(&s.v.value); u && *u > mask(63)) return std::nullopt;
    return static_cast<std::int64_t>(bits_of(s.v));
  }
  void set_index(slot& out, std::int64_t i) const { put(out, {i}); }

  void apply(const node& n, function f, std::span<const slot* const> args, slot& out) const {
    if (!args[0]->defined) return refuse(out, args[0]->fault);
    if (n.is(op::select)) {
      out = *args[truth(args[0]->v) ? 1 : 2];
      return;
    }
    if (n.is(op::logical_and) || n.is(op::logical_or)) {
      const bool decided = truth(args[0]->v) == n.is(op::logical_or);
      if (!decided && !args[1]->defined) return refuse(out, args[1]->fault);
      return put_truth(out, decided ? n.is(op::logical_or) : truth(args[1]->v));
    }
    for (const slot* a : args)
      if (!a->defined) return refuse(out, a->fault);
    if (n.is(op::call)) return call(out, n, f, args);
    operate(n, args[0]->v, args[args.size() - 1]->v, out);
  }

 private:
  static void operate(const node& n, const machine& a, const machine& b, slot& out) {
    switch (n.kind) {
      case op::add:
      case op::mul:
      case op::neg:
      case op::div:
      case op::abs:
      case op::quotient:
      case op::remainder:
        return arithmetic(out, n.kind, a, b, n.type);
      case op::min:
        return put_converted(out, is_less(b, a) ? b : a, n.type);
      case op::max:
        return put_converted(out, is_less(a, b) ? b : a, n.type);
      case op::less:
        return put_truth(out, is_less(a, b));
      case op::less_equal:
        return put_truth(out, is_less_equal(a, b));
      case op::equal:
        return put_truth(out, is_equal(a, b));
      case op::logical_not:
        return put_truth(out, !truth(a));
      case op::bit_not:
        return put(out, wrap(~bits_of(a), n.type));
      case op::cast:
        return put_converted(out, a, n.type);
      default:
        return bitwise(out, n.kind, a, b, n.type);
    }
  }
};

}  // namespace

struct machine_program::implementation : program<machine_domain> {
  using program::program;
};
machine_program::machine_program(std::vector<term> roots) : p_(std::make_unique<implementation>(roots, machine_domain{})) {}
machine_program::~machine_program() = default;
machine_program::machine_program(machine_program&&) noexcept = default;
machine_program& machine_program::operator=(machine_program&&) noexcept = default;
const std::vector<term>& machine_program::inputs() const { return p_->inputs(); }
const std::vector<term>& machine_program::arrays() const { return p_->arrays(); }
std::size_t machine_program::slot(term symbol) const { return p_->find(symbol); }
void machine_program::set(std::size_t slot, const machine& v) { p_->set(slot, v); }
void machine_program::set_array(term array, std::span<const machine> entries, std::vector<std::size_t> shape) {
  p_->set_array(array, entries, std::move(shape));
}
void machine_program::run() { p_->run(); }
const machine& machine_program::value(std::size_t root) const {
  const machine_slot& s = p_->result(root);
  if (!s.defined) throw evaluation_error(s.fault);
  return s.v;
}

machine convert(const machine& v, type t) {
  machine_slot out;
  put_converted(out, v, t);
  if (!out.defined) throw evaluation_error(out.fault);
  return out.v;
}

machine evaluate_machine(term t, const machine_environment& env, const machine_arrays& arrays) {
  machine_program p({t});
  for (term s : p.inputs())
    if (auto it = env.find(s); it != env.end()) p.set(s, it->second);
  for (term a : p.arrays())
    if (auto it = arrays.find(a); it != arrays.end()) p.set_array(a, it->second);
  p.run();
  return p.value(0);
}

}  // namespace twofold::analyser
