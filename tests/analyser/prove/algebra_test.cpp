// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Rules beyond fields and order: bits over GF(2), remainders, infinities as values, decodings that hold under a condition, extrema
//! of rows. Each proves what is true, leaves open what is not, and agrees with the interpreter on random words.
#include <gtest/gtest.h>

#include <random>

#include "analyser/prove/loops.hpp"
#include "ir/evaluate.hpp"
#include "prove/bits.hpp"
#include "prove/normal.hpp"

namespace twofold::analyser::testing {
namespace {

constexpr type u8{sort::integer, 8, false}, u32{sort::integer, 32, false};

struct algebra : ::testing::Test {
  void SetUp() override { reset_terms(); }
};

term with(op k, term a, long b) { return make(k, {a, number(b, a->type)}, a->type); }
term both(op k, term a, term b) { return make(k, {a, b}, a->type); }

// --- bits
TEST_F(algebra, bits_that_are_the_same) {
  const term x = parameter("x", u32), y = parameter("y", u32), b = parameter("b", u8), z = num(0, u32);
  const auto set = [&](term t, long mask) { return logical_not(equal(with(op::bit_and, t, mask), z)); };
  EXPECT_TRUE(equal_bits(both(op::bit_or, x, y), both(op::bit_xor, both(op::bit_xor, x, y), both(op::bit_and, x, y))));
  EXPECT_TRUE(equal_bits(with(op::shift_right, with(op::shift_left, x, 4), 4), with(op::bit_and, x, 0x0fffffff)));
  EXPECT_TRUE(equal_bits(select(set(x, 4), y, z), both(op::bit_and, y, select(set(x, 4), num(0xffffffff, u32), z))));
  EXPECT_TRUE(equal_bits(add(with(op::bit_and, x, 0xf0), with(op::bit_and, x, 0x0f)), with(op::bit_and, x, 0xff)));
  // promoted to int, shifted beyond eight bits, and cut off
  const term wide = with(op::shift_left, cast(b, int_type), 1);
  EXPECT_TRUE(equal_bits(cast(wide, u8), with(op::shift_left, b, 1)));
  EXPECT_TRUE(equal_bits(make(op::bit_not, {make(op::bit_not, {cast(b, int_type)}, int_type)}, int_type), cast(b, int_type)));
}
TEST_F(algebra, bits_that_differ) {
  const term x = parameter("x", u32), y = parameter("y", u32), b = parameter("b", u8);
  EXPECT_FALSE(equal_bits(with(op::shift_right, with(op::shift_left, x, 4), 4), x));
  EXPECT_FALSE(equal_bits(both(op::bit_or, x, y), both(op::bit_xor, x, y)));
  EXPECT_FALSE(equal_bits(with(op::shift_left, cast(b, int_type), 1), cast(with(op::shift_left, b, 1), int_type)));
  EXPECT_FALSE(equal_bits(parameter("i", int_type), with(op::bit_and, parameter("i", int_type), 0x7fffffff))) << "of int no width is known";
}
//! Random terms: what is said to be equal has equal values.
TEST_F(algebra, bits_agree_with_the_interpreter) {
  std::minstd_rand random(4);
  const term x = parameter("x", u8), y = parameter("y", u8);
  const auto pick = [&](std::size_t n) { return static_cast<std::size_t>(random()) % n; };
  const std::function<term(int)> draw = [&](int depth) -> term {
    if (depth == 0) return pick(3) == 0 ? number(static_cast<long>(pick(256)), u8) : pick(2) ? x : y;
    const op kinds[] = {op::bit_and, op::bit_or, op::bit_xor, op::add};
    switch (pick(4)) {
      case 0:
        return with(pick(2) ? op::shift_left : op::shift_right, draw(depth - 1), static_cast<long>(pick(8)));
      case 1:
        return select(equal(with(op::bit_and, draw(depth - 1), 1L << pick(8)), num(0, u8)), draw(depth - 1), draw(depth - 1));
      default:
        return both(kinds[pick(4)], draw(depth - 1), draw(depth - 1));
    }
  };
  int same = 0;
  for (int k = 0; k < 120; ++k) {
    const term a = draw(1 + static_cast<int>(pick(2)));
    const term b = pick(2) ? draw(1 + static_cast<int>(pick(2))) : both(op::bit_xor, both(op::bit_xor, y, a), y);
    bool equal_everywhere = true;
    exact_program p({a, b});
    for (int v = 0; v < 256 * 256 && equal_everywhere; v += 1 + static_cast<int>(pick(40))) {
      p.set(x, {exact::kind::finite, mpq_class(v % 256)});
      p.set(y, {exact::kind::finite, mpq_class(v / 256)});
      p.run();
      equal_everywhere = p.value(0) && p.value(1) && *p.value(0) == *p.value(1);
    }
    const bool said = equal_bits(a, b);
    same += said;
    if (said) {
      EXPECT_TRUE(equal_everywhere) << to_text(a) << " and " << to_text(b);
    }
  }
  EXPECT_GT(same, 3);
}

// --- remainders
TEST_F(algebra, remainders_are_a_homomorphism) {
  normaliser f;
  const auto rem = [](term t, long m) { return with(op::remainder, t, m); };
  const term x = parameter("x", u32), y = parameter("y", u32), p = cast(parameter("p", u8), u32);
  const term a = rem(x, 1000), b = rem(y, 1000);
  EXPECT_TRUE(f.equal(rem(add(rem(add(a, p), 1000), b), 1000), rem(add(add(a, b), p), 1000)));
  EXPECT_TRUE(f.equal(rem(mul(rem(mul(a, b), 1000), a), 1000), rem(mul(a, rem(mul(a, b), 1000)), 1000)));
  EXPECT_TRUE(f.equal(rem(add(a, num(1000, u32)), 1000), a));
  EXPECT_FALSE(f.equal(rem(add(a, p), 1000), rem(add(a, p), 999)));
  EXPECT_FALSE(f.equal(rem(add(x, p), 1000), rem(add(a, p), 1000))) << "x + p may wrap, a + p does not";
  EXPECT_FALSE(f.equal(rem(mul(x, y), 7), rem(mul(rem(x, 7), rem(y, 7)), 7))) << "x·y may wrap";
  const term i = parameter("i", int_type);
  EXPECT_FALSE(f.equal(rem(add(i, num(3, int_type)), 3), rem(i, 3))) << "a negative i has a negative remainder";
}
TEST_F(algebra, bounded_words_are_their_own_remainders) {
  const term x = parameter("x", u32), p = cast(parameter("p", u8), u32);
  const auto rem = [](term t) { return with(op::remainder, t, 65521); };
  EXPECT_TRUE(proved_equal(rem(add(rem(add(x, p)), p)), rem(add(x, add(p, p))), {less(x, num(65521, u32))}));
  EXPECT_FALSE(proved_equal(rem(add(rem(add(x, p)), p)), rem(add(x, add(p, p)))));
}

// --- infinities as values
example two_largest() {
  example e;
  const term x = element("x");
  e.reads(x).variable("a", double_type, minus_infinity()).variable("b", double_type, minus_infinity());
  e.step("a", max(e.s("a"), x)).step("b", max(e.s("b"), min(e.s("a"), x)));
  e.combine("a", max(e.a("a"), e.b("a"))).combine("b", max(max(e.a("b"), e.b("b")), min(e.a("a"), e.b("a"))));
  e.at("b").unbounded = true;
  return e.close();
}
TEST_F(algebra, nothing_yet_is_a_value) {
  const example e = two_largest();
  EXPECT_EQ(check(e.loop, e.merge, 10).result, outcome::proved);
}
TEST_F(algebra, infinities_are_admitted_only_where_they_are_said_to_be) {
  example silent = two_largest();
  silent.at("b").unbounded = false;
  EXPECT_NE(check(silent.loop, silent.merge, 10).result, outcome::proved);
  example wrong = two_largest();
  wrong.combine("b", max(wrong.a("b"), wrong.b("b")));
  EXPECT_NE(check(wrong.loop, wrong.merge, 10).result, outcome::proved);
  // ∞ − ∞: l is rescaled by a maximum that may not be there
  example undefined = two_largest();
  undefined.at("b").step = max(undefined.s("b"), sub(undefined.s("b"), undefined.s("b")));
  undefined.loop.state[1].step = undefined.at("b").step;
  EXPECT_NE(check(undefined.loop, undefined.merge, 10).result, outcome::proved);
}
TEST_F(algebra, the_other_infinity_is_no_value) {
  example e = two_largest();
  const term up = select(less(e.s("a"), num(0)), infinity(), e.s("b"));
  e.step("b", up).combine("b", e.b("b"));
  e.loop.state[1].step = up;
  EXPECT_NE(check(e.loop, e.merge, 10).result, outcome::proved);
}

// --- decodings under a condition
struct left_early {
  example e;
  spec s;
  std::vector<output> finalize;
};
left_early brackets_left_early(bool asks_for_depth) {
  left_early r;
  example& e = r.e;
  const term x = element("x", int_type);
  e.reads(x)
      .variable("depth", int_type, num(0, int_type))
      .variable("done", boolean_type, boolean(false))
      .added("low", int_type, infinity(int_type));
  const term next = add(e.s("depth"), x), sum = add(e.a("depth"), e.b("depth"));
  e.step("depth", next).step("done", logical_or(e.s("done"), less(next, num(0, int_type)))).step("low", min(e.s("low"), next));
  e.combine("depth", sum).combine("low", min(e.a("low"), add(e.a("depth"), e.b("low"))));
  e.combine("done", logical_or(e.a("done"), less(add(e.a("depth"), e.b("low")), num(0, int_type))));
  e.at("low").lift = x;
  e.close();
  e.loop.state[0].step = select(e.s("done"), e.s("depth"), next);
  e.merge.claimed = {{e.s("depth"), logical_not(e.s("done"))}};
  r.s.passes = {e.loop};
  for (const auto& v : e.loop.state) r.s.results.push_back(symbol(symbol_kind::result, v.name, v.type));
  const term depth = r.s.results[0], done = r.s.results[1];
  const term out = asks_for_depth ? depth : select(done, num(-1, int_type), depth);
  r.s.outputs = {{"return", int_type, out, {}, {}}};
  r.finalize = {{"return", int_type, substitute(out, {{depth, e.s("depth")}, {done, e.s("done")}}), {}, {}}};
  return r;
}
TEST_F(algebra, what_no_longer_matters_need_not_be_decoded) {
  const auto r = brackets_left_early(false);
  const check_result c = check_passes(r.s, {}, r.e.merge, r.finalize, 20);
  EXPECT_EQ(c.result, outcome::proved) << c.failed << " " << c.detail;
}
TEST_F(algebra, what_matters_must_be_decoded) {
  const auto asked = brackets_left_early(true);
  EXPECT_NE(check_passes(asked.s, {}, asked.e.merge, asked.finalize, 20).result, outcome::proved);
  auto unconditional = brackets_left_early(false);
  unconditional.e.merge.claimed.clear();
  EXPECT_NE(check_passes(unconditional.s, {}, unconditional.e.merge, unconditional.finalize, 20).result, outcome::proved);
}

// --- extrema of rows
TEST_F(algebra, extrema_of_rows_are_numbers_where_rows_are_not_empty) {
  example e;
  const term row = symbol(symbol_kind::array, "a", double_type), cols = parameter("cols", long_type);
  const term acc = symbol(symbol_kind::accumulator, "t", double_type), j = symbol(symbol_kind::inner_index, "t", long_type);
  const term top = inner_fold("t", cols, minus_infinity(), max(acc, read(row, {j}, double_type)));
  e.reads(row).variable("s", double_type, num(0));
  e.step("s", add(e.s("s"), top)).combine("s", add(e.a("s"), e.b("s"))).close();
  spec s;
  s.passes = {e.loop};
  s.results = {symbol(symbol_kind::result, "s", double_type)};
  s.outputs = {{"return", double_type, s.results[0], {}, {}}};
  const check_result c = check_passes(s, {}, e.merge, {{"return", double_type, e.s("s"), {}, {}}}, 10);
  EXPECT_EQ(c.result, outcome::proved) << c.failed << " " << c.detail;
  ASSERT_EQ(c.assumptions.size(), 1u);
  EXPECT_NE(c.assumptions[0].find("cols"), std::string::npos) << c.assumptions[0];
}

}  // namespace
}  // namespace twofold::analyser::testing
