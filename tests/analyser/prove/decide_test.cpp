// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Single obligations: what must be proved, what must be refuted with an exact point, what must stay open.
#include <gtest/gtest.h>

#include "prove/prove.hpp"

namespace twofold::analyser {
namespace {

struct decision_of_obligations : ::testing::Test {
  void SetUp() override { reset_terms(); }
  static term real(const char* name) { return symbol(symbol_kind::parameter, name, double_type); }
  static term integer(const char* name) { return symbol(symbol_kind::parameter, name, int_type); }
  static term word(const char* name, std::uint8_t bits = 32) { return symbol(symbol_kind::parameter, name, {sort::integer, bits, false}); }
  static term exp(term a) { return call("exp", {a}, double_type); }
  static term n(long v) { return number(v); }
  static obligation_result ask(term a, term b, std::vector<term> hypotheses = {}) { return decide({"", std::move(hypotheses), a, b}, 5); }
  static void proved(term a, term b, std::vector<term> h = {}) {
    const auto r = ask(a, b, std::move(h));
    EXPECT_EQ(r.result, outcome::proved) << to_text(a) << " = " << to_text(b) << ": " << r.detail;
  }
  static void refuted(term a, term b, std::vector<term> h = {}) {
    const auto r = ask(a, b, std::move(h));
    EXPECT_EQ(r.result, outcome::refuted) << to_text(a) << " = " << to_text(b) << ": " << r.method << r.detail;
  }
  static void open(term a, term b, std::vector<term> h = {}) {
    const auto r = ask(a, b, std::move(h));
    EXPECT_EQ(r.result, outcome::unknown) << to_text(a) << " = " << to_text(b) << ": " << r.method << r.detail;
  }
};

TEST_F(decision_of_obligations, definedness_is_part_of_an_identity) {
  const term x = real("x"), y = real("y");
  open(div(x, x), n(1));
  proved(div(x, x), n(1), {logical_not(equal(x, n(0)))});
  proved(div(x, x), n(1), {less(n(0), x)});
  open(div(mul(x, y), y), x);
  open(exp(call("log", {x}, double_type)), x);
  proved(exp(call("log", {x}, double_type)), x, {less(n(0), x)});
  open(mul(call("sqrt", {x}, double_type), call("sqrt", {x}, double_type)), x);
  proved(mul(call("sqrt", {x}, double_type), call("sqrt", {x}, double_type)), x, {less_equal(n(0), x)});
  proved(div(exp(x), exp(x)), n(1));
  proved(div(n(1), add(exp(x), exp(y))), div(exp(neg(x)), add(n(1), exp(sub(y, x)))));
  // guarded by a branch
  proved(select(equal(x, n(0)), n(1), div(x, x)), n(1));
  open(select(equal(y, n(0)), n(1), div(x, x)), n(1));
  proved(select(logical_and(less(n(0), x), less(div(n(1), x), n(1))), n(1), n(0)), select(less(n(1), x), n(1), n(0)));
}

TEST_F(decision_of_obligations, the_index_of_a_fold_is_below_its_count) {
  const type bits{sort::integer, 32, false};
  const term x = word("x"), j = symbol(symbol_kind::inner_index, "bit", long_type), sum = symbol(symbol_kind::accumulator, "bit", int_type);
  const auto shifted = [&](term by) { return make(op::shift_right, {x, cast(by, bits)}, bits); };
  const auto ones = [&](long count, term y) {
    const term bit = cast(make(op::bit_and, {y, number(1L, bits)}, bits), int_type);
    return inner_fold("bit", number(count, long_type), number(0, int_type), add(sum, bit));
  };
  const term s = integer("s"), all = ones(32, shifted(j)), beyond = ones(33, shifted(j));
  proved(sub(add(s, all), all), s);
  open(sub(add(s, beyond), beyond), s);  // shifts by 32 at the end
  // what a guard says of an index is not said of another one of the same name inside
  const term inside = ones(40, shifted(j));
  const term nested = inner_fold("bit", number(20, long_type), number(0, int_type), add(sum, add(inside, cast(j, int_type))));
  open(sub(add(s, nested), nested), s);
  // nor is a condition that no index occurs in
  const term scale = real("scale"), acc = symbol(symbol_kind::accumulator, "t", double_type);
  const term quotients = inner_fold("t", number(3, long_type), number(0), add(acc, div(number(1), scale)));
  open(sub(add(scale, quotients), quotients), scale);
  proved(sub(add(scale, quotients), quotients), scale, {less(n(0), scale)});
}

TEST_F(decision_of_obligations, an_inactive_branch_does_not_leak) {
  const term x = real("x");
  const term c = logical_not(equal(x, n(0)));
  // at x = 0 the left side is 1, whatever 1/x would have been
  refuted(select(c, div(n(1), x), n(1)), n(0), {equal(x, n(0))});
  refuted(less(n(0), select(c, div(n(1), x), n(1))), boolean(false), {equal(x, n(0))});
  proved(less(n(0), select(c, div(n(1), x), n(1))), boolean(true), {less_equal(n(0), x)});
}

TEST_F(decision_of_obligations, order) {
  const term x = real("x"), y = real("y"), z = real("z");
  proved(min(max(x, y), z), max(min(x, z), min(y, z)));
  proved(add(max(x, y), min(x, y)), add(x, y));
  proved(sub(max(x, y), min(x, y)), abs(sub(x, y)));
  refuted(max(x, add(y, z)), add(max(x, y), z));
  proved(max(x, n(0)), x, {less_equal(n(0), x)});
  proved(max(mul(x, y), mul(x, z)), mul(x, max(y, z)), {less_equal(n(0), x)});
  refuted(max(mul(x, y), mul(x, z)), mul(x, max(y, z)));
  proved(select(less(x, y), y, x), max(x, y));
  proved(select(less_equal(x, y), y, x), max(x, y));
  proved(exp(sub(max(x, y), x)), max(n(1), exp(sub(y, x))), {less_equal(y, x), less_equal(x, y)});
}

TEST_F(decision_of_obligations, integers) {
  const term i = integer("i"), j = integer("j");
  const auto k = [](long v) { return number(v, int_type); };
  proved(less(i, j), less_equal(add(i, k(1)), j));
  proved(add(mul(make(op::quotient, {i, j}, int_type), j), make(op::remainder, {i, j}, int_type)), i, {logical_not(equal(j, k(0)))});
  refuted(add(mul(make(op::quotient, {i, j}, int_type), j), make(op::remainder, {i, j}, int_type)), i);  // no value where j = 0
  proved(make(op::quotient, {neg(i), k(2)}, int_type), neg(make(op::quotient, {i, k(2)}, int_type)));
  refuted(make(op::quotient, {sub(i, k(1)), k(2)}, int_type), sub(make(op::quotient, {add(i, k(1)), k(2)}, int_type), k(1)));
  proved(make(op::remainder, {add(i, k(3)), k(3)}, int_type), make(op::remainder, {i, k(3)}, int_type), {less_equal(k(0), i)});
}

TEST_F(decision_of_obligations, rounding) {
  const term x = real("x");
  const auto floor = [](term a) { return call("floor", {a}, double_type); };
  proved(floor(add(x, n(1))), add(floor(x), n(1)));
  refuted(floor(mul(n(2), x)), mul(n(2), floor(x)));
  proved(cast(cast(integer("i"), double_type), int_type), integer("i"));
}

TEST_F(decision_of_obligations, unsigned_wraps) {
  const type u16{sort::integer, 16, false};
  const term x = word("x", 16), y = word("y", 16), z = word("z", 16);
  proved(mul(x, add(y, z)), add(mul(x, y), mul(x, z)));
  refuted(max(add(x, z), add(y, z)), add(max(x, y), z));
  refuted(less(add(x, number(1, u16)), add(y, number(1, u16))), less(x, y));
  proved(add(make(op::bit_and, {x, y}, u16), make(op::bit_or, {x, y}, u16)), add(x, y));
  proved(make(op::bit_xor, {x, y}, u16), make(op::bit_xor, {y, x}, u16));
}

TEST_F(decision_of_obligations, exponentials_are_refuted_at_exact_points) {
  const term x = real("x"), y = real("y");
  refuted(exp(add(x, y)), add(exp(x), exp(y)));
  refuted(exp(sub(x, y)), exp(sub(y, x)));
  refuted(mul(exp(x), n(2)), exp(add(x, n(1))));
}

TEST_F(decision_of_obligations, unknown_functions_stay_unknown) {
  const term x = real("x"), y = real("y");
  const auto f = [](term a) { return call("f", {a}, double_type); };
  proved(f(add(x, y)), f(add(y, x)));
  open(f(x), f(y));
  proved(f(x), f(y), {equal(x, y)});
}

TEST_F(decision_of_obligations, specials_are_refused) {
  const term x = real("x");
  open(mul(x, infinity()), mul(x, infinity()));
  open(nan(), nan());
}

//! Points that small rationals do not reach: powers of e under logarithms, exponentials of both sides, and where a side has no value.
TEST_F(decision_of_obligations, logarithms_and_missing_values_are_refuted_at_exact_points) {
  const term x = real("x"), y = real("y"), u = word("u"), zero = number(0, u->type);
  const auto log = [](term t) { return call("log", {t}, double_type); };
  refuted(mul(x, log(x)), x, {less(n(0), x)});  // x = e² says so, no rational does
  refuted(add(log(x), log(add(x, y))), log(add(x, y)), {less(n(0), x), less(n(0), y)});
  refuted(log(add(exp(x), exp(y))), add(x, log(add(n(1), exp(sub(x, y))))));
  refuted(make(op::remainder, {u, zero}, u->type), u);
  refuted(log(add(x, n(1))), log(add(x, n(2))), {less(n(0), x)});
  refuted(div(y, x), y, {less_equal(n(0), x)});
}

}  // namespace
}  // namespace twofold::analyser
