// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Lemma 2 on loops with their merges: right ones are proved, wrong ones are not, and the reason is said.
#include <gtest/gtest.h>

#include <ctime>

#include "analyser/prove/loops.hpp"
#include "prove/evidence.hpp"

namespace twofold::analyser::testing {
namespace {

using maker = example (*)();

struct named {
  const char* name;
  maker make;
};
void PrintTo(const named& n, std::ostream* out) { *out << n.name; }

const named right[] = {
    {"sum", [] { return sum(); }},
    {"softmax_online", [] { return softmax_online(); }},
    {"attention", [] { return attention(); }},
    {"welford", [] { return welford(); }},
    {"ema", [] { return ema(); }},
    {"max_segment_sum", [] { return max_segment_sum(); }},
    {"max_segment_sum_real", [] { return max_segment_sum(double_type); }},
    {"max_prefix_sum", [] { return max_prefix_sum(long_type); }},
    {"longest_run", [] { return longest_run(); }},
    {"is_sorted", [] { return is_sorted(); }},
    {"brackets", [] { return brackets(); }},
    {"argmax", [] { return argmax(); }},
    {"word_count", [] { return word_count(); }},
    {"atoi", [] { return atoi(); }},
    {"atoi_unsigned", [] { return atoi(unsigned_type); }},
    {"first_last", [] { return first_last(); }},
};

struct right_merges : ::testing::TestWithParam<named> {
  void SetUp() override { reset_terms(); }
};

TEST_P(right_merges, are_proved) {
  const example e = GetParam().make();
  const std::clock_t start = std::clock();  // of this process: machines are shared
  const check_result r = check(e.loop, e.merge, 30);
  const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  EXPECT_EQ(r.result, outcome::proved) << r.failed << ": " << r.detail;
  EXPECT_TRUE(r.proof.proved);
  EXPECT_FALSE(r.proof.method.empty());
  EXPECT_LT(seconds, 1.0);
  RecordProperty("seconds", std::to_string(seconds));
  std::cout << GetParam().name << ": " << seconds << " s, " << r.proof.method << "\n";
}
INSTANTIATE_TEST_SUITE_P(checker, right_merges, ::testing::ValuesIn(right), [](const auto& i) { return i.param.name; });

struct checker : ::testing::Test {
  void SetUp() override { reset_terms(); }
  static outcome of(const example& e) { return check(e.loop, e.merge, 5).result; }
};

TEST_F(checker, wrong_merges_are_refuted_at_exact_points) {
  example e = softmax_online();
  const term k = max(e.a("m"), e.b("m"));
  e.combine("l", add(mul(e.a("l"), exp(sub(k, e.a("m")))), mul(e.b("l"), exp(sub(e.b("m"), k)))));
  auto r = check(e.loop, e.merge, 5);
  EXPECT_EQ(r.result, outcome::refuted) << r.failed << r.detail;
  EXPECT_NE(r.failed.find("(l)"), std::string::npos);
  EXPECT_NE(r.detail.find("a.m = "), std::string::npos) << r.detail;

  e = welford();
  e.combine("M2", add(e.a("M2"), e.b("M2")));
  r = check(e.loop, e.merge, 5);
  EXPECT_EQ(r.result, outcome::refuted) << r.failed << r.detail;

  e = ema();
  e.combine("h", add(mul(e.a("p"), e.a("h")), e.b("h")));
  EXPECT_EQ(of(e), outcome::refuted);

  e = argmax();
  e.combine("at", select(less(e.a("best"), e.b("best")), e.b("at"), e.a("at")));
  EXPECT_EQ(of(e), outcome::refuted);
  e = argmax();  // last index instead of first
  const term later = less_equal(e.a("best"), e.b("best"));
  e.combine("at", select(later, add(e.a("n"), e.b("at")), e.a("at")));
  EXPECT_EQ(of(e), outcome::refuted);
}

TEST_F(checker, unsigned_sums_do_not_commute_with_max) {
  EXPECT_EQ(of(max_prefix_sum(int_type)), outcome::proved);
  EXPECT_NE(of(max_prefix_sum(unsigned_type)), outcome::proved);
  EXPECT_NE(of(max_segment_sum(unsigned_type)), outcome::proved);
}

TEST_F(checker, rounding_breaks_the_quantiser) {
  EXPECT_EQ(of(quantiser(false)), outcome::proved);
  reset_terms();
  const example e = quantiser(true);
  const auto r = check(e.loop, e.merge, 5);
  EXPECT_NE(r.result, outcome::proved);
  EXPECT_NE(r.failed.find("(s)"), std::string::npos) << r.failed;
}

TEST_F(checker, a_merge_must_not_read_the_element) {
  example e = sum();
  e.combine("s", add(e.a("s"), element("x")));
  EXPECT_NE(of(e), outcome::proved);
  e = sum();
  e.combine("s", add(add(e.a("s"), e.b("s")), sub(e.s("s"), e.s("s"))));
  EXPECT_EQ(of(e), outcome::proved);  // folded away
  // for the last element the rule would hold if the merge's x were the step's
  example last;
  last.reads(element("x")).variable("s", double_type, num(0));
  last.step("s", element("x")).combine("s", element("x")).close();
  const auto r = check(last.loop, last.merge, 5);
  EXPECT_EQ(r.result, outcome::unknown);
  EXPECT_EQ(r.failed, "well-formedness");
  last.combine("s", last.b("s"));
  EXPECT_EQ(of(last), outcome::proved);
  e = sum();
  e.combine("s", add(add(e.a("s"), e.b("s")), mul(num(2), e.s("s"))));
  EXPECT_NE(of(e), outcome::proved);
}

TEST_F(checker, an_associative_merge_of_something_else_is_no_merge_of_the_loop) {
  example e = sum();
  e.combine("s", max(e.a("s"), e.b("s")));
  EXPECT_EQ(of(e), outcome::refuted);
  e = sum();
  e.combine("s", e.a("s"));
  EXPECT_EQ(of(e), outcome::refuted);
}

TEST_F(checker, division_needs_its_invariant) {
  example e = welford();
  e.merge.invariant.clear();
  const auto r = check(e.loop, e.merge, 5);
  EXPECT_EQ(r.result, outcome::unknown);
  EXPECT_NE(r.detail.find("not known"), std::string::npos) << r.detail;
}

TEST_F(checker, invariants_must_be_inductive) {
  example e = sum();
  e.merge.invariant.push_back(less_equal(num(0), e.s("s")));
  const auto r = check(e.loop, e.merge, 5);
  EXPECT_EQ(r.result, outcome::refuted);
  EXPECT_NE(r.failed.find("invariant"), std::string::npos);
  e = sum();
  e.merge.invariant.push_back(boolean(false));  // everything would follow
  EXPECT_NE(of(e), outcome::proved);
}

TEST_F(checker, decoding_must_follow_the_loop) {
  // the loop keeps a mean; the candidate a sum and a count
  example e;
  const term x = element("x");
  e.reads(x).added("s", double_type, num(0)).added("n", double_type, num(0));
  e.step("s", add(e.s("s"), x))
      .step("n", add(e.s("n"), num(1)))
      .combine("s", add(e.a("s"), e.b("s")))
      .combine("n", add(e.a("n"), e.b("n")));
  e.merge.invariant.push_back(less(num(0), e.s("n")));
  state_variable mean, n;
  n.name = "k", n.type = double_type, n.symbol = symbol(symbol_kind::state, "k", double_type), n.init = num(0);
  n.step = add(n.symbol, num(1));
  mean.name = "mean", mean.type = double_type, mean.symbol = symbol(symbol_kind::state, "mean", double_type), mean.init = num(0);
  mean.step = add(mean.symbol, div(sub(x, mean.symbol), add(n.symbol, num(1))));
  e.loop.state = {n, mean};
  e.merge.decode = {{n.symbol, e.s("n")}, {mean.symbol, div(e.s("s"), e.s("n"))}};
  auto r = check(e.loop, e.merge, 5);
  EXPECT_EQ(r.result, outcome::unknown);  // 0/0 for the empty input
  EXPECT_NE(r.failed.find("empty"), std::string::npos) << r.failed;
  // the empty state adjoined
  for (auto& v : e.merge.variables) v.init = {}, v.lift = v.name == "s" ? x : num(1);
  EXPECT_EQ(of(e), outcome::proved);
  e.merge.decode[1].second = div(e.s("s"), add(e.s("n"), num(1)));
  EXPECT_EQ(of(e), outcome::refuted);
  e.merge.decode.pop_back();
  EXPECT_EQ(of(e), outcome::proved);  // mean is dropped
  e.merge.decode = {{mean.symbol, div(e.s("s"), e.s("n"))}};
  r = check(e.loop, e.merge, 5);
  EXPECT_EQ(r.result, outcome::unknown);
  EXPECT_NE(r.detail.find("depends on k"), std::string::npos);
}

//! What the loop needs to have a value at all is assumed, and said; what only the merge needs is not.
TEST_F(checker, the_loops_own_domain_is_assumed) {
  const term x = element("x"), cap = parameter("cap");
  example e;
  e.reads(x).variable("s", double_type, num(0));
  e.step("s", add(e.s("s"), div(cap, x))).combine("s", add(e.a("s"), e.b("s"))).close();
  auto r = check(e.loop, e.merge, 5);
  EXPECT_EQ(r.result, outcome::proved) << r.failed << r.detail;
  ASSERT_EQ(r.assumptions.size(), 1U);
  EXPECT_EQ(r.assumptions[0], "every element: not (x == 0), as cap / x in the loop needs");
  e = sum();
  e.step("s", add(e.s("s"), div(x, cap))).combine("s", add(e.a("s"), e.b("s")));
  e.loop.state.clear();
  e.close();
  r = check(e.loop, e.merge, 5);
  EXPECT_EQ(r.result, outcome::proved);
  ASSERT_EQ(r.assumptions.size(), 1U);
  EXPECT_EQ(r.assumptions[0], "not (cap == 0), as x / cap in the loop needs");
  e = sum();  // the loop does not divide, the merge does
  e.combine("s", div(mul(add(e.a("s"), e.b("s")), cap), cap));
  EXPECT_EQ(check(e.loop, e.merge, 5).result, outcome::unknown);
}

//! m = x > m ? x : m is max, in any of its spellings.
TEST_F(checker, a_choice_between_the_compared_is_their_maximum) {
  for (int k = 0; k < 4; ++k) {
    example e = softmax_online();
    const term x = element("x"), s = e.s("m");
    const term m = k == 0   ? select(less(s, x), x, s)
                   : k == 1 ? select(less_equal(s, x), x, s)
                   : k == 2 ? select(less(x, s), s, x)
                            : select(logical_not(less(x, s)), x, s);
    e.step("m", m).step("l", add(mul(e.s("l"), exp(sub(s, m))), exp(sub(x, m))));
    e.loop.state.clear();
    e.close();
    const auto r = check(e.loop, e.merge, 5);
    EXPECT_EQ(r.result, outcome::proved);
    EXPECT_EQ(r.proof.method, "push rule by exact normal form");
    const replay again = replay_with_cvc5(r.proof.smt, 60);
    EXPECT_TRUE(again.confirmed || !again.ran) << again.text;
  }
}

TEST_F(checker, infinities_that_remain_are_refused) {
  example e;
  const term x = element("x");
  e.reads(x).variable("m", double_type, minus_infinity());
  e.step("m", add(e.s("m"), x)).combine("m", add(e.a("m"), e.b("m"))).close();
  const auto r = check(e.loop, e.merge, 5);
  EXPECT_EQ(r.result, outcome::unknown);
  EXPECT_NE(r.detail.find("infinity"), std::string::npos);
}

TEST_F(checker, components_do_not_mix) {
  example e = attention();
  e.step("l", add(e.at("l").step, e.s("o")));
  EXPECT_EQ(of(e), outcome::unknown);
  e = attention();
  e.step("o", add(e.at("o").step, read(e.s("o"), {num(0, long_type)}, double_type)));
  EXPECT_EQ(of(e), outcome::unknown);
}

TEST_F(checker, identity_values) {
  EXPECT_TRUE(init_is_identity(sum().merge, 5));
  EXPECT_TRUE(init_is_identity(ema().merge, 5));
  EXPECT_TRUE(init_is_identity(atoi().merge, 5));
  EXPECT_TRUE(init_is_identity(max_segment_sum().merge, 5));
  EXPECT_FALSE(init_is_identity(softmax_online().merge, 5));  // −∞ − −∞ when both are empty
  EXPECT_FALSE(init_is_identity(is_sorted().merge, 5));       // first has no value for nothing
  EXPECT_FALSE(init_is_identity(welford().merge, 5));         // 0/0 when both are empty
}

TEST_F(checker, evidence_is_replayed) {
  for (const auto& [name, make] : right) {
    reset_terms();
    const example e = make();
    const auto r = check(e.loop, e.merge, 10);
    const replay again = replay_with_cvc5(r.proof.smt, 60);
    if (!again.ran && again.text.find("not installed") != std::string::npos) GTEST_SKIP() << again.text;
    EXPECT_TRUE(again.confirmed) << name << ": " << again.text;
    std::cout << name << ": " << again.text << "\n";
  }
}

TEST_F(checker, replay_believes_nothing_but_unsat) {
  const std::string head = "(set-logic ALL)\n(declare-const x Real)\n";
  const auto answer = [&](const std::string& s) { return replay_with_cvc5(head + s, 10); };
  if (!answer("(assert (< x x))\n(check-sat)\n").ran) GTEST_SKIP() << "cvc5 is not installed";
  EXPECT_TRUE(answer("(assert (< x x))\n(check-sat)\n").confirmed);
  EXPECT_FALSE(answer("(assert (< x 1.0))\n(check-sat)\n").confirmed);
  EXPECT_FALSE(answer("(assert (< x y))\n(check-sat)\n").confirmed);  // an error
  EXPECT_FALSE(answer("").confirmed);                                 // nothing asked, nothing shown
  EXPECT_FALSE(answer("(assert (< x x))\n(check-sat)\n(check-sat").confirmed);
}

}  // namespace
}  // namespace twofold::analyser::testing
