// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file What is written down for other solvers: right claims are discharged by cvc5, wrong ones are not.
#include <gtest/gtest.h>

#include "analyser/prove/loops.hpp"
#include "prove/evidence.hpp"
#include "prove/prove.hpp"

namespace twofold::analyser::testing {
namespace {

bool confirmed(const std::vector<claim>& claims) { return replay_with_cvc5(evidence_of(claims), 30).confirmed; }
bool confirmed(const obligation& o) { return confirmed(std::vector<claim>{{o, {}}}); }
bool solver_is_missing() { return !replay_with_cvc5(evidence({{"", {}, num(0), num(0)}}), 20).ran; }
term log_of(term t) { return call("log", {t}, double_type); }
term root_of(term t) { return call("sqrt", {t}, double_type); }

//! Products of three exponentials, logarithms of products and roots of multiples need no instance of a law that is not written down.
TEST(evidence_rules, functions_are_taken_apart_by_their_laws) {
  reset_terms();
  if (solver_is_missing()) GTEST_SKIP() << "cvc5 is not installed";
  const term x = parameter("x"), y = parameter("y"), z = parameter("z"), half = div(x, num(2));
  const term chain = mul(exp(sub(x, y)), mul(exp(sub(y, z)), exp(z)));
  EXPECT_TRUE(confirmed({"three", {}, chain, exp(x)}));
  EXPECT_FALSE(confirmed({"three", {}, chain, exp(y)}));
  EXPECT_TRUE(confirmed({"half", {}, mul(exp(half), exp(half)), exp(x)}));
  EXPECT_FALSE(confirmed({"half", {}, exp(half), exp(x)}));
  const std::vector<term> positive{less(num(0), y)};
  EXPECT_TRUE(confirmed({"log", positive, log_of(mul(exp(x), y)), add(x, log_of(y))}));
  EXPECT_FALSE(confirmed({"log", positive, log_of(mul(exp(x), y)), sub(log_of(y), x)}));
  EXPECT_FALSE(confirmed({"log", {}, log_of(mul(exp(x), y)), add(x, log_of(y))}));  // undefined where y ≤ 0
  EXPECT_TRUE(confirmed({"power", positive, exp(add(x, log_of(y))), mul(y, exp(x))}));
  EXPECT_TRUE(confirmed({"root", positive, root_of(mul(num(4), y)), mul(num(2), root_of(y))}));
  EXPECT_FALSE(confirmed({"root", positive, root_of(mul(num(4), y)), mul(num(3), root_of(y))}));
  const term far = root_of(add(mul(sub(x, y), sub(x, y)), mul(sub(y, z), sub(y, z))));
  EXPECT_TRUE(confirmed({"distance", {}, far, far}));
  EXPECT_FALSE(confirmed({"distance", {}, root_of(sub(x, y)), root_of(sub(x, y))}));
}

//! What was proved by cases is claimed by cases: none may be missing, and none wrong.
TEST(evidence_rules, cases_are_claimed_and_cover) {
  reset_terms();
  if (solver_is_missing()) GTEST_SKIP() << "cvc5 is not installed";
  const term x = parameter("x"), y = parameter("y"), one = num(1);
  const term top = max(x, y), tail = exp(sub(min(x, y), top));
  const obligation o{"the longer of two", {}, add(exp(sub(x, top)), exp(sub(y, top))), add(one, tail)};
  claim c{o, decide(o, 5).cases};
  ASSERT_GT(c.cases.size(), 1U);
  EXPECT_TRUE(confirmed({c})) << evidence_of({c});
  claim less_of_them = c;
  less_of_them.cases.pop_back();
  EXPECT_FALSE(confirmed({less_of_them}));
  claim wrong = c;
  for (proof_case& one_case : wrong.cases)  // of those that no input is in, anything may be claimed
    if (one_case.right->type.kind == sort::real) one_case.right = add(one_case.right, one);
  EXPECT_FALSE(confirmed({wrong}));

  // log(e^x + e^y): the exponentials of both sides are compared
  const obligation sum{"log of a sum", {}, add(top, log_of(add(one, tail))), log_of(add(exp(x), exp(y)))};
  const obligation_result r = decide(sum, 5);
  ASSERT_EQ(r.result, outcome::proved) << r.detail;
  EXPECT_TRUE(confirmed({claim{sum, r.cases}})) << r.method;
}

//! The other functions are what they are by definition.
TEST(evidence_rules, functions_by_definition) {
  reset_terms();
  if (solver_is_missing()) GTEST_SKIP() << "cvc5 is not installed";
  const term x = parameter("x"), one = num(1), two = num(2);
  const auto of = [](const char* name, std::vector<term> a) { return call(name, std::move(a), double_type); };
  const std::vector<term> positive{less(num(0), x)};
  EXPECT_TRUE(confirmed({"log1p", positive, of("log1p", {x}), log_of(add(x, one))}));
  EXPECT_FALSE(confirmed({"log1p", positive, of("log1p", {x}), log_of(x)}));
  EXPECT_FALSE(confirmed({"log1p", {}, of("log1p", {x}), log_of(add(x, one))}));
  EXPECT_TRUE(confirmed({"expm1", {}, add(of("expm1", {x}), one), exp(x)}));
  EXPECT_TRUE(confirmed({"exp2", {}, of("exp2", {add(x, one)}), mul(two, of("exp2", {x}))}));
  EXPECT_FALSE(confirmed({"exp2", {}, of("exp2", {add(x, one)}), mul(num(3), of("exp2", {x}))}));
  EXPECT_TRUE(confirmed({"log2", {}, of("log2", {of("exp2", {x})}), x}));
  EXPECT_FALSE(confirmed({"log2", {}, of("log2", {exp(x)}), x}));
  EXPECT_TRUE(confirmed({"pow", positive, of("pow", {x, number(mpq_class(3, 2), double_type)}), mul(x, root_of(x))}));
  EXPECT_FALSE(confirmed({"pow", positive, of("pow", {x, number(mpq_class(3, 2), double_type)}), mul(x, x)}));
}

//! What is equal but for the order of operands, a square below a quotient, and integers that may be read as reals.
TEST(evidence_rules, sums_maxima_and_lengths) {
  reset_terms();
  if (solver_is_missing()) GTEST_SKIP() << "cvc5 is not installed";
  const term x = parameter("x"), y = parameter("y"), z = parameter("z"), n = parameter("n", long_type);
  EXPECT_TRUE(confirmed({"max", {}, max(x, max(y, z)), max(max(z, y), x)}));
  EXPECT_FALSE(confirmed({"max", {}, max(x, max(y, z)), max(z, y)}));
  EXPECT_FALSE(confirmed({"min", {}, min(x, min(y, z)), max(x, max(y, z))}));
  const term none = number(0, double_type), never = make(op::div, {x, none}, double_type);
  EXPECT_TRUE(confirmed({"branch", {less(none, x)}, select(less(none, x), y, never), y}));
  EXPECT_FALSE(confirmed({"branch", {}, select(less(none, x), y, never), y}));
  const term square = add(sub(mul(x, x), mul(num(2), mul(x, y))), mul(y, y)), apart = logical_not(equal(x, y));
  EXPECT_TRUE(confirmed({"square", {apart}, div(square, square), num(1)}));
  EXPECT_FALSE(confirmed({"square", {}, div(square, square), num(1)}));
  const term length = cast(n, double_type), some = less(number(0, long_type), n);
  EXPECT_TRUE(confirmed({"length", {some}, max(length, num(1)), length}));
  EXPECT_FALSE(confirmed({"length", {less_equal(number(0, long_type), n)}, max(length, num(1)), length}));
  EXPECT_TRUE(confirmed({"mean", {some}, mul(div(x, length), cast(add(n, n), double_type)), mul(num(2), x)}));
}

//! Remainders of words: where nothing wraps that is claimed, where something may it is kept.
TEST(evidence_rules, words) {
  reset_terms();
  if (solver_is_missing()) GTEST_SKIP() << "cvc5 is not installed";
  const term a = parameter("a", unsigned_type), b = parameter("b", unsigned_type), c = parameter("c", unsigned_type);
  const auto word = [](long v) { return number(v, unsigned_type); };
  const auto bits = [](op o, term s, term t) { return make(o, {s, t}, unsigned_type); };
  const auto below = [&](long m) { return std::vector<term>{less(a, word(m)), less(b, word(m)), less(c, word(m))}; };
  const auto early = [&](long m) {
    const auto rem = [&](term t) { return make(op::remainder, {t, word(m)}, unsigned_type); };
    return obligation{"remainders", below(m), rem(add(rem(mul(a, b)), c)), rem(add(mul(a, b), c))};
  };
  EXPECT_TRUE(confirmed(early(65521)));
  EXPECT_NE(evidence({early(65521)}).find("nothing wraps"), std::string::npos);
  EXPECT_FALSE(confirmed(early(70001)));  // a·b may pass 2^32
  EXPECT_TRUE(confirmed({"mask", {}, add(bits(op::bit_and, a, word(12)), bits(op::bit_and, a, word(0xfffffff3))), a}));
  EXPECT_FALSE(confirmed({"mask", {}, add(bits(op::bit_and, a, word(12)), bits(op::bit_and, a, word(0xfffffff1))), a}));
  EXPECT_TRUE(confirmed({"flip", {}, bits(op::bit_xor, bits(op::bit_or, a, word(6)), word(6)), bits(op::bit_and, a, word(0xfffffff9))}));
  EXPECT_TRUE(confirmed({"xor", {}, bits(op::bit_xor, bits(op::bit_xor, a, b), b), a}));
  EXPECT_FALSE(confirmed({"xor", {}, bits(op::bit_xor, a, b), bits(op::bit_or, a, b)}));
  EXPECT_EQ(not_written(evidence({{"xor", {}, bits(op::bit_xor, bits(op::bit_xor, a, b), b), a}})), 0U);
}

}  // namespace
}  // namespace twofold::analyser::testing
