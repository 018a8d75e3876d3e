// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Every one-token mutant of every merge is killed by the checker, or proved equal and listed here.
#include <gtest/gtest.h>

#include "analyser/prove/loops.hpp"
#include "prove/mutate.hpp"
#include "prove/rules.hpp"

namespace twofold::analyser::testing {
namespace {

struct loop_under_mutation {
  const char* name;
  example (*make)();
  std::vector<std::string> equal;  // mutants that are the same merge on every reachable state
};
void PrintTo(const loop_under_mutation& n, std::ostream* out) { *out << n.name; }

const loop_under_mutation loops[] = {
    {"sum", [] { return sum(); }, {}},
    {"softmax_online", [] { return softmax_online(); }, {}},
    {"attention", [] { return attention(); }, {}},
    {"welford", [] { return welford(); }, {}},
    {"ema", [] { return ema(); }, {}},
    {"max_segment_sum", [] { return max_segment_sum(); }, {}},
    {"longest_run",
     [] { return longest_run(); },
     // current: added only where all of b is one run, where lead = current; lead: where all of a is one
     {"current: another variable in b.current", "lead: another variable in a.lead"}},
    {"is_sorted", [] { return is_sorted(); }, {}},
    {"brackets", [] { return brackets(); }, {}},
    {"argmax", [] { return argmax(); }, {"best: < → <= in a.best < b.best"}},
    {"word_count", [] { return word_count(); }, {}},
    {"atoi", [] { return atoi(); }, {}},
    {"first_last", [] { return first_last(); }, {}},
};

struct mutation : ::testing::TestWithParam<loop_under_mutation> {};

TEST_P(mutation, is_killed_or_listed) {
  reset_terms();
  const example e = GetParam().make();
  ASSERT_EQ(check(e.loop, e.merge, 10).result, outcome::proved);
  std::vector<std::string> survivors;
  std::size_t killed = 0;
  for (const mutant& m : mutants(e.merge)) {
    if (check(e.loop, m.merge, 5).result == outcome::proved) survivors.push_back(m.description);
    else ++killed;
  }
  EXPECT_EQ(survivors, GetParam().equal);
  EXPECT_GT(killed, 0U);
  std::cout << GetParam().name << ": " << killed << " killed, " << survivors.size() << " proved equal\n";
}
INSTANTIATE_TEST_SUITE_P(checker, mutation, ::testing::ValuesIn(loops), [](const auto& i) { return i.param.name; });

//! A vector's component in the place of a scalar is no candidate, so no mutant.
TEST(mutants_of_rows, are_candidates) {
  reset_terms();
  const example e = attention();
  for (const mutant& m : mutants(e.merge)) EXPECT_EQ(malformed(e.loop, m.merge).value_or(""), "") << m.description;
}

struct certificate : ::testing::Test {
  void SetUp() override { reset_terms(); }
};

TEST_F(certificate, of_stability) {
  EXPECT_TRUE(stable(softmax_online().merge, 5));
  EXPECT_TRUE(stable(attention().merge, 5));
  EXPECT_TRUE(stable(welford().merge, 5));  // no exponential at all
  example capped = softmax_online();
  const term score = mul(parameter("cap"), call("tanh", {div(element("x"), parameter("cap"))}, double_type));
  for (auto& v : capped.merge.variables) v.step = substitute(v.step, {{element("x"), score}});
  EXPECT_TRUE(stable(capped.merge, 5));  // wherever the score has a value
  example e = softmax_online();
  e.combine("l", add(mul(e.a("l"), exp(sub(max(e.a("m"), e.b("m")), e.a("m")))), e.b("l")));
  EXPECT_FALSE(stable(e.merge, 5));
}

//! The gauge min is as true as max (associative modulo the representative) and overflows: only the certificate tells them apart.
TEST_F(certificate, tells_max_from_min) {
  example e = softmax_online();
  const term x = element("x"), m = min(e.s("m"), x), k = min(e.a("m"), e.b("m"));
  e.at("m").init = num(0);  // from +∞ the loop itself would start with 0·∞
  e.merge.invariant = {less_equal(e.s("m"), num(0))};
  e.step("m", m).step("l", add(mul(e.s("l"), exp(sub(e.s("m"), m))), exp(sub(x, m))));
  e.combine("m", k).combine("l", add(mul(e.a("l"), exp(sub(e.a("m"), k))), mul(e.b("l"), exp(sub(e.b("m"), k)))));
  e.loop.state.clear();
  e.close();
  EXPECT_EQ(check(e.loop, e.merge, 5).result, outcome::proved);
  EXPECT_FALSE(stable(e.merge, 5));
}

//! Every mutant of the exponents of a proved merge loses the certificate or the proof.
TEST_F(certificate, has_mutants_of_its_own) {
  const example e = softmax_online();
  for (const mutant& m : mutants(e.merge)) {
    if (m.description.find("exponent") == std::string::npos && m.description.find("max") == std::string::npos) continue;
    const bool keeps = stable(m.merge, 5) && check(e.loop, m.merge, 5).result == outcome::proved;
    EXPECT_FALSE(keeps) << m.description;
  }
}

TEST_F(certificate, of_commutativity) {
  EXPECT_EQ(commutative(sum().merge, 5), ternary::proved);
  EXPECT_EQ(commutative(softmax_online().merge, 5), ternary::proved);
  EXPECT_EQ(commutative(attention().merge, 5), ternary::proved);
  EXPECT_EQ(commutative(welford().merge, 5), ternary::proved);
  EXPECT_EQ(commutative(ema().merge, 5), ternary::refuted);
  EXPECT_EQ(commutative(max_segment_sum().merge, 5), ternary::refuted);
  EXPECT_EQ(commutative(argmax().merge, 5), ternary::refuted);
  EXPECT_EQ(commutative(first_last().merge, 5), ternary::refuted);
  EXPECT_EQ(commutative(atoi().merge, 5), ternary::refuted);
}

}  // namespace
}  // namespace twofold::analyser::testing
