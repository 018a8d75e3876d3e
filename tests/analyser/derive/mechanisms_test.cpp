// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The last mechanisms alone, without the others before them: what each finds is proved and right on random words, and each says no
//! to its nearest neighbours.
#include <gtest/gtest.h>

#include <algorithm>

#include "derive/part.hpp"
#include "derive/sampling.hpp"
#include "loops.hpp"

namespace {

using namespace loops;
using deriving::part;
using deriving::part_result;

const term x = el("x"), v = st("v"), s = st("s", int_type), c = st("c", int_type), m = st("m");
const term started = st("started", boolean_type);

struct alone {
  pass loop;
  std::vector<candidate::variable> upstream;
  std::vector<std::string> tried;

  explicit alone(const std::vector<var>& variables) : loop(one_pass(variables)) {}
  part of(const char* name) const {
    const auto u = std::find_if(loop.state.begin(), loop.state.end(), [&](const state_variable& w) { return w.name == name; });
    return {loop, {&*u}, upstream};
  }
};

candidate candidate_of(const alone& a, const part_result& r) {
  candidate found;
  found.variables = a.upstream;
  found.variables.insert(found.variables.end(), r.variables.begin(), r.variables.end());
  found.invariant = r.invariant, found.decode = r.decode, found.along = r.along;
  return found;
}
void expect_right(const alone& a, const std::optional<part_result>& r) {
  ASSERT_TRUE(r) << (a.tried.empty() ? "" : a.tried.back());
  const candidate found = candidate_of(a, *r);
  const check_result proof = check(a.loop, found, 20);
  EXPECT_EQ(proof.result, outcome::proved) << proof.failed << ": " << proof.detail;
  EXPECT_FALSE(deriving::word_runner(found.variables, 11).differs(300));
}

TEST(fractional, quotients_of_two_linear_functions) {
  const term one = num(1), reciprocal = div(one, v);
  for (const auto& [init, step] : {std::pair{one, add(x, reciprocal)},
                                   {num(0), div(one, add(x, v))},
                                   {num(0), div(add(v, x), add(one, mul(v, x)))},
                                   {one, select(less(x, num(0)), sub(v, x), div(x, v))},
                                   {one, div(mul(v, x), add(v, x))},
                                   {one, sub(x, div(v, add(v, one)))}}) {
    alone a({{v, init, step}});
    const auto r = fractional(a.of("v"), a.tried);
    expect_right(a, r);
    EXPECT_EQ(r->variables.size(), 4U) << "the value is the fraction at the initial value";
    EXPECT_EQ(r->along.size(), 1U);
  }
}
TEST(fractional, the_first_step_may_be_another_fraction) {
  alone a({{started, boolean(false), boolean(true), false}, {v, num(0), select(started, add(x, div(num(1), v)), x)}});
  a.upstream.push_back(deriving::carried(a.loop.state[0]));
  a.upstream[0].merge = symbol(symbol_kind::right, "started", boolean_type);
  expect_right(a, fractional(a.of("v"), a.tried));
}
TEST(fractional, nothing_else) {
  const term one = num(1);
  for (term step : {add(x, div(one, mul(v, v))), mul(v, v), select(less(num(0), v), add(v, x), div(one, v)), add(v, div(one, v)), exp(v)}) {
    alone a({{v, one, step}});
    EXPECT_FALSE(fractional(a.of("v"), a.tried)) << to_text(step);
    EXPECT_FALSE(a.tried.empty());
  }
  alone turned({{v, minus_infinity(), mul(x, v)}});  // the infinity is kept, or turned over
  const auto kept = fractional(turned.of("v"), turned.tried);
  EXPECT_TRUE(!kept || check(turned.loop, candidate_of(turned, *kept), 5).result != outcome::proved);
  alone read({{v, one, add(x, div(one, v))}, {m, num(0), add(m, v)}});
  EXPECT_FALSE(fractional(read.of("v"), read.tried)) << "another variable needs the value itself at every step";
}

TEST(fractional, from_infinity) {
  alone a({{v, infinity(), add(x, div(num(1), v))}});
  expect_right(a, fractional(a.of("v"), a.tried));
}

//! A wrong product of matrices, numerator for denominator: the checker sees it.
TEST(fractional, is_not_trusted) {
  alone a({{v, num(1), add(x, div(num(1), v))}});
  const auto r = fractional(a.of("v"), a.tried);
  ASSERT_TRUE(r);
  candidate wrong = candidate_of(a, *r);
  std::swap(wrong.variables[0].merge, wrong.variables[1].merge);
  EXPECT_NE(check(a.loop, wrong, 10).result, outcome::proved);
  wrong = candidate_of(a, *r);
  wrong.along.clear();
  EXPECT_NE(check(a.loop, wrong, 10).result, outcome::proved);
}

TEST(learned, remainders_of_sums) {
  const term byte = cast(el("byte", type{sort::integer, 8, false}), int_type), seven = integer(7);
  alone a({{s, integer(0), make(op::remainder, {add(s, byte), seven}, int_type)}});
  const auto r = learned(a.of("s"), a.tried);
  ASSERT_TRUE(r);
  const term sum = add(symbol(symbol_kind::left, "s", int_type), symbol(symbol_kind::right, "s", int_type));
  EXPECT_EQ(r->variables[0].merge, make(op::remainder, {sum, seven}, int_type));
  EXPECT_FALSE(deriving::word_runner(r->variables, 11).differs(300));
  // of numbers of both signs the remainder has the sign of the sum: then it is no merge
  alone both({{s, integer(0), make(op::remainder, {add(s, el("y", int_type)), seven}, int_type)}});
  EXPECT_FALSE(learned(both.of("s"), both.tried));
  EXPECT_FALSE(both.tried.empty());
}
//! How often the maximum occurs: two comparisons of what is upstream.
TEST(learned, a_tree_over_what_is_upstream) {
  const term above = less(m, x), ties = equal(m, x);
  alone a({{m, minus_infinity(), max(m, x)}, {c, integer(0), select(above, integer(1), select(ties, add(c, integer(1)), c))}});
  a.upstream.push_back(deriving::carried(a.loop.state[0]));
  a.upstream[0].merge = max(symbol(symbol_kind::left, "m", double_type), symbol(symbol_kind::right, "m", double_type));
  expect_right(a, learned(a.of("c"), a.tried));
  alone weighted({{m, minus_infinity(), max(m, x)}, {c, integer(0), select(above, integer(1), add(add(c, c), integer(1)))}});
  weighted.upstream = a.upstream;
  EXPECT_FALSE(learned(weighted.of("c"), weighted.tried));
}

//! The whole summary: nothing is read off anything else, and what is proved of it are the laws of the summary alone.
TEST(closure, the_whole_summary_is_proved_too) {
  const term g = pa("g"), low = pa("low"), high = pa("high");
  for (term step : {add(mul(g, v), x), max(add(v, x), num(0)), min(max(add(v, x), low), high)}) {
    alone a({{v, num(0), step}});
    const auto least = deriving::all_parts(a.loop, {v}, a.tried),
               whole = deriving::all_parts(a.loop, {v}, a.tried, deriving::thrift::whole);
    expect_right(a, whole);
    ASSERT_TRUE(least);
    EXPECT_GE(whole->variables.size(), least->variables.size());
  }
  alone square({{v, num(0), add(mul(v, v), x)}});
  EXPECT_FALSE(deriving::all_parts(square.loop, {v}, square.tried, deriving::thrift::whole));
}

}  // namespace
