// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Every mechanism in several arrangements: a candidate is found, the checker accepts it, and its merge gives the loop's state on
//! random splits, exactly. Loops that do not merge give nothing.
#include <gtest/gtest.h>

#include <algorithm>

#include "derive/part.hpp"
#include "expect.hpp"

namespace {

using namespace loops;

void expect_nothing(const spec& s) {
  const auto r = derive(s, 5);
  EXPECT_TRUE(r.found.empty());
  EXPECT_FALSE(r.tried.empty());
}

const term x = el("x"), y = el("y"), v = el("v"), m = st("m"), l = st("l"), o = st("o"), s = st("s"), h = st("h");
const term b = el("b", int_type), c = st("c", int_type), best = st("best", int_type), cur = st("cur", int_type), prev = st("prev");
const term ok = st("ok", boolean_type), pos = st("pos", long_type), n = st("n", int_type), mean = st("mean"), M2 = st("M2");
const term lowest = minus_infinity(), zero = integer(0), one = integer(1);

// --- sums in disguise
TEST(potential, softmax_in_several_arrangements) {
  const term next = max(m, x), bigger = less(m, x), scale = pa("scale");
  const std::vector<term> steps{add(mul(l, exp(sub(m, next))), exp(sub(x, next))),
                                select(bigger, add(mul(l, exp(sub(m, x))), num(1)), add(l, exp(sub(x, m)))),
                                add(mul(exp(sub(x, next)), num(1)), mul(exp(neg(sub(next, m))), l))};
  for (term step : steps) {
    const auto d = expect_merges(single({{m, lowest, select(bigger, x, m)}, {l, num(0), step}}), 0);
    const term a = symbol(symbol_kind::left, "m", double_type), other = symbol(symbol_kind::right, "m", double_type);
    EXPECT_EQ(merge_of(d, "m"), max(a, other));
    ASSERT_TRUE(d.merge.twist);
    EXPECT_EQ(d.merge.twist->coordinates.back().name, "l * exp(m)");
  }
  expect_merges(single({{m, lowest, next}, {l, num(0), add(mul(l, exp(mul(scale, sub(m, next)))), exp(mul(scale, sub(x, next))))}}), 0);
}
TEST(potential, log_sum_exp_alone_and_with_output) {
  const term lse = st("lse"), next = log(add(exp(lse), exp(x)));
  expect_merges(single({{lse, lowest, next}}), 0);
  expect_merges(single({{lse, lowest, next}, {o, num(0), add(mul(o, exp(sub(lse, next))), mul(v, exp(sub(x, next))))}}), 0);
}
TEST(potential, attention_normalised_at_every_step) {
  const term next = max(m, x), l2 = add(mul(l, exp(sub(m, next))), exp(sub(x, next)));
  const term o2 = div(add(mul(mul(o, l), exp(sub(m, next))), mul(exp(sub(x, next)), v)), l2);
  expect_merges(single({{m, lowest, next}, {l, num(0), l2}, {o, num(0), o2, true, true}}), 0);
}
TEST(potential, welford_and_higher_moments) {
  const term n1 = add(n, one), d = sub(x, mean), dn = div(d, real(n1)), next = add(mean, dn), M3 = st("M3");
  const term t1 = mul(mul(d, dn), real(n));
  const auto w = expect_merges(single({{n, zero, n1}, {mean, num(0), next}, {M2, num(0), add(M2, mul(d, sub(x, next)))}}), 0);
  EXPECT_FALSE(contains(merge_of(w, "M2"), [](const node& t) { return t.is(op::call); }));
  const term skew = add(M3, sub(mul(mul(t1, dn), real(sub(n1, integer(2)))), mul(mul(num(3), dn), M2)));
  expect_merges(single({{n, zero, n1}, {mean, num(0), next}, {M2, num(0), add(M2, t1)}, {M3, num(0), skew}}), 0);
  const term my = st("my"), C = st("C"), nexty = add(my, div(sub(y, my), real(n1)));
  expect_merges(single({{n, zero, n1}, {mean, num(0), next}, {my, num(0), nexty}, {C, num(0), add(C, mul(d, sub(y, nexty)))}}), 0);
}

// --- several passes
TEST(separation, softmax_and_attention) {
  const term rm = result_of(m), rl = result_of(l), ro = result_of(o), w = exp(sub(x, rm));
  expect_merges(several({{{m, lowest, max(m, x)}}, {{l, num(0), add(l, w)}}}, {{"m", rm}, {"l", rl}}), 0);
  spec a =
      several({{{m, lowest, max(m, x)}}, {{l, num(0), add(l, w)}}, {{o, num(0), add(o, mul(div(w, rl), v)), true, true}}}, {{"o", ro}});
  a.outputs[0].extent = a.passes[2].state[0].extent;
  a.outputs[0].component = a.passes[2].state[0].component;
  const auto d = expect_merges(a, 0);
  EXPECT_EQ(names(d, role::carried), (std::vector<std::string>{"m", "l", "o"}));
  EXPECT_EQ(to_text(d.finalize[0].value), "o / l");
}
TEST(separation, variance_skewness_covariance) {
  const term S = st("sum"), N = real(pa("n_total", long_type)), d = sub(x, div(result_of(S), N)), M3 = st("M3"), T = st("sy"), C = st("C");
  const auto var =
      expect_merges(several({{{S, num(0), add(S, x)}}, {{M2, num(0), add(M2, mul(d, d))}}}, {{"return", div(result_of(M2), N)}}), 1);
  EXPECT_EQ(names(var, role::carried), (std::vector<std::string>{"mean", "M2"}));
  EXPECT_EQ(names(var, role::added), (std::vector<std::string>{"count"}));
  expect_merges(several({{{S, num(0), add(S, x)}}, {{M2, num(0), add(M2, mul(d, d))}, {M3, num(0), add(M3, mul(mul(d, d), d))}}},
                        {{"return", div(result_of(M3), N)}, {"var", result_of(M2)}}),
                1);
  expect_merges(several({{{S, num(0), add(S, x)}}, {{M3, num(0), add(M3, mul(mul(d, d), d))}}}, {{"return", result_of(M3)}}), 2);
  expect_merges(several({{{S, num(0), add(S, x)}, {T, num(0), add(T, y)}}, {{C, num(0), add(C, mul(d, sub(y, div(result_of(T), N))))}}},
                        {{"return", result_of(C)}}),
                1);
}
TEST(separation, refuses_what_mixes) {
  const term S = st("sum"), N = real(pa("n_total", long_type)), d = sub(x, div(result_of(S), N));
  expect_nothing(several({{{S, num(0), add(S, x)}}, {{M2, num(0), add(M2, abs(d))}}}, {{"return", result_of(M2)}}));
  expect_nothing(several({{{m, num(1), max(m, x)}}, {{s, num(0), add(s, call("round", {div(x, result_of(m))}, double_type))}}},
                         {{"return", result_of(s)}}));
}

// --- accumulators and the right piece in the element's place
TEST(accumulator, monoids_guards_and_initial_values) {
  expect_merges(single({{s, num(100), add(s, x)}}), 0);
  expect_merges(single({{s, num(0), select(less(num(3), x), add(s, x), s)}}), 0);
  expect_merges(single({{s, num(1), mul(s, x)}}), 0);
  expect_merges(single({{m, num(0), select(less(num(3), y), max(m, x), m)}}), 0);
  expect_merges(single({{ok, boolean(false), select(equal(b, one), logical_not(ok), ok)}}), 0);
  const term u = st("u", type{sort::integer, 32, false}), xu = el("xu", u->type);
  expect_merges(single({{u, number(0, u->type), make(op::bit_xor, {u, xu}, u->type)}}), 0);
  expect_merges(single({{prev, num(0), x}}), 0);
}
TEST(in_place_of_element, arguments_payloads_and_counts) {
  expect_merges(single({{m, lowest, max(m, x)}, {pos, number(-1, long_type), select(less(m, x), ix(), pos)}}), 0);
  expect_merges(single({{m, lowest, max(m, x)}, {pos, number(-1, long_type), select(less_equal(m, x), ix(), pos)}}), 0);
  const term k = st("k", long_type);
  expect_merges(single({{k, number(0, long_type), add(k, number(1, long_type))},
                        {m, lowest, max(m, x)},
                        {pos, number(-1, long_type), select(less(m, x), k, pos)}}),
                0);
  expect_merges(single({{m, lowest, max(m, x)}, {c, zero, select(less(m, x), one, select(equal(m, x), add(c, one), c))}}), 0);
  const term hit = equal(b, pa("key", int_type));
  expect_merges(single({{ok, boolean(false), logical_or(ok, hit)}, {pos, number(-1, long_type), select(ok, pos, select(hit, ix(), pos))}}),
                0);
}
TEST(replay, two_largest) {
  const term m1 = st("m1"), m2 = st("m2"), floor = num(-1000);
  expect_merges(single({{m1, floor, max(m1, x)}, {m2, floor, max(m2, min(m1, x))}}), 0);
  expect_merges(single({{m1, floor, select(less(m1, x), x, m1)}, {m2, floor, select(less(m1, x), m1, select(less(m2, x), x, m2))}}), 0);
}

// --- closed compositions
TEST(closure, recurrences) {
  const term a = pa("alpha"), r = st("r", int_type);
  expect_merges(single({{h, num(0), add(mul(sub(num(1), a), h), mul(a, x))}}), 1);
  expect_merges(single({{h, num(0), add(mul(el("g"), h), x)}}), 1);
  expect_merges(single({{r, zero, add(mul(integer(10), r), b)}}), 1);
  const term fa = st("fa", int_type), fb = st("fb", int_type);
  expect_merges(single({{fa, zero, fb}, {fb, one, add(mul(b, fa), fb)}}), 2);
  expect_merges(single({{s, num(0), select(el("reset", boolean_type), x, add(s, x))}}), 1);
  expect_merges(single({{h, num(-1), select(less(num(0), x), x, h)}}), 1);
}
TEST(closure, segments) {
  const term mts = st("mts"), mss = st("mss"), open = max(add(mts, x), num(0)), kadane = select(less(num(0), mts), add(mts, x), x);
  expect_merges(single({{s, num(0), add(s, x)}, {m, num(0), max(m, add(s, x))}}), 0);
  expect_merges(single({{mts, num(0), open}}), 1);
  expect_merges(single({{mts, num(0), open, false}, {mss, num(0), max(mss, open)}}), 2);
  expect_merges(single({{mts, lowest, kadane, false}, {mss, num(-1000), select(less(mss, kadane), kadane, mss)}}), 2);
  const term lo = st("lo"), profit = st("profit");
  expect_merges(single({{lo, infinity(), min(lo, x)}, {profit, num(0), max(profit, sub(x, lo))}}), 1);
}
TEST(closure, runs) {
  const term next = select(equal(b, one), add(cur, one), zero);
  const auto d = expect_merges(single({{cur, zero, next}, {best, zero, max(best, next)}}), 2);
  EXPECT_EQ(names(d, role::added), (std::vector<std::string>{"all", "lead"}));
  expect_merges(single({{cur, zero, next}, {best, zero, select(less(best, next), next, best)}}), 2);
}
TEST(closure, junctions) {
  const term letter = logical_not(equal(b, integer(32))), in = st("in", boolean_type), before = st("before", int_type);
  expect_merges(single({{prev, lowest, x}, {ok, boolean(true), logical_and(ok, less_equal(prev, x))}}), 1);
  expect_merges(single({{prev, num(0), x}, {s, num(0), add(s, abs(sub(x, prev)))}}), 1);
  expect_merges(single({{before, integer(-1), b}, {c, zero, add(c, select(equal(b, before), zero, one))}}), 1);
  expect_merges(single({{in, boolean(false), letter}, {c, zero, select(logical_and(letter, logical_not(in)), add(c, one), c)}}), 1);
  expect_merges(single({{before, integer(-1), b, false}, {ok, boolean(true), logical_and(ok, logical_not(equal(b, before)))}}), 2);
}
TEST(closure, finite_control) {
  const term seen = st("seen", boolean_type), is_one = equal(b, one), is_two = equal(b, integer(2)), is_zero = equal(b, zero);
  expect_merges(single({{seen, boolean(false), logical_or(seen, is_zero)},
                        {ok, boolean(true), logical_and(ok, logical_not(logical_and(seen, is_one)))}}),
                1);
  expect_merges(single({{seen, boolean(false), logical_or(is_one, logical_and(is_zero, seen))},
                        {c, zero, select(logical_and(is_two, seen), add(c, one), c)}}),
                2);
  expect_merges(single({{ok, boolean(true), logical_not(ok), false}, {s, num(0), select(ok, add(s, x), sub(s, x))}}), 1);
}
TEST(bounded, clamps_and_thresholds) {
  expect_merges(single({{h, num(0), min(num(10), max(num(0), add(h, x)))}}), 3);
  expect_merges(single({{c, zero, add(c, b)}, {ok, boolean(true), logical_and(ok, less_equal(zero, add(c, b)))}}), 1);
  expect_merges(single({{c, zero, add(c, b)}, {ok, boolean(false), logical_or(ok, less(add(c, b), zero))}}), 1);
}

TEST(derive, gives_nothing_where_nothing_merges) {
  const term cand = st("cand"), empty = equal(c, zero);
  expect_nothing(
      single({{cand, num(0), select(empty, x, cand)}, {c, zero, select(empty, one, select(equal(x, cand), add(c, one), sub(c, one)))}}));
  expect_nothing(single({{h, num(0.5), mul(pa("r"), mul(h, sub(num(1), h)))}}));
  expect_nothing(single({{m, num(1), max(m, x)}, {s, num(0), add(s, call("round", {div(mul(num(7), x), max(m, x))}, double_type))}}));
}
TEST(derive, ends_when_its_time_is_up) {
  const spec hard = single({{h, num(0.5), mul(pa("r"), mul(h, sub(num(1), h)))}, {m, num(1), max(m, x)}, {s, num(0), add(s, h)}});
  const derive_result r = derive(hard, 0);
  EXPECT_TRUE(r.found.empty());
  EXPECT_FALSE(r.complete);
  ASSERT_FALSE(r.tried.empty());
  EXPECT_EQ(r.tried.back(), "the derivation met a limit: its share of the time");
  EXPECT_NO_THROW(static_cast<void>(derive(hard, 5)));  // the limit went with the derivation
}
TEST(derive, drops_what_no_output_sees) {
  const auto d = expect_merges(single({{s, num(0), add(s, x)}, {h, num(0.5), mul(h, sub(num(1), h)), false}}), 0);
  EXPECT_EQ(d.merge.variables.size(), 1U);
}
TEST(derive, looks_through_dot_products_and_odd_constants) {
  const term q = symbol(symbol_kind::array, "q", double_type), row = symbol(symbol_kind::array, "k", double_type),
             j = symbol(symbol_kind::inner_index, "j", long_type);
  const term acc = symbol(symbol_kind::accumulator, "j", double_type);
  const term dot = inner_fold("j", pa("d", long_type), num(0), add(acc, mul(read(q, {j}, double_type), read(row, {j}, double_type))));
  const term score = mul(dot, number(mpq_class(0.08838834764831845), double_type)), next = max(m, score);
  spec s1 = single({{m, lowest, next}, {l, num(0), add(mul(l, exp(sub(m, next))), exp(sub(score, next)))}});
  s1.passes[0].elements.push_back({row, "k", 0, pa("d", long_type)});
  const auto d = proved(s1);
  ASSERT_TRUE(d);
  EXPECT_TRUE(names(*d, role::added).empty());
  EXPECT_FALSE(contains(merge_of(*d, "l"), [](const node& t) { return t.is(op::symbol) && t.name.starts_with("#"); }));
}

}  // namespace
