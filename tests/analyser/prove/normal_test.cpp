// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The normal form: identities it must see, differences it must keep, and that printing and reading back is stable.
#include "prove/normal.hpp"

#include <gtest/gtest.h>

namespace twofold::analyser {
namespace {

struct normal_form : ::testing::Test {
  void SetUp() override { reset_terms(); }
  static term real(const char* name) { return symbol(symbol_kind::parameter, name, double_type); }
  static term integer(const char* name) { return symbol(symbol_kind::parameter, name, int_type); }
  static term word(const char* name) { return symbol(symbol_kind::parameter, name, type{sort::integer, 32, false}); }
  static term exp(term a) { return call("exp", {a}, double_type); }
  static term log(term a) { return call("log", {a}, double_type); }
  static term sqrt(term a) { return call("sqrt", {a}, double_type); }
  static term n(long v) { return number(v); }
  static bool same(term a, term b) {
    normaliser f;
    return f.equal(a, b);
  }
  //! The normal form printed and normalised again is itself.
  static void stable(term t) {
    const auto u = simplify(t);
    ASSERT_TRUE(u) << to_text(t);
    EXPECT_TRUE(same(t, *u)) << to_text(t) << "  →  " << to_text(*u);
    EXPECT_EQ(simplify(*u), u) << to_text(*u);
  }
};

TEST_F(normal_form, field_laws) {
  const term x = real("x"), y = real("y"), z = real("z");
  EXPECT_TRUE(same(mul(add(x, y), sub(x, y)), sub(mul(x, x), mul(y, y))));
  EXPECT_TRUE(same(div(sub(mul(x, x), mul(y, y)), sub(x, y)), add(x, y)));
  EXPECT_TRUE(same(add(div(x, y), div(y, x)), div(add(mul(x, x), mul(y, y)), mul(x, y))));
  EXPECT_FALSE(same(add(x, y), add(x, z)));
  EXPECT_FALSE(same(div(x, y), div(y, x)));
  EXPECT_TRUE(same(div(div(x, y), z), div(x, mul(y, z))));
}

TEST_F(normal_form, exponentials) {
  const term x = real("x"), y = real("y"), m = real("m");
  EXPECT_TRUE(same(mul(exp(sub(x, m)), exp(sub(m, y))), exp(sub(x, y))));
  EXPECT_TRUE(same(mul(exp(div(x, n(2))), exp(div(x, n(2)))), exp(x)));
  EXPECT_TRUE(same(div(exp(x), exp(y)), exp(sub(x, y))));
  EXPECT_TRUE(same(exp(mul(x, add(y, m))), mul(exp(mul(y, x)), exp(mul(m, x)))));
  EXPECT_TRUE(same(exp(log(x)), x));
  EXPECT_TRUE(same(log(exp(add(x, y))), add(x, y)));
  EXPECT_TRUE(same(add(m, log(add(exp(sub(x, m)), exp(sub(y, m))))), log(add(exp(x), exp(y)))));
  EXPECT_TRUE(same(call("exp2", {add(x, n(3))}, double_type), mul(n(8), call("exp2", {x}, double_type))));
  EXPECT_TRUE(same(call("pow", {n(4), x}, double_type), call("exp2", {mul(n(2), x)}, double_type)));
  EXPECT_TRUE(same(mul(call("pow", {n(10), x}, double_type), n(10)), call("pow", {n(10), add(x, n(1))}, double_type)));
  EXPECT_FALSE(same(exp(add(x, y)), add(exp(x), exp(y))));
  EXPECT_FALSE(same(mul(exp(x), exp(y)), exp(mul(x, y))));
  EXPECT_FALSE(same(exp(x), call("exp2", {x}, double_type)));
}

TEST_F(normal_form, roots) {
  const term x = real("x"), y = real("y");
  EXPECT_TRUE(same(mul(sqrt(x), sqrt(x)), x));
  EXPECT_TRUE(same(sqrt(mul(n(4), x)), mul(n(2), sqrt(x))));
  EXPECT_TRUE(same(sqrt(mul(x, x)), abs(x)));
  EXPECT_FALSE(same(sqrt(mul(x, x)), x));
  EXPECT_TRUE(same(mul(sqrt(n(2)), sqrt(n(2))), n(2)));
  EXPECT_TRUE(same(sqrt(exp(x)), exp(div(x, n(2)))));
  EXPECT_TRUE(same(call("pow", {x, number(mpq_class(3, 2))}, double_type), mul(x, sqrt(x))));
  EXPECT_FALSE(same(sqrt(add(x, y)), add(sqrt(x), sqrt(y))));
}

TEST_F(normal_form, max_is_a_set) {
  const term x = real("x"), y = real("y"), z = real("z"), c = real("c");
  EXPECT_TRUE(same(max(x, max(y, z)), max(max(z, x), y)));
  EXPECT_TRUE(same(max(add(x, c), add(c, y)), add(c, max(y, x))));
  EXPECT_TRUE(same(max(mul(n(2), x), mul(n(2), y)), mul(n(2), max(x, y))));
  EXPECT_TRUE(same(min(x, y), neg(max(neg(y), neg(x)))));
  EXPECT_TRUE(same(max(max(x, y), x), max(x, y)));
  EXPECT_TRUE(same(max(add(max(x, y), c), z), max(add(x, c), max(add(y, c), z))));
  EXPECT_TRUE(same(max(x, add(x, n(1))), add(x, n(1))));
  EXPECT_TRUE(same(max(mul(exp(c), x), mul(exp(c), y)), mul(exp(c), max(x, y))));
  EXPECT_FALSE(same(max(x, y), min(x, y)));
  EXPECT_FALSE(same(max(mul(c, x), mul(c, y)), mul(c, max(x, y))));  // c may be negative
  EXPECT_TRUE(same(exp(sub(max(x, y), max(y, x))), n(1)));
  EXPECT_TRUE(same(abs(sub(x, y)), abs(sub(y, x))));
  EXPECT_TRUE(same(mul(abs(x), abs(x)), mul(x, x)));
}

TEST_F(normal_form, conditions) {
  const term x = real("x"), y = real("y"), a = real("a"), b = real("b"), i = integer("i");
  const term c = less(x, y);
  EXPECT_TRUE(same(select(c, a, b), select(less_equal(y, x), b, a)));
  EXPECT_TRUE(same(add(select(c, a, b), select(c, b, a)), add(a, b)));
  EXPECT_TRUE(same(mul(select(c, a, n(0)), select(c, n(0), b)), n(0)));
  EXPECT_TRUE(same(select(less(add(x, a), add(y, a)), a, b), select(c, a, b)));
  EXPECT_TRUE(same(select(less(mul(n(2), x), mul(n(2), y)), a, b), select(c, a, b)));
  EXPECT_FALSE(same(select(c, a, b), select(less_equal(x, y), a, b)));
  EXPECT_TRUE(same(logical_not(logical_and(c, less(a, b))), logical_or(less_equal(y, x), less_equal(b, a))));
  EXPECT_TRUE(same(logical_and(less(x, y), less(y, x)), boolean(false)));
  EXPECT_TRUE(same(less(number(0, int_type), i), less_equal(number(1, int_type), i)));
  EXPECT_FALSE(same(less(n(0), x), less_equal(n(1), x)));
  // an indicator is not cancelled: where the condition fails the quotient is not looked at
  const term one_if = select(c, n(1), n(0));
  const term guarded = select(c, div(a, one_if), n(5));
  EXPECT_FALSE(same(guarded, sub(add(a, n(5)), mul(n(5), one_if))));
  EXPECT_TRUE(same(select(c, a, n(5)), add(n(5), mul(one_if, sub(a, n(5))))));
}

TEST_F(normal_form, unsigned_is_a_ring_and_no_more) {
  const type u32{sort::integer, 32, false};
  const term x = word("x"), y = word("y"), z = word("z");
  EXPECT_TRUE(same(mul(x, add(y, z)), add(mul(y, x), mul(z, x))));
  EXPECT_TRUE(same(add(mul(number(mpq_class(1UL << 31), u32), x), mul(number(mpq_class(1UL << 31), u32), x)), number(0, u32)));
  EXPECT_TRUE(same(max(x, max(y, z)), max(max(z, y), x)));
  EXPECT_FALSE(same(max(add(x, z), add(y, z)), add(z, max(x, y))));
  EXPECT_FALSE(same(less(add(x, z), add(y, z)), less(x, y)));
  EXPECT_FALSE(same(cast(add(x, y), double_type), add(cast(x, double_type), cast(y, double_type))));
  EXPECT_TRUE(same(cast(add(x, y), type{sort::integer, 16, false}),
                   add(cast(x, type{sort::integer, 16, false}), cast(y, type{sort::integer, 16, false}))));
  EXPECT_TRUE(same(make(op::bit_xor, {x, make(op::bit_xor, {y, x}, u32)}, u32), y));
}

TEST_F(normal_form, printing_is_stable) {
  const term x = real("x"), y = real("y"), m = max(real("a"), real("b"));
  stable(add(mul(x, exp(sub(real("a"), m))), mul(y, exp(sub(real("b"), m)))));
  stable(div(add(mul(x, x), n(1)), sub(y, exp(x))));
  stable(select(less(x, y), add(x, exp(y)), mul(y, max(x, n(0)))));
  stable(sqrt(add(mul(x, x), mul(y, y))));
  stable(call("pow", {n(10), x}, double_type));
  stable(log(add(x, mul(n(2), y))));
  stable(logical_or(less(x, y), equal(y, n(2))));
  stable(max(abs(sub(x, y)), div(x, y)));
  stable(call("floor", {div(x, y)}, double_type));
}

TEST_F(normal_form, taking_apart) {
  const term x = real("x"), y = real("y"), u = real("u");
  const auto r = normalise(add(mul(add(x, y), add(x, y)), div(mul(u, x), n(2))));
  ASSERT_TRUE(r);
  EXPECT_EQ(degree(*r, x), 2);
  EXPECT_EQ(to_term(*coefficient(*r, x, 2), double_type), n(1));
  EXPECT_TRUE(same(to_term(*coefficient(*r, x, 1), double_type), add(mul(n(2), y), div(u, n(2)))));
  EXPECT_FALSE(coefficient(*normalise(exp(x)), x, 0));
  const auto sum = expand(div(mul(exp(sub(x, y)), add(x, u)), u));
  ASSERT_TRUE(sum);
  EXPECT_EQ(sum->size(), 2U);
  EXPECT_FALSE(normalise(infinity()));
  EXPECT_FALSE(normalise(div(x, sub(add(x, y), add(y, x)))));
}

}  // namespace
}  // namespace twofold::analyser
