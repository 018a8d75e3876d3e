// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Letters that are solved for: where no small elements bring two pieces together.
#include "refute/solved.hpp"

#include <gtest/gtest.h>

#include "loops.hpp"
#include "refute/refute.hpp"

namespace twofold::analyser {
namespace {

//! Every solution is one, and there is one.
void expect_solved(term t, const mpq_class& target, term x, const exact_environment& env = {}) {
  const auto found = solutions(t, exact_of(target), x, env);
  EXPECT_FALSE(found.empty()) << to_text(t);
  for (const exact& v : found) {
    exact_environment at = env;
    at[x] = v;
    const auto there = evaluate(t, at);
    ASSERT_TRUE(there);
    EXPECT_EQ(there->value, target) << to_text(t) << " at " << to_text(v);
  }
}

TEST(solved, sums_quotients_and_squares_are_taken_back) {
  const term x = loops::read_of("x"), y = loops::state("y");
  const exact_environment env{{y, exact_of(mpq_class(1, 2))}};
  expect_solved(sub(mul(x, loops::real(3)), y), 7, x, env);
  expect_solved(div(loops::real(6), add(x, y)), 4, x, env);
  expect_solved(mul(loops::real(2), add(y, div(mul(x, x), add(loops::real(1), mul(y, y))))), 11, x, env);
  expect_solved(neg(max(x, y)), -3, x, env);
  EXPECT_TRUE(solutions(mul(x, x), exact_of(2), x, {}).empty()) << "irrational";
}

TEST(solved, words_are_turned_back) {
  const type w = loops::unsigned_type;
  const term x = loops::read_of("x", 0, w), h = loops::state("h", w);
  const auto n = [&](long v) { return number(v, w); };
  const auto shifted = [&](op way, term t, long by) { return make(way, {t, n(by)}, w); };
  const exact_environment env{{h, exact_of(12345)}};
  const term mixed = make(op::bit_xor, {h, x}, w);
  const term turned = make(op::bit_or, {shifted(op::shift_left, mixed, 13), shifted(op::shift_right, mixed, 19)}, w);
  expect_solved(add(mul(turned, n(5)), n(77)), 4242424242L, x, env);
  expect_solved(make(op::bit_xor, {mixed, shifted(op::shift_right, mixed, 16)}, w), 99, x, env);
  expect_solved(make(op::bit_xor, {mixed, shifted(op::shift_left, mixed, 5)}, w), 99, x, env);
  EXPECT_TRUE(solutions(mul(x, n(2)), exact_of(4), x, {}).empty()) << "an even factor loses bits";
}

TEST(solved, a_hash_of_32_bits_does_not_merge) {
  const type w = loops::unsigned_type;
  const term x = loops::read_of("x", 0, w), h = loops::state("h", w);
  const auto n = [&](long v) { return number(v, w); };
  const term mixed = make(op::bit_xor, {h, x}, w);
  const term turned = make(op::bit_or, {make(op::shift_left, {mixed, n(13)}, w), make(op::shift_right, {mixed, n(19)}, w)}, w);
  const spec s = loops::builder().reads("x", w).carries("h", w, n(1), add(mul(turned, n(5)), n(77))).returns(loops::result("h", w));
  const auto c = refute(s, 20, 1);
  ASSERT_TRUE(c);
  EXPECT_EQ(c->right.size(), 1U);
  EXPECT_EQ(c->right2.size(), 2U);
  EXPECT_NE(c->result, c->result2);
}

//! What merges is not refuted by solved letters either.
TEST(solved, sums_and_products_meet_and_are_not_told_apart) {
  const term s = loops::state("s"), x = loops::read_of("x");
  collision_options o;
  o.solve = true;
  o.longest = 5;
  o.seconds = 20;
  for (const term step : {add(s, mul(loops::real(3), x)), mul(s, x), add(mul(s, loops::real(2)), x)}) {
    const spec loop = loops::builder().reads("x").carries("s", double_type, loops::real(1), step).returns(loops::result("s"));
    EXPECT_EQ(collision(loop, o).has_value(), contains(step, [](const node& n) { return is_number(term(&n), 2); })) << to_text(step);
  }
}

}  // namespace
}  // namespace twofold::analyser
