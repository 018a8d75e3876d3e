// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Rules beyond fields and order: bits over GF(2), remainders, infinities as values, decodings that hold under a condition, extrema
//! of rows. Each proves what is true, leaves open what is not, and agrees with the interpreter on random words.
#include <gtest/gtest.h>

#include <random>

#include "analyser/prove/loops.hpp"
#include "ir/evaluate.hpp"
#include "prove/bits.hpp"
#include "prove/extended.hpp"
#include "prove/finite_folds.hpp"
#include "prove/normal.hpp"

namespace twofold::analyser::testing {
namespace {

constexpr type u8{sort::integer, 8, false}, u16{sort::integer, 16, false}, u32{sort::integer, 32, false};
constexpr type u64{sort::integer, 64, false}, i8{sort::integer, 8, true}, i64{sort::integer, 64, true};

struct algebra : ::testing::Test {
  void SetUp() override { reset_terms(); }
};

//! a = b at all small and extreme values of x and y, wherever both have a value.
bool equal_at_points(term a, term b, term x, term y) {
  exact_program p({a, b});
  const auto values = [](type t) {
    std::vector<mpz_class> r{0, 1, 2, 3, 6, 7, 8, 13, 100, 127};
    const mpz_class top = mpz_class(1) << (t.is_signed ? t.bits - 1 : t.bits);
    for (const mpz_class& v : std::vector<mpz_class>{128, 255, 256, 999, 1000, 65520, 65521, mpz_class(1) << 31, top - 1, top - 2, top - 7})
      if (v < top) r.push_back(v);
    if (t.is_signed)
      for (const mpz_class& v : std::vector<mpz_class>{1, 2, 3, 6, 7, 8, 13, 1000, top})
        if (v <= top) r.emplace_back(-v);
    return r;
  };
  for (const mpz_class& u : values(x->type))
    for (const mpz_class& v : values(y->type)) {
      p.set(x, {exact::kind::finite, u});
      p.set(y, {exact::kind::finite, v});
      p.run();
      if (p.value(0) && p.value(1) && !(*p.value(0) == *p.value(1))) {
        ADD_FAILURE() << "at " << u << ", " << v << ": " << to_text(*p.value(0)) << " and " << to_text(*p.value(1));
        return false;
      }
    }
  return true;
}

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
  const term i = cast(b, int_type);
  EXPECT_FALSE(equal_bits(cast(cast(i, i8), int_type), i)) << "what does not fit wraps, to a negative number";
  EXPECT_FALSE(equal_bits(parameter("i", int_type), with(op::bit_and, parameter("i", int_type), 0x7fffffff))) << "of int no width is known";
}
//! Random terms over two numbers below 8 against the table of their values: the polynomials of bits are unique, so a term equals its
//! table, and no other one.
TEST_F(algebra, bits_agree_with_the_interpreter) {
  std::minstd_rand random(4);
  const auto pick = [&](std::size_t n) { return static_cast<std::size_t>(random()) % n; };
  const term x8 = parameter("x", u8), y8 = parameter("y", u8), x = with(op::bit_and, x8, 7), y = with(op::bit_and, y8, 7);
  const auto some = [&](std::size_t n) { return static_cast<long>(pick(n)); };
  const std::function<term(int)> draw = [&](int depth) -> term {
    if (depth == 0) return pick(3) == 0 ? number(some(256), u8) : pick(2) ? x : y;
    const auto sub = [&] { return draw(depth - 1); };
    const op kinds[] = {op::bit_and, op::bit_or, op::bit_xor, op::add};
    switch (pick(8)) {
      case 0:
        return with(pick(2) ? op::shift_left : op::shift_right, sub(), some(8));
      case 1: {
        const term c = equal(with(op::bit_and, sub(), 1L << pick(8)), num(0, u8)), d = equal(sub(), sub());
        return select(pick(2) ? logical_and(c, logical_not(d)) : logical_or(c, d), sub(), sub());
      }
      case 2:
        return make(op::bit_not, {sub()}, u8);
      case 3:
        return with(op::mul, sub(), 1L << pick(8));
      case 4: {  // by way of int, where nothing is cut off and the sign goes on for ever
        const term w = make(op::bit_not, {with(op::shift_left, cast(sub(), int_type), some(4))}, int_type);
        const term v = add(cast(sub(), int_type), with(op::shift_right, w, some(12)));
        return cast(pick(2) ? v : with(op::shift_right, v, some(4)), u8);
      }
      case 5:
        return cast(
            with(pick(2) ? op::bit_xor : op::bit_and, add(cast(sub(), int_type), number(some(600) - 300, int_type)), some(500) - 250), u8);
      default:
        return both(kinds[pick(4)], sub(), sub());
    }
  };
  for (int k = 0; k < 150; ++k) {
    const term t = draw(1 + static_cast<int>(pick(3)));
    exact_program p({t});
    term table = num(0, u8), other = table;
    const int changed = static_cast<int>(pick(64));
    for (int at = 0; at < 64; ++at) {
      p.set(x8, {exact::kind::finite, mpq_class(at % 8)});
      p.set(y8, {exact::kind::finite, mpq_class(at / 8)});
      p.run();
      ASSERT_TRUE(p.value(0)) << to_text(t);
      const mpq_class v = p.value(0)->value, w = at == changed ? mpq_class(v + 1 + static_cast<long>(pick(254))) : v;
      const term here = logical_and(equal(x, num(at % 8, u8)), equal(y, num(at / 8, u8)));
      table = select(here, number(v, u8), table);
      other = select(here, number(w, u8), other);
    }
    EXPECT_TRUE(equal_bits(t, table)) << to_text(t);
    EXPECT_FALSE(equal_bits(t, other)) << to_text(t);
  }
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
//! Random terms of every width and sign, reworded by what would hold if nothing were negative and nothing wrapped: where the normal form
//! says that both are equal, they are.
TEST_F(algebra, remainders_agree_with_the_interpreter) {
  std::minstd_rand random(7);
  const auto pick = [&](std::size_t n) { return static_cast<std::size_t>(random()) % n; };
  const type types[] = {u8, u16, u32, u64, int_type, i64, i8};
  const long moduli[] = {1, 2, 7, 13, 200, 1000, 65521, 2147483647, -1, -7};
  int same = 0;
  for (int k = 0; k < 3000; ++k) {
    const type t = types[pick(7)];
    const term x = parameter("x", t), small = parameter("narrow", types[pick(7)]), y = cast(small, t);
    const term m = number(moduli[pick(t.is_signed ? 10 : 8)], t);
    const std::function<term(int)> draw = [&](int depth) -> term {
      const auto sub = [&] { return draw(depth - 1); };
      if (depth == 0) return pick(4) == 0 ? number(static_cast<long>(pick(600)) - 300, t) : pick(2) ? y : make(op::remainder, {x, m}, t);
      switch (pick(6)) {
        case 0:
          return pick(4) ? y : x;
        case 1:
          return make(op::remainder, {sub(), m}, t);
        case 2:
          return mul(sub(), sub());
        case 3:
          return select(less(y, x), sub(), sub());
        case 4:
          return cast(cast(sub(), types[pick(7)]), t);
        default:
          return add(sub(), sub());
      }
    };
    const std::function<term(term)> reword = [&](term u) -> term {  // congruent modulo m, if nothing wraps and nothing is negative
      const auto rem = [&](term v) { return make(op::remainder, {v, m}, t); };
      if (u->is(op::remainder) && u->args[1] == m && pick(2)) {
        const term v = u->args[0];
        if ((v->is(op::add) || v->is(op::mul)) && pick(2)) return make(v->kind, {rem(v->args[0]), rem(v->args[1])}, t);
        return pick(2) ? v : add(v, m);
      }
      if (pick(6) == 0) return rem(u);
      if (pick(8) == 0) return add(u, mul(m, number(static_cast<long>(pick(3)), t)));
      if (u->args.size() == 2 && (u->is(op::add) || u->is(op::mul)) && u->type == t)
        return make(u->kind, {reword(u->args[0]), reword(u->args[1])}, t);
      return u;
    };
    const term u = draw(1 + static_cast<int>(pick(3)));
    const term a = make(op::remainder, {u, m}, t), b = make(op::remainder, {reword(u), m}, t);
    if (const auto normal = simplify(a, 1)) {
      ASSERT_TRUE(equal_at_points(a, *normal, x, small)) << to_text(a) << " and its normal form " << to_text(*normal);
    }
    if (a == b) continue;
    normaliser f(deadline_in(1));
    bool said = false;
    try {
      said = f.equal(a, b);
    } catch (const limit_error&) {
    } catch (const not_normal&) {
    }
    same += said;
    if (said) {
      ASSERT_TRUE(equal_at_points(a, b, x, small)) << to_text(a) << " and " << to_text(b);
    }
    if (t.is_modular()) {  // and what is said to lie below a bound does
      const term below = less(a, number(static_cast<long>(pick(5)) + m->value.get_num().get_si() - 2, t));
      if (f(below) == rational(1)) {
        ASSERT_TRUE(equal_at_points(below, boolean(true), x, small)) << to_text(below);
      }
    }
  }
  EXPECT_GT(same, 200);
}
TEST_F(algebra, bounded_words_are_their_own_remainders) {
  const term x = parameter("x", u32), p = cast(parameter("p", u8), u32);
  const auto rem = [](term t) { return with(op::remainder, t, 65521); };
  EXPECT_TRUE(proved_equal(rem(add(rem(add(x, p)), p)), rem(add(x, add(p, p))), {less(x, num(65521, u32))}));
  EXPECT_FALSE(proved_equal(rem(add(rem(add(x, p)), p)), rem(add(x, add(p, p)))));
  EXPECT_TRUE(proved_equal(rem(x), x, {less(x, num(65521, u32))}));
  EXPECT_FALSE(proved_equal(rem(x), x, {less_equal(x, num(65521, u32))}));
}

//! x + 100 in int, cut off to eight bits: the conversion is not lost where the sum is written in the type of x.
TEST_F(algebra, narrowing_is_kept) {
  const term x = parameter("x", i8), sum = add(cast(x, int_type), num(100, int_type));
  EXPECT_FALSE(normaliser().equal(cast(sum, i8), cast(sum, i64)));
  EXPECT_FALSE(proved_equal(cast(cast(sum, i8), int_type), sum));
  const auto normal = simplify(cast(sum, i8));
  ASSERT_TRUE(normal);
  EXPECT_TRUE(equal_at_points(cast(sum, i8), *normal, x, x));
}

// --- logarithms
//! Where both sides hold logarithms their exponentials are compared: log-sum-exp of two, the larger one in front, is associative.
TEST_F(algebra, exponentials_of_both_sides) {
  const term a = parameter("a"), b = parameter("b"), c = parameter("c");
  const auto log = [](term t) { return call("log", {t}, double_type); };
  const auto sum = [&](term u, term v) {
    const term high = max(u, v);
    return add(high, log(add(num(1), exp(sub(min(u, v), high)))));
  };
  EXPECT_TRUE(proved_equal(sum(a, sum(b, c)), sum(sum(a, b), c)));
  EXPECT_FALSE(proved_equal(sum(a, sum(b, b)), sum(a, b)));
  EXPECT_FALSE(proved_equal(log(mul(a, b)), add(log(a), log(b)))) << "two negative numbers have a product with a logarithm";
}

// --- infinities as values
//! Random terms over the extended reals, read as terms over finite values: the same value at every point, or said to have none.
TEST_F(algebra, extended_reals_agree_with_the_interpreter) {
  std::minstd_rand random(11);
  const auto pick = [&](std::size_t n) { return static_cast<std::size_t>(random()) % n; };
  const term low = parameter("low"), high = parameter("high"), x = parameter("x");
  const term is_low = parameter("is_low", boolean_type), is_high = parameter("is_high", boolean_type);
  const extended_environment at{{low, {boolean(false), is_low, low}}, {high, {is_high, boolean(false), high}}};
  std::function<term(int)> draw;
  const auto condition = [&](int depth) {
    const op kinds[] = {op::less, op::less_equal, op::equal};
    const term c = make(kinds[pick(3)], {draw(depth), draw(depth)}, boolean_type);
    return pick(3) ? c : logical_not(c);
  };
  draw = [&](int depth) -> term {
    if (depth == 0) {
      const term leaves[] = {low, high, x, num(0), num(1), infinity(), minus_infinity()};
      return leaves[pick(pick(3) ? 3 : 7)];
    }
    switch (pick(8)) {
      case 0:
        return neg(draw(depth - 1));
      case 1:
        return call("exp2", {draw(0)}, double_type);
      case 2:
        return select(condition(depth - 1), draw(depth - 1), draw(depth - 1));
      case 3:
        return div(draw(depth - 1), draw(depth - 1));
      case 4:
        return add(draw(depth - 1), draw(depth - 1));
      default:
        return pick(2) ? max(draw(depth - 1), draw(depth - 1)) : min(draw(depth - 1), draw(depth - 1));
    }
  };
  const exact up{exact::kind::infinity, 0}, down{exact::kind::minus_infinity, 0};
  int compared = 0, infinite = 0;
  for (int k = 0; k < 600; ++k) {
    const term t = draw(1 + static_cast<int>(pick(3)));
    extended_reader read;
    std::vector<term> roots{t};
    try {
      const extended e = read(t, at);
      roots.insert(roots.end(), {e.above, e.below, e.value});
    } catch (const limit_error&) {
      continue;
    }
    roots.insert(roots.end(), read.undefined().begin(), read.undefined().end());
    exact_program source({t}), reading({roots.begin() + 1, roots.end()});
    for (int point = 0; point < 36; ++point) {
      const bool l = point % 2, h = point / 2 % 2;
      const exact junk{exact::kind::finite, static_cast<long>(pick(7)) - 3}, v{exact::kind::finite, static_cast<long>(pick(5)) - 2};
      const auto flag = [](bool b) { return exact{exact::kind::finite, b ? 1 : 0}; };
      for (exact_program* p : {&source, &reading}) {
        p->set(x, v), p->set(is_low, flag(l)), p->set(is_high, flag(h));
        p->set(low, p == &source && l ? down : junk), p->set(high, p == &source && h ? up : junk);
        p->run();
      }
      bool has_value = reading.value(0) && reading.value(1);
      for (std::size_t u = 4; u < roots.size(); ++u) has_value &= reading.value(u - 1) && reading.value(u - 1)->value == 0;
      if (!has_value) continue;
      const bool above = reading.value(0)->value == 1, below = reading.value(1)->value == 1;
      if (!reading.value(2)) continue;  // asked for beside an infinity too
      ASSERT_TRUE(source.value(0)) << to_text(t);
      const exact expected = above ? up : below ? down : *reading.value(2);
      ASSERT_EQ(*source.value(0), expected) << to_text(t) << " is " << to_text(*source.value(0)) << ", read " << to_text(expected);
      ++compared, infinite += above || below;
    }
  }
  EXPECT_GT(compared, 5000);
  EXPECT_GT(infinite, 500);
}
//! Beside an infinity nothing is asked of a value, but it must exist: −∞ + 0/0 is no state. Here n = 0 where b = −∞, and there alone.
TEST_F(algebra, what_has_no_value_has_none_beside_an_infinity) {
  for (const bool divides : {false, true}) {
    example e;
    const term x = element("x"), zero = num(0), counts = less(zero, x);
    e.reads(x).variable("n", double_type, zero).variable("b", double_type, minus_infinity());
    e.step("n", select(counts, add(e.s("n"), num(1)), e.s("n"))).step("b", select(counts, max(e.s("b"), x), e.s("b")));
    const term n = add(e.a("n"), e.b("n")), b = max(e.a("b"), e.b("b"));
    e.combine("n", n).combine("b", divides ? add(b, sub(div(n, n), num(1))) : b);
    e.at("b").unbounded = true;
    e.close();
    e.merge.invariant = {less_equal(zero, e.s("n")), logical_or(equal(exp(e.s("b")), zero), less_equal(num(1), e.s("n")))};
    const check_result r = check(e.loop, e.merge, 10);
    EXPECT_EQ(r.result == outcome::proved, !divides) << r.failed << " " << r.detail;
  }
}
TEST_F(algebra, what_may_be_infinite_starts_from_an_infinity) {
  for (term init : {num(0), nan(), term()}) {
    example e;
    const term x = element("x");
    e.reads(x).variable("b", double_type, init);
    e.step("b", max(e.s("b"), x)).combine("b", max(e.a("b"), e.b("b")));
    e.at("b").unbounded = true;
    if (init) e.close();
    else e.loop.state.push_back({"b", double_type, e.s("b"), num(0), max(e.s("b"), x), {}, {}, {}});
    EXPECT_NE(check(e.loop, e.merge, 10).result, outcome::proved);
  }
}
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
  // every rule but one holds of what is ∞ from the first element on
  example always = two_largest();
  always.step("b", infinity()).combine("b", infinity());
  always.loop.state[1].step = infinity();
  EXPECT_NE(check(always.loop, always.merge, 10).result, outcome::proved);
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
  auto invented = brackets_left_early(false);  // an answer from what is neither carried nor decoded
  const term gone = symbol(symbol_kind::state, "gone", int_type), at_the_end = symbol(symbol_kind::result, "gone", int_type);
  invented.s.passes[0].state.push_back({"gone", int_type, gone, num(0, int_type), add(gone, num(1, int_type)), {}, {}, {}});
  invented.s.results.push_back(at_the_end);
  for (term answer : {gone, at_the_end}) {
    invented.s.outputs[0].value = at_the_end;
    invented.finalize[0].value = answer;
    EXPECT_NE(check_passes(invented.s, {}, invented.e.merge, invented.finalize, 20).result, outcome::proved);
  }
  auto numeric = brackets_left_early(false);
  numeric.e.merge.claimed = {{numeric.e.s("depth"), num(1, int_type)}};
  EXPECT_NE(check_passes(numeric.s, {}, numeric.e.merge, numeric.finalize, 20).result, outcome::proved);
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
//! A maximum of a row is a number of its own only if it is the same one whatever the state and wherever a loop around it stands, and has no
//! condition of its own.
TEST_F(algebra, other_extrema_of_rows_are_not_named) {
  const term row = symbol(symbol_kind::array, "a", double_type), acc = symbol(symbol_kind::accumulator, "t", double_type);
  const term j = symbol(symbol_kind::inner_index, "t", long_type), outer = symbol(symbol_kind::inner_index, "u", long_type);
  const term s = symbol(symbol_kind::state, "s", double_type), n = symbol(symbol_kind::state, "n", long_type),
             cols = parameter("cols", long_type);
  const auto is_named = [&](term count, term init, term entry) {
    const term fold = inner_fold("t", count, init, max(acc, entry));
    spec p;
    p.outputs = {{"return", double_type, fold, {}, {}}};
    finite_folds rows;
    return rows.named(p).outputs[0].value != fold;
  };
  const term entry = read(row, {j}, double_type);
  EXPECT_TRUE(is_named(cols, minus_infinity(), entry));
  EXPECT_FALSE(is_named(n, minus_infinity(), entry)) << "another row at every state";
  EXPECT_FALSE(is_named(cast(outer, long_type), minus_infinity(), entry));
  EXPECT_FALSE(is_named(cols, minus_infinity(), read(row, {outer, j}, double_type))) << "another row in every round of the loop around it";
  EXPECT_FALSE(is_named(cols, minus_infinity(), add(entry, s)));
  EXPECT_FALSE(is_named(cols, minus_infinity(), call("log", {entry}, double_type))) << "rows of positive numbers only";
  EXPECT_FALSE(is_named(cols, num(0), entry));
  EXPECT_FALSE(is_named(cols, infinity(), entry));
}

}  // namespace
}  // namespace twofold::analyser::testing
