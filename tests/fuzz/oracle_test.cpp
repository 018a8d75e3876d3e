// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The fuzzer's own power: broken merges, false witnesses and misread loops are noticed, and what is noticed is made small.
#include <gtest/gtest.h>

#include "analyse.hpp"
#include "fuzz/judge.hpp"
#include "fuzz/shrink.hpp"
#include "prove/mutate.hpp"

namespace twofold::analyser::fuzz {
namespace {

candidate candidate_of(const decision& d) {
  candidate c;
  for (const merged_variable& v : d.state)
    c.variables.push_back(
        {v.name, v.type, v.role, symbol(symbol_kind::state, v.name, v.type), v.init, v.lift, v.step, v.merge, {}, {}, {}});
  return c;
}

TEST(Oracle, BrokenMergesAreNoticed) {
  std::size_t killed = 0, all = 0, loops = 0;
  for (std::uint64_t seed = 1; loops < 10; ++seed) {
    reset_terms();
    const sample s = generate(seed);
    decision d = decide_loop(s.loop, {});
    if (d.verdict != verdict::associative || s.answer == known::open) continue;  // loops at random have branches that are never taken
    ++loops;
    evidence e;
    ASSERT_EQ(wrong(s, d, seed, e), std::nullopt) << seed;
    ASSERT_GE(e.splits, 48U);
    for (const mutant& m : mutants(candidate_of(d))) {
      for (std::size_t v = 0; v < d.state.size(); ++v) d.state[v].merge = m.merge.variables[v].merge;
      ++all;
      bool noticed = false;
      for (std::uint64_t again = 0; again < 3 && !noticed; ++again) noticed = wrong(s, d, seed + again, e).has_value();
      killed += noticed;
    }
  }
  EXPECT_GT(all, 100U);
  EXPECT_GE(killed * 100, all * 90) << killed << " of " << all;  // the rest: equal on reachable states, or seen by no output
  std::cout << killed << " of " << all << " mutants noticed by running them\n";
}

TEST(Oracle, AWrongVerdictEitherWayIsNoticed) {
  std::size_t associative = 0, refuted = 0;
  for (std::uint64_t seed = 1; associative < 3 || refuted < 6; ++seed) {
    reset_terms();
    sample s = generate(seed);
    decision d = decide_loop(s.loop, {.seconds = 1});
    evidence e;
    if (d.verdict == verdict::associative && s.answer == known::merges) {
      ++associative;
      d.verdict = verdict::not_associative;
      EXPECT_TRUE(wrong(s, d, seed, e)) << seed;
      d.verdict = verdict::associative;
      d.proof.reset();
      EXPECT_TRUE(wrong(s, d, seed, e)) << seed;
    }
    if (d.verdict != verdict::not_associative) continue;
    ++refuted;
    ASSERT_EQ(wrong(s, d, seed, e), std::nullopt) << seed;
    EXPECT_TRUE(e.witness);
    decision same = d;
    same.counterexample->right2 = same.counterexample->right;
    EXPECT_TRUE(wrong(s, same, seed, e)) << "the outputs do not differ: " << seed;
    decision longer = d;
    longer.counterexample->left.push_back(longer.counterexample->left[0]);
    EXPECT_TRUE(wrong(s, longer, seed, e)) << seed;
  }
}

//! max(s + x, 0) "merged" as if it were max(a + b, 0): right on most inputs of one sign.
TEST(Oracle, AMergeThatIsRightAlmostEverywhereIsNoticed) {
  reset_terms();
  const term s = symbol(symbol_kind::state, "s", int_type), x = symbol(symbol_kind::element, "x[i]", int_type), zero = number(0, int_type);
  sample k;
  pass p;
  p.index = "i";
  p.begin = zero, p.end = symbol(symbol_kind::parameter, "n", int_type);
  p.elements.push_back({x, "x", 0, {}});
  p.state.push_back({"s", int_type, s, zero, max(add(s, x), zero), {}, {}, {}});
  k.loop.parameters = {{"n", "int", int_type, parameter_role::length, {}}, {"x", "const int*", int_type, parameter_role::input_array, {}}};
  k.loop.passes = {p};
  k.loop.results = {symbol(symbol_kind::result, "s", int_type)};
  k.loop.outputs = {{"return", int_type, k.loop.results[0], {}, {}}};
  decision d;
  d.verdict = verdict::associative;
  d.proof = proof{true, "a claim", {}, {}};
  const term a = symbol(symbol_kind::left, "s", int_type), b = symbol(symbol_kind::right, "s", int_type);
  d.state.push_back({"s", int_type, role::carried, {}, {}, zero, true, max(x, zero), p.state[0].step, max(add(a, b), zero), {}});
  d.finalize = {{"return", int_type, s, {}, {}}};
  evidence e;
  EXPECT_TRUE(wrong(k, d, 1, e));
}

TEST(Oracle, AMisreadLoopIsNoticed) {
  for (std::uint64_t seed = 1; seed < 20; ++seed) {
    reset_terms();
    const sample s = generate(seed);
    EXPECT_EQ(differ(s.loop, s.loop, seed), std::nullopt);
    spec other = s.loop;
    other.outputs.back().value = add(other.outputs.back().value, number(1, other.outputs.back().type));
    EXPECT_TRUE(differ(s.loop, other, seed)) << seed;
  }
}

TEST(Oracle, FaultsAreMadeSmall) {
  reset_terms();
  const auto holds_a_product = [](const sample& s) {
    bool product = false;
    for (const pass& p : s.loop.passes)
      for (const state_variable& v : p.state) product |= contains(v.step, [](const node& n) { return n.is(op::mul); });
    return product;
  };
  for (std::uint64_t seed = 1, tried = 0; tried < 5; ++seed) {
    const sample s = generate(seed);
    if (!holds_a_product(s)) continue;
    ++tried;
    const sample least = shrunk(s, holds_a_product);
    EXPECT_TRUE(holds_a_product(least));
    std::vector<term> steps;
    for (const pass& p : least.loop.passes)
      for (const state_variable& v : p.state) steps.push_back(v.step);
    EXPECT_LE(count_nodes(steps), 5U) << as_source(least.loop, "f");
  }
}

TEST(Generator, ASeedMakesTheSameLoopEveryTime) {
  for (std::uint64_t seed : {1ULL, 2ULL, 1000003ULL, ~0ULL}) {
    const std::string once = as_source(generate(seed).loop, "f");
    reset_terms();
    EXPECT_EQ(as_source(generate(seed).loop, "f"), once);
  }
  EXPECT_NE(as_source(generate(1).loop, "f"), as_source(generate(2).loop, "f"));
}

}  // namespace
}  // namespace twofold::analyser::fuzz
