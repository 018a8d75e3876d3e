// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file What is asked of Z3: an `unsat` that is not true would be a wrong proof, so the translation is tested from that side.
#include "prove/solver.hpp"

#include <gtest/gtest.h>

namespace twofold::analyser {
namespace {

struct questions : ::testing::Test {
  void SetUp() override { reset_terms(); }
  static term real(const char* name) { return symbol(symbol_kind::parameter, name, double_type); }
  static term n(long v) { return number(v); }
  using kind = solver_answer::kind;
  static kind ask(std::vector<term> c) { return solver().satisfiable(c, 2).result; }
};

//! The denominator of a branch that is not taken must not reach the condition.
TEST_F(questions, a_quotient_belongs_to_its_branch) {
  const term x = real("x"), t = select(logical_not(equal(x, n(0))), div(n(1), x), n(1));
  EXPECT_EQ(ask({equal(x, n(0)), less(n(0), t)}), kind::satisfiable);
  EXPECT_EQ(ask({equal(x, n(0)), less_equal(n(1), t)}), kind::satisfiable);
  EXPECT_EQ(ask({equal(x, n(0)), equal(t, n(0))}), kind::unsatisfiable);
  EXPECT_EQ(ask({less(x, n(0)), less(n(0), t)}), kind::unsatisfiable);
  EXPECT_EQ(ask({less(n(2), div(n(1), x)), less(n(1), x)}), kind::unsatisfiable);
  EXPECT_EQ(ask({less(div(n(1), x), n(-2))}), kind::satisfiable);
}

TEST_F(questions, exponentials_are_positive_and_no_more_than_opaque) {
  const term x = real("x"), y = real("y");
  const auto exp = [](term a) { return call("exp", {a}, double_type); };
  EXPECT_EQ(ask({less_equal(exp(x), n(0))}), kind::unsatisfiable);
  EXPECT_EQ(ask({less(exp(x), exp(y)), less(y, x)}), kind::unsatisfiable);
  EXPECT_EQ(ask({less(mul(exp(x), exp(y)), exp(add(x, y)))}), kind::unsatisfiable);
  EXPECT_NE(ask({less(exp(x), n(1)), less(n(0), x)}), kind::unknown);
}

TEST_F(questions, integers_truncate_as_in_c) {
  const auto k = [](long v) { return number(v, int_type); };
  const term i = symbol(symbol_kind::parameter, "i", int_type), j = symbol(symbol_kind::parameter, "j", int_type);
  for (long a : {-7, -1, 0, 5, 7})
    for (long b : {-3, -1, 2}) {
      const auto quotient = make(op::quotient, {i, j}, int_type), remainder = make(op::remainder, {i, j}, int_type);
      EXPECT_EQ(ask({equal(i, k(a)), equal(j, k(b)), equal(quotient, k(a / b)), equal(remainder, k(a % b))}), kind::satisfiable)
          << a << " " << b;
      EXPECT_EQ(ask({equal(i, k(a)), equal(j, k(b)), logical_not(equal(remainder, k(a % b)))}), kind::unsatisfiable) << a << " " << b;
    }
  const term x = real("x");
  EXPECT_EQ(ask({equal(x, number(mpq_class(-3, 2))), equal(cast(x, int_type), k(-1))}), kind::satisfiable);
  EXPECT_EQ(
      ask({equal(x, number(mpq_class(-3, 2))), equal(call("floor", {x}, double_type), n(-2)), equal(call("round", {x}, double_type), n(-2)),
           equal(call("ceil", {x}, double_type), n(-1)), equal(call("trunc", {x}, double_type), n(-1))}),
      kind::satisfiable);
}

TEST_F(questions, unsigned_numbers_wrap) {
  const type u8{sort::integer, 8, false}, i8{sort::integer, 8, true}, u16{sort::integer, 16, false};
  const term x = symbol(symbol_kind::parameter, "x", u8), y = symbol(symbol_kind::parameter, "y", u8);
  const auto k = [&](long v) { return number(v, u8); };
  EXPECT_EQ(ask({less(add(x, k(1)), x)}), kind::satisfiable);
  EXPECT_EQ(ask({less(k(255), x)}), kind::unsatisfiable);
  EXPECT_EQ(ask({less(x, k(255)), less_equal(add(x, k(1)), x)}), kind::unsatisfiable);
  EXPECT_EQ(ask({equal(x, k(200)), equal(cast(x, i8), number(-56, i8))}), kind::satisfiable);
  EXPECT_EQ(ask({equal(x, k(200)), equal(cast(x, int_type), number(200, int_type))}), kind::satisfiable);
  EXPECT_EQ(ask({equal(mul(cast(x, u16), cast(y, u16)), number(65025, u16)), less(x, k(255))}), kind::unsatisfiable);
  EXPECT_EQ(ask({equal(make(op::bit_and, {x, k(15)}, u8), k(7)), equal(make(op::shift_right, {x, k(4)}, u8), k(9)),
                 logical_not(equal(x, k(0x97)))}),
            kind::unsatisfiable);
  EXPECT_EQ(ask({less(cast(x, double_type), n(0))}), kind::unsatisfiable);
}

TEST_F(questions, models_are_exact) {
  const term x = real("x"), i = symbol(symbol_kind::parameter, "i", int_type), b = symbol(symbol_kind::parameter, "b", boolean_type);
  const auto a = solver().satisfiable({equal(mul(n(3), x), n(1)), less(number(4, int_type), i), less(i, number(6, int_type)), b}, 2);
  ASSERT_EQ(a.result, kind::satisfiable);
  EXPECT_EQ(a.model.at(x), mpq_class(1, 3));
  EXPECT_EQ(a.model.at(i), 5);
  EXPECT_EQ(a.model.at(b), 1);
}

//! Large ones go to Z3's tactics, which have timers of their own; with Z3's timer around them this waited for ever after a few questions.
TEST_F(questions, that_are_too_hard_are_given_up_in_time_one_after_another) {
  const auto integer = [](const char* name) { return symbol(symbol_kind::parameter, name, int_type); };
  const term x = integer("x"), y = integer("y"), z = integer("z");
  const auto cube = [](term v) { return mul(v, mul(v, v)); };
  term large = n(1);
  for (const char* name : {"p", "q", "r", "s", "t"})
    large = mul(large, add(add(real(name), real("u")), add(real("v"), add(real("w"), n(1)))));
  large = mul(large, add(large, n(2)));
  solver one;
  for (int i = 1; i < 100; ++i)
    EXPECT_NE(one.satisfiable({equal(add(cube(x), add(cube(y), cube(z))), number(33, int_type)), less(number(1, int_type), x),
                               less(y, number(-1, int_type)), less(add(z, number(i, int_type)), mul(x, y)),
                               less(n(0), add(mul(large, large), n(1)))},
                              0.001 * (1 + i % 25))
                  .result,
              kind::unsatisfiable);
}

}  // namespace
}  // namespace twofold::analyser
