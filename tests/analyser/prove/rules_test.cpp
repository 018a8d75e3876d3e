// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The rules beside Lemma 2, each with a candidate that it lets through and with those that it must not: facts along the loop,
//! guarded domains, what contradicts itself, what is dropped, what a candidate may be made of.
#include <gtest/gtest.h>

#include "analyser/prove/loops.hpp"
#include "prove/evidence.hpp"

namespace twofold::analyser::testing {
namespace {

struct rules : ::testing::Test {
  void SetUp() override { reset_terms(); }
  static check_result run(const example& e) { return check(e.loop, e.merge, 5); }
  static state_variable loop_variable(const char* name, term init, type t = double_type) {
    state_variable u;
    u.name = name, u.type = t, u.symbol = symbol(symbol_kind::state, name, t), u.init = init;
    return u;
  }
  static term nonzero(term t) { return logical_not(equal(t, num(0))); }
};

//! v = x + 1/v from v0: the candidate is N/D = v0 → (x·N + D)/N, and the matrix of a piece. Nothing is divided before the end.
example fraction(term v0) {
  example e;
  const term x = element("x");
  e.reads(x);
  for (const char* name : {"N", "D", "p", "q", "r", "s"}) e.added(name, double_type, {});
  const auto lift = [&](const char* name, term t) { e.at(name).lift = t; };
  lift("N", add(mul(x, v0), num(1))), lift("D", v0), lift("p", x), lift("q", num(1)), lift("r", num(1)), lift("s", num(0));
  e.step("N", add(mul(x, e.s("N")), e.s("D"))).step("D", e.s("N"));
  e.step("p", add(mul(x, e.s("p")), e.s("r"))).step("q", add(mul(x, e.s("q")), e.s("s"))).step("r", e.s("p")).step("s", e.s("q"));
  e.combine("N", add(mul(e.b("p"), e.a("N")), mul(e.b("q"), e.a("D"))));
  e.combine("D", add(mul(e.b("r"), e.a("N")), mul(e.b("s"), e.a("D"))));
  e.combine("p", add(mul(e.b("p"), e.a("p")), mul(e.b("q"), e.a("r"))));
  e.combine("q", add(mul(e.b("p"), e.a("q")), mul(e.b("q"), e.a("s"))));
  e.combine("r", add(mul(e.b("r"), e.a("p")), mul(e.b("s"), e.a("r"))));
  e.combine("s", add(mul(e.b("r"), e.a("q")), mul(e.b("s"), e.a("s"))));
  state_variable v;
  v.name = "v", v.type = double_type, v.symbol = symbol(symbol_kind::state, "v", double_type), v.init = v0;
  v.step = add(x, div(num(1), v.symbol));
  e.loop.state = {v};
  e.merge.decode = {{v.symbol, div(e.s("N"), e.s("D"))}};
  e.merge.along = {logical_not(equal(e.s("D"), num(0)))};
  return e;
}

TEST_F(rules, along_the_loop_a_denominator_is_not_zero) {
  const auto r = run(fraction(num(1)));
  EXPECT_EQ(r.result, outcome::proved) << r.failed << ": " << r.detail;
  ASSERT_EQ(r.assumptions.size(), 1U);
  EXPECT_EQ(r.assumptions[0], "along the loop: not (v == 0), as 1 / v needs");
  const replay again = replay_with_cvc5(r.proof.smt, 60);
  EXPECT_TRUE(again.confirmed || !again.ran) << again.text;
}

TEST_F(rules, along_is_needed_must_hold_at_first_and_be_kept) {
  example e = fraction(num(1));
  e.merge.along.clear();
  EXPECT_EQ(run(e).result, outcome::unknown);
  e = fraction(num(1));
  e.merge.along.push_back(less(num(0), e.s("D")));  // holds of one element, not of two
  auto r = run(e);
  EXPECT_NE(r.result, outcome::proved);
  EXPECT_NE(r.failed.find("kept by the step"), std::string::npos) << r.failed;
  e = fraction(num(1));
  e.merge.along.push_back(nonzero(e.s("N")));  // kept by a loop that is defined, but x = −1 gives N = 0 at first
  r = run(e);
  EXPECT_NE(r.result, outcome::proved);
  EXPECT_NE(r.failed.find("holds of one element"), std::string::npos) << r.failed;
}

//! It is no invariant of pieces: a right piece is not met along the loop.
TEST_F(rules, along_does_not_help_a_merge) {
  example e = fraction(num(1));
  e.combine("D", div(mul(e.at("D").merge, e.b("D")), e.b("D")));
  const auto r = run(e);
  EXPECT_EQ(r.result, outcome::unknown);
  EXPECT_NE(r.detail.find("not known"), std::string::npos) << r.detail;
}

//! From 0 the very first step divides by 0: whatever would be "proved" of it says nothing.
TEST_F(rules, what_no_input_satisfies_proves_nothing) {
  const auto r = run(fraction(num(0)));
  EXPECT_EQ(r.result, outcome::unknown);
  EXPECT_EQ(r.failed, "the domain of the loop");
  example e = sum();
  const term p = parameter("p");
  const auto log = [](term t) { return call("log", {t}, double_type); };
  e.step("s", add(mul(e.s("s"), e.s("s")), add(log(p), log(neg(p)))));  // no merge, and no p either
  e.loop.state.clear();
  e.close();
  EXPECT_EQ(run(e).failed, "the domain of the loop");
}

TEST_F(rules, a_guarded_operation_is_assumed_under_its_guard) {
  const term x = element("x"), y = element("y"), on = parameter("on", boolean_type);
  const auto loop = [&](term gain) {
    example e;
    e.reads(x).reads(y).variable("s", double_type, num(0));
    e.step("s", add(e.s("s"), gain)).combine("s", add(e.a("s"), e.b("s")));
    return e.close();
  };
  auto r = run(loop(select(on, div(x, y), num(0))));
  EXPECT_EQ(r.result, outcome::proved) << r.failed << r.detail;
  ASSERT_EQ(r.assumptions.size(), 1U);
  EXPECT_EQ(r.assumptions[0], "every element: not on or not (y == 0), as x / y in the loop needs");
  r = run(loop(select(less(num(0), y), div(x, y), num(0))));  // the guard says it already
  EXPECT_EQ(r.result, outcome::proved);
  EXPECT_TRUE(r.assumptions.empty());
}

//! Whether the operation is reached depends on the state: then it says nothing of elements, and a piece from s0 may reach it.
TEST_F(rules, a_guard_that_reads_the_state_is_not_assumed) {
  const term x = element("x");
  example e;
  e.reads(x).variable("done", boolean_type, boolean(false)).variable("s", double_type, num(0));
  const term stops = logical_or(e.s("done"), less(x, num(0)));
  e.step("done", stops).step("s", select(stops, e.s("s"), add(e.s("s"), div(num(1), x))));
  e.combine("done", logical_or(e.a("done"), e.b("done"))).combine("s", select(e.a("done"), e.a("s"), add(e.a("s"), e.b("s"))));
  e.close();
  const auto r = run(e);
  EXPECT_EQ(r.result, outcome::unknown);
  EXPECT_NE(r.detail.find("not (x == 0)"), std::string::npos) << r.detail;
}

//! What may have no value is not folded away: 0·(1/a) is no 0 where a is 0.
TEST_F(rules, nothing_that_may_be_undefined_is_dropped) {
  example e = sum();
  const term reciprocal = div(num(1), e.a("s")), total = add(e.a("s"), e.b("s"));
  for (term nothing : {mul(num(0), reciprocal), sub(reciprocal, reciprocal), select(less(reciprocal, num(1)), num(0), num(0)),
                       mul(num(0), call("pow", {reciprocal, num(0)}, double_type)),
                       select(logical_and(equal(reciprocal, reciprocal), boolean(true)), num(0), num(1))}) {
    e.combine("s", add(total, nothing));
    const auto r = run(e);
    EXPECT_EQ(r.result, outcome::unknown) << to_text(nothing);
    EXPECT_NE(r.detail.find("not known"), std::string::npos) << r.detail;
  }
  e.combine("s", add(total, mul(num(0), div(num(1), num(3)))));
  EXPECT_EQ(run(e).result, outcome::proved);
}

TEST_F(rules, a_candidate_is_made_of_symbols_of_its_own) {
  const auto failed = [](const example& e) { return run(e).failed; };
  example e = sum();
  e.at("s").symbol = element("x");  // its "state" would be the element of the obligation
  EXPECT_EQ(failed(e), "well-formedness");
  e = max_prefix_sum(long_type);
  e.at("mps").symbol = e.s("sum");
  EXPECT_EQ(failed(e), "well-formedness");
  e = sum();
  e.step("s", cast(e.at("s").step, unsigned_type));
  EXPECT_EQ(failed(e), "well-formedness");
  e = atoi(unsigned_type);
  e.step("value", cast(e.at("value").step, int_type));  // ℤ is not ℤ/2³²
  EXPECT_EQ(failed(e), "well-formedness");
  e = atoi(unsigned_type);
  e.at("scale").init = num(1, type{sort::integer, 8, false});
  EXPECT_EQ(failed(e), "well-formedness");
  e = sum();
  e.merge.decode = {{e.s("s"), cast(e.s("s"), int_type)}};
  EXPECT_EQ(failed(e), "well-formedness");
}

//! Evidence of a wrong merge, and evidence that was changed, are not confirmed.
TEST_F(rules, evidence_states_the_obligation) {
  const term x = parameter("x"), y = parameter("y"), z = parameter("z");
  const auto confirmed = [](const obligation& o) { return replay_with_cvc5(evidence({o}), 20).confirmed; };
  if (!replay_with_cvc5(evidence({{"", {}, x, x}}), 20).ran) GTEST_SKIP() << "cvc5 is not installed";
  const auto tanh = [](term t) { return call("tanh", {t}, double_type); };
  EXPECT_TRUE(confirmed({"sum", {}, add(x, y), add(y, x)}));
  EXPECT_FALSE(confirmed({"sum", {}, add(x, y), add(y, z)}));
  EXPECT_TRUE(confirmed({"quotient", {less(num(0), y)}, div(mul(x, y), y), x}));
  EXPECT_FALSE(confirmed({"quotient", {}, div(mul(x, y), y), x}));  // undefined where y = 0
  EXPECT_TRUE(confirmed({"exp", {}, mul(exp(x), exp(y)), exp(add(x, y))}));
  EXPECT_FALSE(confirmed({"exp", {}, mul(exp(x), exp(y)), exp(sub(x, y))}));
  EXPECT_TRUE(confirmed({"order", {less(x, y), less(y, z)}, less(x, z), boolean(true)}));
  EXPECT_FALSE(confirmed({"order", {less(x, y)}, less(x, z), boolean(true)}));
  EXPECT_TRUE(confirmed({"function", {}, tanh(mul(x, add(y, z))), tanh(add(mul(x, z), mul(y, x)))}));
  EXPECT_FALSE(confirmed({"function", {}, tanh(add(x, y)), tanh(add(x, z))}));
  // that both uses of tanh are one constant is a claim: two for the sides' equality and the operands'
  const std::string smt = evidence({{"function", {}, tanh(mul(x, add(y, z))), tanh(add(mul(x, z), mul(y, x)))}});
  EXPECT_NE(smt.find("equal operands"), std::string::npos) << smt;
  EXPECT_EQ(not_written(smt), 0U);
  const term i = parameter("i", int_type);  // of unknown range: no word
  EXPECT_EQ(not_written(evidence({{"bits", {}, make(op::bit_and, {i, i}, int_type), i}})), 1U);
}

//! a + 1/x is (a·x + 1)/x: the 1 is not lost where the sum is written with one denominator.
TEST(evidence_rules, a_reciprocal_in_a_sum_keeps_its_numerator) {
  const term a = symbol(symbol_kind::state, "a", double_type), x = symbol(symbol_kind::element, "x", double_type);
  const term one = number(1, double_type), sum = add(a, div(one, x));
  const std::string smt = evidence({{"sum", {logical_not(equal(x, number(0, double_type)))}, sum, div(add(mul(a, x), one), x)}});
  EXPECT_NE(smt.find("(+ (* |a| |x|) 1.0)"), std::string::npos) << smt;
}

}  // namespace
}  // namespace twofold::analyser::testing
