// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The exact interpreter against values worked out by hand.
#include <gtest/gtest.h>

#include "ir/evaluate.hpp"

namespace twofold::analyser {
namespace {

const type uint8_type{sort::integer, 8, false};
const type unsigned_type{sort::integer, 32, false};

term sym(const char* name, type t = double_type) { return symbol(symbol_kind::element, name, t); }
exact rational(long n, long d = 1) {
  exact e;
  e.value = mpq_class(n, d);
  e.value.canonicalize();
  return e;
}
const exact infinite{exact::kind::infinity, {}}, minus_infinite{exact::kind::minus_infinity, {}}, not_a_number{exact::kind::nan, {}};

//! f at one argument, through a symbol so that the constructors cannot fold it.
std::optional<exact> at(const char* f, const exact& v, bool powers = false) {
  return evaluate(call(f, {sym("x")}, double_type), {{sym("x"), v}}, {}, powers);
}
std::optional<exact> binary(op k, type t, const exact& a, const exact& b) {
  return evaluate(make(k, {sym("a", t), sym("b", t)}, t), {{sym("a", t), a}, {sym("b", t), b}});
}

TEST(exact_evaluation, rationals_stay_rational) {
  EXPECT_EQ(binary(op::add, double_type, rational(1, 3), rational(1, 6)), rational(1, 2));
  EXPECT_EQ(binary(op::mul, double_type, rational(-2, 3), rational(3, 4)), rational(-1, 2));
  EXPECT_EQ(binary(op::div, double_type, rational(1), rational(3)), rational(1, 3));
  EXPECT_EQ(binary(op::div, double_type, rational(1), rational(0)), std::nullopt);
}

TEST(exact_evaluation, special_values_follow_ieee) {
  EXPECT_EQ(binary(op::max, double_type, minus_infinite, rational(-7)), rational(-7));
  EXPECT_EQ(binary(op::min, double_type, infinite, rational(9)), rational(9));
  EXPECT_EQ(binary(op::add, double_type, infinite, minus_infinite), not_a_number);
  EXPECT_EQ(binary(op::add, double_type, infinite, rational(5)), infinite);
  EXPECT_EQ(binary(op::mul, double_type, infinite, rational(0)), not_a_number);
  EXPECT_EQ(binary(op::mul, double_type, minus_infinite, rational(-2)), infinite);
  EXPECT_EQ(binary(op::div, double_type, rational(4), minus_infinite), rational(0));
  EXPECT_EQ(binary(op::div, double_type, minus_infinite, rational(-4)), infinite);
  EXPECT_EQ(binary(op::less, double_type, minus_infinite, infinite), rational(1));
  EXPECT_EQ(binary(op::less, double_type, not_a_number, infinite), rational(0));
  EXPECT_EQ(binary(op::equal, double_type, not_a_number, not_a_number), rational(0));
  EXPECT_EQ(binary(op::equal, double_type, minus_infinite, minus_infinite), rational(1));
}

TEST(exact_evaluation, maximum_is_the_standard_librarys) {
  EXPECT_EQ(binary(op::max, double_type, rational(1), not_a_number), rational(1));
  EXPECT_EQ(binary(op::max, double_type, not_a_number, rational(1)), not_a_number);
  EXPECT_EQ(binary(op::min, double_type, rational(1), not_a_number), rational(1));
}

TEST(exact_evaluation, unsigned_wraps_and_signed_does_not) {
  EXPECT_EQ(binary(op::add, uint8_type, rational(200), rational(100)), rational(44));
  EXPECT_EQ(binary(op::mul, uint8_type, rational(16), rational(17)), rational(16));
  EXPECT_EQ(evaluate(neg(sym("u", unsigned_type)), {{sym("u", unsigned_type), rational(1)}}), rational(4294967295));
  EXPECT_EQ(evaluate(make(op::bit_not, {sym("u", uint8_type)}, uint8_type), {{sym("u", uint8_type), rational(5)}}), rational(250));
  EXPECT_EQ(binary(op::add, int_type, rational(2147483647), rational(1)), rational(2147483648));
}

TEST(exact_evaluation, integer_division_truncates) {
  for (long a = -7; a <= 7; ++a)
    for (long b = -3; b <= 3; ++b) {
      EXPECT_EQ(binary(op::quotient, int_type, rational(a), rational(b)), b == 0 ? std::nullopt : std::optional(rational(a / b)));
      EXPECT_EQ(binary(op::remainder, int_type, rational(a), rational(b)), b == 0 ? std::nullopt : std::optional(rational(a % b)));
    }
}

TEST(exact_evaluation, bits_are_twos_complement) {
  for (long a = -9; a <= 9; ++a)
    for (long b = 0; b <= 5; ++b) {
      EXPECT_EQ(binary(op::bit_and, int_type, rational(a), rational(b)), rational(a & b));
      EXPECT_EQ(binary(op::bit_or, int_type, rational(a), rational(b)), rational(a | b));
      EXPECT_EQ(binary(op::bit_xor, int_type, rational(a), rational(b)), rational(a ^ b));
      EXPECT_EQ(binary(op::shift_right, int_type, rational(a), rational(b)), rational(a >> b));
      EXPECT_EQ(binary(op::shift_left, int_type, rational(a), rational(b)), rational(a * (1L << b)));
    }
  EXPECT_EQ(binary(op::shift_left, int_type, rational(1), rational(32)), std::nullopt);
  EXPECT_EQ(binary(op::shift_left, uint8_type, rational(3), rational(7)), rational(128));
}

TEST(exact_evaluation, rounding_functions) {
  struct row {
    long n, d, floor, ceil, trunc, round, nearbyint;
  };
  for (const row& r : {row{5, 2, 2, 3, 2, 3, 2}, row{-5, 2, -3, -2, -2, -3, -2}, row{7, 2, 3, 4, 3, 4, 4}, row{-7, 2, -4, -3, -3, -4, -4},
                       row{1, 3, 0, 1, 0, 0, 0}, row{-2, 3, -1, 0, 0, -1, -1}, row{4, 1, 4, 4, 4, 4, 4}, row{1, 2, 0, 1, 0, 1, 0}}) {
    const exact v = rational(r.n, r.d);
    EXPECT_EQ(at("floor", v), rational(r.floor)) << to_text(v);
    EXPECT_EQ(at("ceil", v), rational(r.ceil)) << to_text(v);
    EXPECT_EQ(at("trunc", v), rational(r.trunc)) << to_text(v);
    EXPECT_EQ(at("round", v), rational(r.round)) << to_text(v);
    EXPECT_EQ(at("nearbyint", v), rational(r.nearbyint)) << to_text(v);
    EXPECT_EQ(at("std::rintf", v), rational(r.nearbyint)) << to_text(v);
  }
}

TEST(exact_evaluation, functions_have_values_only_where_they_are_rational) {
  EXPECT_EQ(at("exp", rational(0)), rational(1));
  EXPECT_EQ(at("exp", minus_infinite), rational(0));
  EXPECT_EQ(at("exp", rational(1)), std::nullopt);
  EXPECT_EQ(at("exp2", rational(-3)), rational(1, 8));
  EXPECT_EQ(at("log", rational(1)), rational(0));
  EXPECT_EQ(at("log", rational(0)), minus_infinite);
  EXPECT_EQ(at("log", rational(-1)), std::nullopt);
  EXPECT_EQ(at("log2", rational(1, 32)), rational(-5));
  EXPECT_EQ(at("log10", rational(1000)), rational(3));
  EXPECT_EQ(at("log10", rational(200)), std::nullopt);
  EXPECT_EQ(at("sqrt", rational(9, 16)), rational(3, 4));
  EXPECT_EQ(at("sqrt", rational(2)), std::nullopt);
  EXPECT_EQ(at("sqrt", rational(-4)), std::nullopt);
  EXPECT_EQ(at("cbrt", rational(-27, 8)), rational(-3, 2));
  EXPECT_EQ(at("tanh", rational(0)), rational(0));
  EXPECT_EQ(at("tanh", infinite), rational(1));
  EXPECT_EQ(at("my_function", rational(0)), std::nullopt);
}

TEST(exact_evaluation, powers) {
  const auto power = [](const exact& a, const exact& b) {
    return evaluate(call("pow", {sym("a"), sym("b")}, double_type), {{sym("a"), a}, {sym("b"), b}});
  };
  EXPECT_EQ(power(rational(2, 3), rational(3)), rational(8, 27));
  EXPECT_EQ(power(rational(-2), rational(-3)), rational(-1, 8));
  EXPECT_EQ(power(rational(0), rational(0)), rational(1));
  EXPECT_EQ(power(rational(0), rational(-1)), std::nullopt);
  EXPECT_EQ(power(rational(4, 9), rational(1, 2)), rational(2, 3));
  EXPECT_EQ(power(rational(3), rational(4000)), power(rational(9), rational(2000)));
  EXPECT_EQ(power(rational(1L << 40), rational(4000)), std::nullopt) << "too large to be of use";
}

TEST(exact_evaluation, powers_of_two_stand_for_exponentials) {
  EXPECT_EQ(at("exp", rational(5), true), rational(32));
  EXPECT_EQ(at("exp", rational(-2), true), rational(1, 4));
  EXPECT_EQ(at("exp", rational(1, 2), true), std::nullopt);
  EXPECT_EQ(at("log", rational(8), true), rational(3));
}

TEST(exact_evaluation, casts) {
  const auto cast_of = [](const exact& v, type from, type to) { return evaluate(cast(sym("c", from), to), {{sym("c", from), v}}); };
  EXPECT_EQ(cast_of(rational(-7, 2), double_type, int_type), rational(-3));
  EXPECT_EQ(cast_of(rational(300), int_type, uint8_type), rational(44));
  EXPECT_EQ(cast_of(rational(-1), int_type, unsigned_type), rational(4294967295));
  EXPECT_EQ(cast_of(rational(200), int_type, {sort::integer, 8, true}), rational(-56));
  EXPECT_EQ(cast_of(rational(1, 3), double_type, float_type), rational(1, 3));
  EXPECT_EQ(cast_of(rational(3000000000), double_type, int_type), std::nullopt);
  EXPECT_EQ(cast_of(rational(-1), double_type, unsigned_type), std::nullopt);
  EXPECT_EQ(cast_of(rational(1, 2), double_type, boolean_type), rational(1));
}

TEST(exact_evaluation, a_branch_not_taken_may_be_undefined) {
  const term x = sym("x"), guarded = select(equal(x, number(0)), number(0), div(number(1), x));
  EXPECT_EQ(evaluate(guarded, {{x, rational(0)}}), rational(0));
  EXPECT_EQ(evaluate(guarded, {{x, rational(4)}}), rational(1, 4));
  const term unsafe = equal(div(number(1), x), number(1));
  EXPECT_EQ(evaluate(logical_and(less(number(0), x), unsafe), {{x, rational(0)}}), rational(0));
  EXPECT_EQ(evaluate(logical_and(unsafe, less(number(0), x)), {{x, rational(0)}}), std::nullopt);
  EXPECT_EQ(evaluate(x, {}), std::nullopt) << "a symbol without a value";
}

TEST(exact_evaluation, reads_and_inner_folds) {
  const term a = symbol(symbol_kind::array, "a", double_type), b = symbol(symbol_kind::array, "b", double_type);
  const term d = symbol(symbol_kind::parameter, "d", int_type);
  const term acc = symbol(symbol_kind::accumulator, "dot", double_type), j = symbol(symbol_kind::inner_index, "dot", long_type);
  const term dot = inner_fold("dot", d, number(0), add(acc, mul(read(a, {j}, double_type), read(b, {j}, double_type))));
  const exact_arrays arrays{{a, {rational(1), rational(2), rational(3)}}, {b, {rational(4), rational(5), rational(6)}}};
  EXPECT_EQ(evaluate(dot, {{d, rational(3)}}, arrays), rational(32));
  EXPECT_EQ(evaluate(dot, {{d, rational(0)}}, arrays), rational(0));
  EXPECT_EQ(evaluate(dot, {{d, rational(4)}}, arrays), std::nullopt) << "reads beyond the end";
  EXPECT_EQ(evaluate(dot, {}, arrays), std::nullopt);
}

TEST(exact_evaluation, nested_folds_keep_their_own_symbols) {
  // Σ_{i<3} Σ_{j<=i} a[j]·(i+1), the inner count depending on the outer index, and a part that depends on neither
  const term a = symbol(symbol_kind::array, "a", double_type), y = sym("y");
  const term acc_i = symbol(symbol_kind::accumulator, "outer", double_type), i = symbol(symbol_kind::inner_index, "outer", long_type);
  const term acc_j = symbol(symbol_kind::accumulator, "inner", double_type), j = symbol(symbol_kind::inner_index, "inner", long_type);
  const term one = number(1, long_type);
  const term inner =
      inner_fold("inner", add(i, one), number(0), add(acc_j, mul(read(a, {j}, double_type), cast(add(i, one), double_type))));
  const term outer = inner_fold("outer", number(3, long_type), mul(y, y), add(acc_i, inner));
  const exact_arrays arrays{{a, {rational(1), rational(10), rational(100)}}};
  EXPECT_EQ(evaluate(outer, {{y, rational(2)}}, arrays), rational(4 + 1 + 22 + 333));
  // the same inner fold twice, and once more under another fold of the same name
  const term twice = inner_fold("outer", number(2, long_type), number(0), add(acc_i, add(inner, inner)));
  EXPECT_EQ(evaluate(add(outer, twice), {{y, rational(0)}}, arrays), rational(1 + 22 + 333 + 2 * (1 + 22)));
}

TEST(exact_evaluation, a_program_is_run_many_times) {
  const term x = sym("x"), y = sym("y"), shared = mul(x, x);
  exact_program p({add(shared, y), div(y, shared), number(7)});
  EXPECT_EQ(p.slot(sym("z")), exact_program::absent);
  for (long v = -3; v <= 3; ++v) {
    p.set(x, rational(v));
    p.set(y, rational(v + 1));
    p.set(sym("z"), rational(99));
    p.run();
    EXPECT_EQ(*p.value(0), rational(v * v + v + 1));
    if (v == 0) EXPECT_EQ(p.value(1), nullptr);
    else EXPECT_EQ(*p.value(1), rational(v + 1, v * v));
    EXPECT_EQ(*p.value(2), rational(7));
  }
}

//! Runs by the thousand end with the time of whoever started them.
TEST(exact_evaluation, a_run_asks_for_the_time) {
  const term x = symbol(symbol_kind::element, "x", double_type);
  exact_program p({mul(x, x)});
  p.set(x, rational(3));
  EXPECT_NO_THROW(p.run());
  {
    const construction_deadline over(-1);
    EXPECT_THROW(p.run(), limit_error);
  }
  p.run();
  EXPECT_EQ(*p.value(0), rational(9));
}

TEST(exact_evaluation, two_indices_need_a_shape) {
  const term a = symbol(symbol_kind::array, "a", double_type), i = sym("i", long_type), j = sym("j", long_type);
  const std::vector<exact> entries{rational(0), rational(1), rational(2), rational(3), rational(4), rational(5)};
  exact_program p({read(a, {i, j}, double_type)});
  p.set(i, rational(1));
  p.set(j, rational(2));
  p.set_array(a, entries);
  p.run();
  EXPECT_EQ(p.value(0), nullptr);
  p.set_array(a, entries, {2, 3});
  p.run();
  EXPECT_EQ(*p.value(0), rational(5));
  p.set(j, rational(3));
  p.run();
  EXPECT_EQ(p.value(0), nullptr) << "the next row is not this row";
}

TEST(exact_evaluation, the_order_of_values_is_total) {
  const std::vector<exact> all{rational(-1, 2), rational(0), rational(3), infinite, minus_infinite, not_a_number};
  for (const exact& a : all)
    for (const exact& b : all) EXPECT_EQ((a < b) + (b < a) + (a == b), 1);
  EXPECT_EQ(to_text(rational(-1, 2)), "-1/2");
  EXPECT_EQ(to_text(minus_infinite), "-inf");
}

}  // namespace
}  // namespace twofold::analyser
