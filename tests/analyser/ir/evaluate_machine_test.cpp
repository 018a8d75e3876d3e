// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The machine interpreter against the compiler: the same expression written once, evaluated as a term and as C++.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

#include "ir/evaluate.hpp"

namespace twofold::analyser {
namespace {

const type uint8_type{sort::integer, 8, false}, unsigned_type{sort::integer, 32, false}, uint64_type{sort::integer, 64, false};

template <class T>
type type_of();
template <>
type type_of<float>() {
  return float_type;
}
template <>
type type_of<double>() {
  return double_type;
}
template <>
type type_of<int>() {
  return int_type;
}
template <>
type type_of<long>() {
  return long_type;
}
template <>
type type_of<unsigned>() {
  return unsigned_type;
}
template <>
type type_of<std::uint64_t>() {
  return uint64_type;
}

template <class T>
machine to_machine(T v) {
  if constexpr (std::is_floating_point_v<T>) return {static_cast<double>(v)};
  else if constexpr (std::is_signed_v<T>) return {static_cast<std::int64_t>(v)};
  else return {static_cast<std::uint64_t>(v)};
}
template <class T>
T from_machine(const machine& m) {
  return std::visit([](auto v) { return static_cast<T>(v); }, m.value);
}
template <class T>
bool same(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
    return a == b && std::signbit(a) == std::signbit(b);
  } else {
    return a == b;
  }
}

//! Values a test should not miss, and everything else. NaNs are quiet: a float's signalling one does not survive being held as a
//! double, and C leaves open what fmax makes of it.
template <class T>
rc::Gen<T> any_value() {
  if constexpr (std::is_floating_point_v<T>) {
    using limits = std::numeric_limits<T>;
    return rc::gen::weightedOneOf<T>(
        {{3, rc::gen::element<T>(T(0), T(-0.0), T(1), T(-1), T(0.5), T(2.5), T(-2.5), limits::infinity(), -limits::infinity(),
                                 limits::quiet_NaN(), limits::max(), limits::min(), limits::denorm_min(), limits::epsilon())},
         {3, rc::gen::map(rc::gen::inRange(-1000, 1000), [](int v) { return static_cast<T>(v) / 8; })},
         {2, rc::gen::map(rc::gen::arbitrary<std::uint64_t>(), [](std::uint64_t b) {
            using bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
            const T v = std::bit_cast<T>(static_cast<bits>(b));
            return std::isnan(v) ? std::bit_cast<T>(static_cast<bits>(b | bits(1) << (limits::digits - 2))) : v;
          })}});
  } else {
    return rc::gen::weightedOneOf<T>({{1, rc::gen::arbitrary<T>()},
                                      {2, rc::gen::map(rc::gen::inRange(-9, 10), [](int v) { return static_cast<T>(v); })},
                                      {1, rc::gen::element<T>(std::numeric_limits<T>::max(), std::numeric_limits<T>::min())}});
  }
}

// --- one text for both meanings: operators and functions below exist for terms and for numbers
struct expression {
  term t;
};
expression operator+(expression a, expression b) { return {add(a.t, b.t)}; }
expression operator-(expression a, expression b) { return {sub(a.t, b.t)}; }
expression operator*(expression a, expression b) { return {mul(a.t, b.t)}; }
expression operator-(expression a) { return {neg(a.t)}; }
expression operator/(expression a, expression b) {
  return {a.t->type.kind == sort::real ? div(a.t, b.t) : make(op::quotient, {a.t, b.t}, a.t->type)};
}
expression operator%(expression a, expression b) { return {make(op::remainder, {a.t, b.t}, a.t->type)}; }
expression operator&(expression a, expression b) { return {make(op::bit_and, {a.t, b.t}, a.t->type)}; }
expression operator|(expression a, expression b) { return {make(op::bit_or, {a.t, b.t}, a.t->type)}; }
expression operator^(expression a, expression b) { return {make(op::bit_xor, {a.t, b.t}, a.t->type)}; }
expression operator~(expression a) { return {make(op::bit_not, {a.t}, a.t->type)}; }
expression operator<(expression a, expression b) { return {less(a.t, b.t)}; }
expression operator==(expression a, expression b) { return {equal(a.t, b.t)}; }
expression shift_up(expression a, int by) { return {make(op::shift_left, {a.t, number(by, a.t->type)}, a.t->type)}; }
expression shift_down(expression a, int by) { return {make(op::shift_right, {a.t, number(by, a.t->type)}, a.t->type)}; }
expression larger(expression a, expression b) { return {max(a.t, b.t)}; }
expression smaller(expression a, expression b) { return {min(a.t, b.t)}; }
expression choose(expression c, expression a, expression b) { return {select(c.t, a.t, b.t)}; }
template <class T>
T shift_up(T a, int by) {
  return static_cast<T>(a << by);
}
template <class T>
T shift_down(T a, int by) {
  return static_cast<T>(a >> by);
}
template <class T>
T larger(T a, T b) {
  return std::max(a, b);
}
template <class T>
T smaller(T a, T b) {
  return std::min(a, b);
}
template <class T>
T choose(bool c, T a, T b) {
  return c ? a : b;
}
#define FUNCTION(name)                                                          \
  expression f_##name(expression a) { return {call(#name, {a.t}, a.t->type)}; } \
  template <class T>                                                            \
  T f_##name(T a) {                                                             \
    return std::name(a);                                                        \
  }
// clang-format off
FUNCTION(exp)
FUNCTION(log)
FUNCTION(sqrt)
FUNCTION(floor)
FUNCTION(ceil)
FUNCTION(trunc)
FUNCTION(round)
FUNCTION(nearbyint)
FUNCTION(tanh)
FUNCTION(sin)
FUNCTION(cbrt)
FUNCTION(expm1)
FUNCTION(log1p)
FUNCTION(erf)
// clang-format on
#undef FUNCTION
expression f_pow(expression a, expression b) { return {call("pow", {a.t, b.t}, a.t->type)}; }
template <class T>
T f_pow(T a, T b) {
  return std::pow(a, b);
}
expression f_fmax(expression a, expression b) { return {call("fmax", {a.t, b.t}, a.t->type)}; }
template <class T>
T f_fmax(T a, T b) {
  return std::fmax(a, b);
}
expression f_fma(expression a, expression b, expression c) { return {call("fma", {a.t, b.t, c.t}, a.t->type)}; }
template <class T>
T f_fma(T a, T b, T c) {
  return std::fma(a, b, c);
}

template <class T, class Formula>
void expect_same(const char* text, Formula formula) {
  const type t = type_of<T>();
  const term a = symbol(symbol_kind::element, "a", t), b = symbol(symbol_kind::element, "b", t), c = symbol(symbol_kind::element, "c", t);
  const term written = formula(expression{a}, expression{b}, expression{c}).t;
  EXPECT_TRUE(rc::check(text, [&] {
    const T x = *any_value<T>(), y = *any_value<T>(), z = *any_value<T>();
    const T expected = formula(x, y, z);
    const machine got = evaluate_machine(written, {{a, to_machine(x)}, {b, to_machine(y)}, {c, to_machine(z)}});
    if (!same(from_machine<T>(got), expected))
      RC_FAIL(std::string(text) + " at " + std::to_string(x) + ", " + std::to_string(y) + ", " + std::to_string(z));
  }));
}
#define EXPECT_SAME(T, text) \
  expect_same<T>(#T " " #text, []([[maybe_unused]] auto a, [[maybe_unused]] auto b, [[maybe_unused]] auto c) { return text; })

TEST(machine_evaluation, floats_are_rounded_after_each_operation) {
  EXPECT_SAME(float, a + b * c);
  EXPECT_SAME(float, a* b - c / a);
  EXPECT_SAME(float, (a - b) * (a + b) / c);
  EXPECT_SAME(float, f_exp(a - larger(a, b)) * c);
  EXPECT_SAME(float, f_sqrt(a * a + b * b));
  EXPECT_SAME(float, f_tanh(a) + f_log(b));
  EXPECT_SAME(float, f_fma(a, b, c));
  EXPECT_SAME(float, -a + choose(a < b, b, c));
}
TEST(machine_evaluation, doubles) {
  EXPECT_SAME(double, a + b * c);
  EXPECT_SAME(double, (a + b) / (a - b) + c);
  EXPECT_SAME(double, f_pow(a, b) + f_cbrt(c));
  EXPECT_SAME(double, f_expm1(a) + f_log1p(b) + f_erf(c));
  EXPECT_SAME(double, f_floor(a) + f_ceil(b) + f_trunc(c));
  EXPECT_SAME(double, f_round(a) + f_nearbyint(b) + f_sin(c));
  EXPECT_SAME(double, choose(a == b, a * c, -b));
}
TEST(machine_evaluation, maxima_treat_nan_as_the_standard_library_does) {
  EXPECT_SAME(double, larger(a, b));
  EXPECT_SAME(double, larger(larger(a, b), c));
  EXPECT_SAME(double, smaller(a, smaller(b, c)));
  EXPECT_SAME(float, choose(f_fmax(a, b) < c, a, smaller(b, c)));  // the sign of fmax(-0, 0) is left open by C
}
TEST(machine_evaluation, unsigned_integers_wrap) {
  EXPECT_SAME(unsigned, a* b + c);
  EXPECT_SAME(unsigned, a - b * c);
  EXPECT_SAME(unsigned, larger(a + b, c) ^ (a & b));
  EXPECT_SAME(unsigned, -a + ~b);
  EXPECT_SAME(unsigned, shift_up(a, 5) | shift_down(b, 27));
  EXPECT_SAME(unsigned, b / (c | shift_down(~(a ^ a), 31)) + a % (b | shift_down(~(a ^ a), 31)));
  EXPECT_SAME(std::uint64_t, a * b + shift_up(c, 63));
  EXPECT_SAME(std::uint64_t, (a ^ b) * c - shift_down(a, 11));
}
TEST(machine_evaluation, signed_integers) {
  EXPECT_SAME(int, (a & b) | (b ^ c));
  EXPECT_SAME(int, shift_down(a, 3) ^ ~b);
  EXPECT_SAME(int, larger(a, smaller(b, c)));
  EXPECT_SAME(int, shift_up(a, 4));
  EXPECT_SAME(long, choose(a < b, c, a) ^ b);
}

TEST(machine_evaluation, signed_overflow_is_a_fault) {
  const term a = symbol(symbol_kind::element, "a", int_type), b = symbol(symbol_kind::element, "b", int_type);
  const auto run = [&](term t, std::int64_t x, std::int64_t y) { return evaluate_machine(t, {{a, {x}}, {b, {y}}}); };
  EXPECT_THROW(run(add(a, b), 2147483647, 1), evaluation_error);
  EXPECT_THROW(run(mul(a, b), 65536, 65536), evaluation_error);
  EXPECT_THROW(run(neg(a), -2147483648LL, 0), evaluation_error);
  EXPECT_THROW(run(make(op::quotient, {a, b}, int_type), -2147483648LL, -1), evaluation_error);
  EXPECT_THROW(run(make(op::remainder, {a, b}, int_type), 1, 0), evaluation_error);
  EXPECT_THROW(run(make(op::shift_left, {a, b}, int_type), 1, 32), evaluation_error);
  EXPECT_EQ(from_machine<int>(run(add(a, b), 2147483647, -1)), 2147483646);
  EXPECT_EQ(from_machine<int>(run(select(equal(b, number(0, int_type)), a, make(op::quotient, {a, b}, int_type)), 7, 0)), 7)
      << "a division that is not reached";
}

template <class From, class To>
void expect_cast() {
  const term a = symbol(symbol_kind::element, "a", type_of<From>()), written = cast(a, type_of<To>());
  EXPECT_TRUE(rc::check([&] {
    const From x = *any_value<From>();
    if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>)
      RC_PRE(std::trunc(static_cast<double>(x)) >= static_cast<double>(std::numeric_limits<To>::min()) &&
             std::trunc(static_cast<double>(x)) < std::ldexp(1.0, std::numeric_limits<To>::digits));
    RC_ASSERT(same(from_machine<To>(evaluate_machine(written, {{a, to_machine(x)}})), static_cast<To>(x)));
  }));
}
TEST(machine_evaluation, casts_are_the_compilers) {
  expect_cast<double, float>();
  expect_cast<float, double>();
  expect_cast<int, float>();
  expect_cast<long, float>();
  expect_cast<std::uint64_t, float>();
  expect_cast<long, double>();
  expect_cast<long, int>();
  expect_cast<int, unsigned>();
  expect_cast<unsigned, int>();
  expect_cast<int, std::uint64_t>();
  expect_cast<double, int>();
  expect_cast<double, unsigned>();
  expect_cast<float, long>();
  const term a = symbol(symbol_kind::element, "a", double_type);
  for (double bad : {1e10, -1e10, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()})
    EXPECT_THROW(evaluate_machine(cast(a, int_type), {{a, {bad}}}), evaluation_error);
  EXPECT_EQ(from_machine<int>(evaluate_machine(cast(cast(a, int_type), uint8_type), {{a, {300.7}}})), 44);
}

TEST(machine_evaluation, literals_are_rounded_to_nearest_even_once) {
  const auto literal = [](const mpq_class& v, type t) { return from_machine<double>(evaluate_machine(number(v, t), {})); };
  EXPECT_EQ(literal(mpq_class(1, 10), double_type), 0.1);
  EXPECT_EQ(literal(mpq_class(1, 10), float_type), static_cast<double>(0.1f));
  EXPECT_EQ(literal(mpq_class(-2, 3), double_type), -2.0 / 3.0);
  // 1 + 2^-24 + 2^-60: nearest float is 1 + 2^-23; by way of double it would be 1
  const mpq_class tricky = 1 + mpq_class(1, 1L << 24) + mpq_class(1, 1L << 60);
  EXPECT_EQ(literal(tricky, float_type), 1.0 + std::ldexp(1.0, -23));
  EXPECT_EQ(literal(1 + mpq_class(1, 1L << 24), float_type), 1.0) << "a tie goes to even";
  EXPECT_EQ(literal(1 + 3 * mpq_class(1, 1L << 24), float_type), 1.0 + std::ldexp(1.0, -22));
  EXPECT_EQ(literal(mpq_class(mpz_class(1) << 200), float_type), std::numeric_limits<double>::infinity());
  EXPECT_EQ(literal(-mpq_class(mpz_class(1) << 1100), double_type), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(literal(mpq_class(mpz_class(1), mpz_class(1) << 1074), double_type), std::numeric_limits<double>::denorm_min());
  EXPECT_TRUE(rc::check([&] {
    const float f = *any_value<float>();
    RC_PRE(std::isfinite(f));
    RC_ASSERT(literal(mpq_class(f), float_type) == f);
  }));
}

TEST(machine_evaluation, agrees_with_the_exact_interpreter_on_small_rationals) {
  const term a = symbol(symbol_kind::element, "a", double_type), b = symbol(symbol_kind::element, "b", double_type);
  const std::vector<term> formulas{add(mul(a, b), neg(a)), max(a, mul(b, b)),
                                   select(less(a, b), abs(sub(a, b)), call("floor", {mul(a, b)}, double_type)),
                                   call("round", {add(a, b)}, double_type), cast(cast(mul(a, b), int_type), double_type)};
  EXPECT_TRUE(rc::check([&] {
    const int p = *rc::gen::inRange(-64, 64), q = *rc::gen::inRange(-64, 64);
    exact x, y;
    x.value = mpq_class(p, 8);
    y.value = mpq_class(q, 4);
    x.value.canonicalize();
    y.value.canonicalize();
    for (term f : formulas) {
      const std::optional<exact> e = evaluate(f, {{a, x}, {b, y}});
      RC_ASSERT(e.has_value());
      RC_ASSERT(e->value.get_d() == from_machine<double>(evaluate_machine(f, {{a, {p / 8.0}}, {b, {q / 4.0}}})));
    }
  }));
}

TEST(machine_evaluation, gcd_and_unknown_functions) {
  const term a = symbol(symbol_kind::element, "a", int_type), b = symbol(symbol_kind::element, "b", int_type);
  for (int x : {0, 12, -18, 7})
    for (int y : {0, 8, -27})
      EXPECT_EQ(from_machine<int>(evaluate_machine(call("gcd", {a, b}, int_type), {{a, to_machine(x)}, {b, to_machine(y)}})),
                std::gcd(x, y));
  EXPECT_THROW(evaluate_machine(call("mystery", {a}, int_type), {{a, to_machine(1)}}), evaluation_error);
  EXPECT_THROW(evaluate_machine(a, {}), evaluation_error);
}

}  // namespace
}  // namespace twofold::analyser
