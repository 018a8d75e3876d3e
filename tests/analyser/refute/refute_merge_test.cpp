// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Merges that a person might write: wrong ones are shown wrong on the shortest pieces, right ones are left alone.
#include <gtest/gtest.h>

#include "loops.hpp"
#include "refute/refute.hpp"

namespace twofold::analyser {
namespace {

term a(const char* name, type t = double_type) { return symbol(symbol_kind::left, name, t); }
term b(const char* name, type t = double_type) { return symbol(symbol_kind::right, name, t); }
using piece = counterexample::piece;

//! float denominator: running maximum m and sum l of exp(x − m).
spec online_softmax() {
  using namespace loops;
  const term m = state("m"), l = state("l"), x = read_of("x"), grown = max(m, x);
  const auto e = [](term t) { return call("exp", {t}, double_type); };
  return builder()
      .reads("x")
      .carries("m", double_type, minus_infinity(), grown)
      .carries("l", double_type, real(0), add(mul(l, e(sub(m, grown))), e(sub(x, grown))))
      .returns(result("l"));
}
term rescaled(term l, term m, term top) { return mul(l, call("exp", {sub(m, top)}, double_type)); }

TEST(refute_merge, leaves_the_right_merge_of_softmax_alone) {
  const term top = max(a("m"), b("m"));
  EXPECT_FALSE(refute_merge(online_softmax(), {top, add(rescaled(a("l"), a("m"), top), rescaled(b("l"), b("m"), top))}, 3));
}
TEST(refute_merge, softmax_without_rescaling) {
  const auto c = refute_merge(online_softmax(), {max(a("m"), b("m")), add(a("l"), b("l"))}, 10);
  ASSERT_TRUE(c);
  EXPECT_EQ(c->left, (piece{{"0"}}));
  EXPECT_EQ(c->right, (piece{{"1"}}));
  EXPECT_EQ(c->result, "(m, l) = (1, 2)");
  EXPECT_EQ(c->result2, "(m, l) = (1, 1.36788)") << "shown as doubles: the exact value is 1 + 1/e";
}
TEST(refute_merge, softmax_with_one_side_rescaled_the_wrong_way) {
  const term top = max(a("m"), b("m"));
  const term wrong = mul(b("l"), call("exp", {sub(top, b("m"))}, double_type));
  const auto c = refute_merge(online_softmax(), {top, add(rescaled(a("l"), a("m"), top), wrong)}, 10);
  ASSERT_TRUE(c);
  EXPECT_EQ(c->left, (piece{{"0"}}));
  EXPECT_EQ(c->right, (piece{{"-1"}}));
}
TEST(refute_merge, welford_without_the_cross_term) {
  const term n = add(a("n"), b("n"));
  const term mean = div(add(mul(a("n"), a("mean")), mul(b("n"), b("mean"))), n), delta = sub(b("mean"), a("mean"));
  const term cross = div(mul(mul(mul(delta, delta), a("n")), b("n")), n);
  EXPECT_FALSE(refute_merge(loops::welford(), {n, mean, add(add(a("m2"), b("m2")), cross)}, 2));
  const auto c = refute_merge(loops::welford(), {n, mean, add(a("m2"), b("m2"))}, 10);
  ASSERT_TRUE(c);
  EXPECT_EQ(c->left, (piece{{"0"}}));
  EXPECT_EQ(c->right, (piece{{"1"}}));
  EXPECT_EQ(c->result, "(n, mean, m2) = (2, 1/2, 0)");
  EXPECT_EQ(c->result2, "(n, mean, m2) = (2, 1/2, 1/2)");
}
TEST(refute_merge, swapped_sides) {
  EXPECT_FALSE(refute_merge(loops::last(), {b("l")}, 2));
  const auto c = refute_merge(loops::last(), {a("l")}, 10);
  ASSERT_TRUE(c);
  EXPECT_EQ(c->result, "l = 0");
  EXPECT_EQ(c->result2, "l = 1");
}
TEST(refute_merge, vectors_component_by_component) {
  EXPECT_FALSE(refute_merge(loops::weighted_rows(), {add(a("o"), b("o"))}, 2));
  const auto c = refute_merge(loops::weighted_rows(), {b("o")}, 10);
  ASSERT_TRUE(c);
  EXPECT_EQ(c->result, "o = [0]");
  EXPECT_EQ(c->result2, "o = [1]");
}
TEST(refute_merge, a_branch_on_an_exponential_is_not_decided_at_two) {
  // l > 1.4 holds for 1 + 1/2 but not for 1 + 1/e: with e taken as 2 this right merge would look wrong
  using namespace loops;
  const term top = max(a("m"), b("m")), l = add(rescaled(a("l"), a("m"), top), rescaled(b("l"), b("m"), top));
  spec s = online_softmax();
  const term step = s.passes[0].state[1].step, threshold = number(mpq_class(7, 5));
  s.passes[0].state.push_back({"big", boolean_type, state("big", boolean_type), boolean(false), less(threshold, step), {}, {}, {}});
  s.results.push_back(result("big", boolean_type));
  s.outputs.push_back({"big", boolean_type, s.results.back(), {}, {}});
  const auto c = refute_merge(s, {top, l, logical_or(less(threshold, l), boolean(false))}, 2);
  EXPECT_FALSE(c);
}

}  // namespace
}  // namespace twofold::analyser
