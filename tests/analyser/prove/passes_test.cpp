// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Several passes as one online loop: the separation rule on softmax, variance and attention, and what it must refuse.
#include <gtest/gtest.h>

#include <algorithm>

#include "analyser/prove/loops.hpp"
#include "prove/evidence.hpp"

namespace twofold::analyser::testing {
namespace {

struct passes : ::testing::Test {
  void SetUp() override { reset_terms(); }

  struct problem {
    spec s;
    std::vector<separation> separations;
    example online;
    std::vector<output> finalize;
    [[nodiscard]] check_result run() const { return check_passes(s, separations, online.merge, finalize, 10); }
  };

  static term result(const char* name, type t = double_type) { return symbol(symbol_kind::result, name, t); }
  static pass over(std::vector<term> reads) {
    pass p;
    p.begin = num(0, long_type), p.end = parameter("n", long_type);
    for (term r : reads) {
      analyser::element e;
      e.symbol = r;
      p.elements.push_back(e);
    }
    return p;
  }
  static void carry(problem& q, pass& p, const char* name, term init, term (*step)(term, term), term what) {
    state_variable v;
    v.name = name, v.type = double_type, v.symbol = symbol(symbol_kind::state, name, double_type), v.init = init;
    v.step = step(v.symbol, what);
    p.state.push_back(v);
    q.s.results.push_back(result(name));
  }
  static output gives(const char* name, term value) {
    output o;
    o.name = name, o.type = double_type, o.value = value;
    return o;
  }

  //! max, then Σ e^(x − m): online (m, l).
  static problem softmax() {
    problem q;
    const term x = element("x"), m = result("m");
    pass first = over({x}), second = over({x});
    carry(q, first, "m", minus_infinity(), max, x);
    carry(q, second, "l", num(0), add, exp(sub(x, m)));
    q.s.passes = {first, second};
    q.s.outputs = {gives("return", add(m, call("log", {result("l")}, double_type)))};
    q.online = softmax_online();
    q.online.merge.invariant = {less(num(0), q.online.s("l"))};
    q.online.merge.decode = {{m, q.online.s("m")}, {result("l"), q.online.s("l")}};
    q.online.merge.twist.emplace();
    q.online.merge.twist->coordinates = {{"l·e^m", "+", mul(q.online.s("l"), exp(q.online.s("m"))), exp(x)}};
    q.separations = {{"l", {{exp(x), exp(neg(m))}}}};
    q.finalize = {gives("return", add(q.online.s("m"), call("log", {q.online.s("l")}, double_type)))};
    return q;
  }

  //! Σx, then Σ (x − Σx/n)²: online (count, mean, M2).
  static problem variance() {
    problem q;
    const term x = element("x"), n = cast(parameter("n", long_type), double_type), mean = div(result("s"), n), d = sub(x, mean);
    pass first = over({x}), second = over({x});
    carry(q, first, "s", num(0), add, x);
    carry(q, second, "v", num(0), add, mul(d, d));
    q.s.passes = {first, second};
    q.s.outputs = {gives("return", div(result("v"), n))};
    example e;
    e.reads(x).variable("count", double_type, num(0)).variable("mean", double_type, num(0)).variable("v", double_type, num(0));
    const term n1 = add(e.s("count"), num(1)), delta = sub(x, e.s("mean")), next = add(e.s("mean"), div(delta, n1));
    e.step("count", n1).step("mean", next).step("v", add(e.s("v"), mul(delta, sub(x, next))));
    const term total = add(e.a("count"), e.b("count")), shift = sub(e.b("mean"), e.a("mean"));
    e.combine("count", total).combine("mean", add(e.a("mean"), div(mul(shift, e.b("count")), total)));
    e.combine("v", add(add(e.a("v"), e.b("v")), div(mul(mul(shift, shift), mul(e.a("count"), e.b("count"))), total)));
    e.merge.invariant = {less_equal(num(1), e.s("count"))};
    e.merge.decode = {{result("s"), mul(e.s("count"), e.s("mean"))}, {result("v"), e.s("v")}};
    e.merge.twist.emplace();
    const term sum = mul(e.s("count"), e.s("mean"));
    e.merge.twist->coordinates = {
        {"n", "+", e.s("count"), num(1)}, {"n·mean", "+", sum, x}, {"v + n·mean²", "+", add(e.s("v"), mul(sum, e.s("mean"))), mul(x, x)}};
    q.online = e;
    q.separations = {{"v", {{mul(x, x), num(1)}, {x, mul(num(-2), mean)}, {num(1), mul(mean, mean)}}}};
    q.finalize = {gives("return", div(e.s("v"), n))};
    return q;
  }

  //! Three passes: m, l, and o_j = Σ e^(s − m)/l·v_j: online (m, l, o) with the quotient at the end.
  static problem naive_attention() {
    problem q;
    const term x = element("x"), row = symbol(symbol_kind::array, "v", double_type), j = symbol(symbol_kind::component, "j", long_type);
    const term m = result("m"), l = result("l"), vj = read(row, {j}, double_type);
    pass first = over({x}), second = over({x}), third = over({x, row});
    carry(q, first, "m", minus_infinity(), max, x);
    carry(q, second, "l", num(0), add, exp(sub(x, m)));
    carry(q, third, "o", num(0), add, mul(div(exp(sub(x, m)), l), vj));
    third.state[0].extent = parameter("d", long_type), third.state[0].component = j;
    q.s.passes = {first, second, third};
    q.s.outputs = {gives("o", result("o"))};
    q.s.outputs[0].extent = parameter("d", long_type), q.s.outputs[0].component = j;
    q.online = attention();
    example& e = q.online;
    e.merge.invariant = {less(num(0), e.s("l"))};
    const term scale = exp(e.s("m"));
    e.merge.decode = {{m, e.s("m")}, {l, e.s("l")}, {result("o"), div(e.s("o"), e.s("l"))}};
    e.merge.twist.emplace();
    e.merge.twist->coordinates = {{"l·e^m", "+", mul(e.s("l"), scale), exp(x)}, {"o·e^m", "+", mul(e.s("o"), scale), mul(exp(x), vj)}};
    q.separations = {{"l", {{exp(x), exp(neg(m))}}}, {"o", {{mul(exp(x), vj), div(exp(neg(m)), l)}}}};
    q.finalize = {gives("o", div(e.s("o"), e.s("l")))};
    q.finalize[0].extent = parameter("d", long_type), q.finalize[0].component = j;
    return q;
  }
};

TEST_F(passes, softmax_variance_and_attention_are_one_online_loop) {
  for (const auto& [name, q] : {std::pair{"softmax", softmax()}, {"variance", variance()}, {"attention", naive_attention()}}) {
    const auto r = q.run();
    EXPECT_EQ(r.result, outcome::proved) << name << ": " << r.failed << ": " << r.detail;
    EXPECT_EQ(r.proof.method.rfind("separation of sums", 0), 0U) << r.proof.method;
    const replay again = replay_with_cvc5(r.proof.smt, 30);
    EXPECT_TRUE(again.confirmed || !again.ran) << name << ": " << again.text;
  }
}

TEST_F(passes, a_wrong_output_is_seen) {
  problem q = softmax();
  q.finalize = {gives("return", call("log", {q.online.s("l")}, double_type))};
  EXPECT_EQ(q.run().result, outcome::refuted);
  q = variance();
  q.finalize = {gives("return", div(q.online.s("v"), q.online.s("count")))};
  EXPECT_EQ(q.run().result, outcome::proved);  // n is the count
  q.finalize = {gives("return", div(q.online.s("v"), sub(q.online.s("count"), num(1))))};
  EXPECT_NE(q.run().result, outcome::proved);
  q.finalize.clear();
  EXPECT_EQ(q.run().result, outcome::unknown);
}

TEST_F(passes, a_wrong_decoding_is_seen) {
  problem q = softmax();
  q.online.merge.decode[1].second = mul(q.online.s("l"), num(2));
  EXPECT_EQ(q.run().result, outcome::refuted);
  q = variance();
  q.online.merge.decode[0].second = q.online.s("mean");
  EXPECT_NE(q.run().result, outcome::proved);
}

TEST_F(passes, a_wrong_separation_is_seen) {
  problem q = softmax();
  q.separations = {{"l", {{exp(element("x")), exp(result("m"))}}}};
  EXPECT_EQ(q.run().result, outcome::refuted);
  q = variance();
  q.separations[0].parts.pop_back();
  EXPECT_NE(q.run().result, outcome::proved);
  q.separations.clear();
  EXPECT_EQ(q.run().result, outcome::unknown);
}

//! The online loop, its decoding and its separation agree with each other, but not with what the pass adds.
TEST_F(passes, the_pass_itself_must_be_what_is_separated) {
  problem q = softmax();
  auto& v = q.s.passes[1].state[0];
  v.step = add(v.symbol, mul(num(2), exp(sub(element("x"), result("m")))));
  const auto r = q.run();
  EXPECT_EQ(r.result, outcome::refuted);
  EXPECT_NE(r.failed.find("g(x, p)"), std::string::npos) << r.failed;
}

TEST_F(passes, a_wrong_coordinate_is_seen) {
  problem q = softmax();
  q.online.merge.twist->coordinates[0].phi = q.online.s("l");
  EXPECT_NE(q.run().result, outcome::proved);
  q.online.merge.twist.reset();
  EXPECT_EQ(q.run().result, outcome::unknown);
}

//! Σ |x − mean| does not separate; decoding it step by step, as if the mean were the running one, would be wrong.
TEST_F(passes, the_final_result_is_not_the_running_one) {
  problem q = variance();
  const term x = element("x"), n = cast(parameter("n", long_type), double_type), mean = div(result("s"), n);
  q.s.passes[1].state[0].step = add(q.s.passes[1].state[0].symbol, abs(sub(x, mean)));
  q.online.step("v", add(q.online.s("v"), abs(sub(x, q.online.s("mean")))));
  q.separations = {{"v", {{num(1), num(0)}}}};
  EXPECT_NE(q.run().result, outcome::proved);
}

//! A later pass may only read results of passes before it, and only add.
TEST_F(passes, what_is_no_sum_is_refused) {
  problem q = softmax();
  auto& v = q.s.passes[1].state[0];
  v.step = max(v.symbol, sub(element("x"), result("m")));
  EXPECT_EQ(q.run().result, outcome::unknown);
  q = softmax();
  q.s.passes[1].state[0].step = add(q.s.passes[1].state[0].symbol, result("l"));
  EXPECT_EQ(q.run().result, outcome::unknown);
}

TEST_F(passes, the_empty_input_is_compared) {
  problem q = naive_attention();  // the source returns 0, the online loop 0/0
  EXPECT_EQ(differs_on_empty(q.s, q.online.merge, q.finalize), std::vector<std::string>{"o"});
  q = variance();  // 0/0 both
  EXPECT_TRUE(differs_on_empty(q.s, q.online.merge, q.finalize).empty());
  q = softmax();  // −∞ + log 0 = −∞ both
  EXPECT_TRUE(differs_on_empty(q.s, q.online.merge, q.finalize).empty());
}

//! One pass: the merge is right, but are the answers the loop's?
TEST_F(passes, rewritten_answers_of_one_pass_are_proved_too) {
  problem q;
  pass only = over({element("x")});
  carry(q, only, "s", num(0), add, element("x"));
  q.s.passes = {only};
  q.s.outputs = {gives("return", add(result("s"), result("s")))};
  q.online = sum();
  q.online.merge.decode = {{result("s"), q.online.s("s")}};
  q.finalize = {gives("return", add(q.online.s("s"), q.online.s("s")))};
  EXPECT_EQ(q.run().result, outcome::proved);
  q.finalize = {gives("return", mul(num(2), q.online.s("s")))};
  EXPECT_EQ(q.run().result, outcome::proved);
  q.finalize = {gives("return", mul(num(3), q.online.s("s")))};
  EXPECT_EQ(q.run().result, outcome::refuted);
  q.finalize = {};
  EXPECT_NE(q.run().result, outcome::proved);
}

//! n that is converted to fewer bits, or that is a real number cut off by the range, is not the number of elements.
TEST_F(passes, the_length_is_the_count_only_as_it_is) {
  const auto with_length = [](term n, term end) {
    problem q = variance();
    for (pass& p : q.s.passes) p.end = end;
    q.s.outputs = {gives("return", div(result("v"), n))};
    q.finalize = {gives("return", div(q.online.s("v"), q.online.s("count")))};
    return q.run().result;
  };
  const term n = parameter("n", long_type), whole = cast(parameter("r", double_type), long_type);
  const type byte{sort::integer, 8, false}, word{sort::integer, 64, false};
  EXPECT_EQ(with_length(cast(n, double_type), n), outcome::proved);
  EXPECT_EQ(with_length(cast(cast(n, word), double_type), n), outcome::proved);
  EXPECT_NE(with_length(cast(cast(n, byte), double_type), n), outcome::proved);
  EXPECT_NE(with_length(cast(n, double_type), cast(n, byte)), outcome::proved);
  EXPECT_NE(with_length(parameter("r", double_type), whole), outcome::proved);
}

//! for (unsigned i = 0; i < n; ++i) with n = -1 has 2^32 - 1 elements.
TEST_F(passes, a_signed_length_read_as_unsigned_is_assumed_not_to_be_negative) {
  const auto assumed = [](term end) {
    problem q = variance();
    for (pass& p : q.s.passes) p.end = end;
    const check_result r = q.run();
    EXPECT_EQ(r.result, outcome::proved);
    return std::count(r.assumptions.begin(), r.assumptions.end(), "n >= 0");
  };
  const term n = parameter("n", long_type);
  EXPECT_EQ(assumed(n), 0);
  EXPECT_EQ(assumed(cast(n, {sort::integer, 64, false})), 1);
}

//! A later pass divides by what an earlier one found: its being no zero is assumed and said, of nothing else.
TEST_F(passes, a_later_pass_is_asked_about_where_it_is_defined) {
  const auto shares = [](bool guarded) {
    problem q;
    const term x = element("x"), t = result("t");
    pass first = over({x}), second = over({x});
    carry(q, first, "t", num(0), add, x);
    carry(q, second, "u", num(0), add, guarded ? select(less(num(0), x), div(mul(x, x), t), num(0)) : div(mul(x, x), t));
    q.s.passes = {first, second};
    q.s.outputs = {gives("return", result("u"))};
    example e;
    e.reads(x).variable("t", double_type, num(0)).variable("p", double_type, num(0));
    const term gain = guarded ? select(less(num(0), x), mul(x, x), num(0)) : mul(x, x);
    e.step("t", add(e.s("t"), x)).step("p", add(e.s("p"), gain));
    e.combine("t", add(e.a("t"), e.b("t"))).combine("p", add(e.a("p"), e.b("p")));
    e.merge.decode = {{t, e.s("t")}, {result("u"), div(e.s("p"), e.s("t"))}};
    q.online = e;
    q.separations = {{"u", {{gain, div(num(1), t)}}}};
    q.finalize = {gives("return", div(e.s("p"), e.s("t")))};
    return q;
  };
  auto r = shares(false).run();
  EXPECT_EQ(r.result, outcome::proved) << r.failed << ": " << r.detail;
  ASSERT_EQ(r.assumptions.size(), 1U);
  EXPECT_EQ(r.assumptions[0], "not (t == 0), as x * x / t in the loop needs");
  // where every x is negative the loop divides by nothing, and t may be 0
  r = shares(true).run();
  EXPECT_EQ(r.result, outcome::unknown);
  problem q = shares(false);  // a division of the answer's own is not the loop's
  q.finalize = {gives("return", div(mul(q.online.s("p"), q.online.s("p")), mul(q.online.s("p"), q.online.s("t"))))};
  EXPECT_EQ(q.run().result, outcome::unknown);
}

//! A variable that the candidate drops may be in no answer, and no array may be written from it.
TEST_F(passes, what_an_output_reads_is_not_dropped) {
  const auto two = [] {
    problem q;
    pass only = over({element("x")});
    carry(q, only, "s", num(0), add, element("x"));
    carry(
        q, only, "z", num(0), [](term z, term x) { return add(mul(z, z), x); }, element("x"));
    q.s.passes = {only};
    q.s.outputs = {gives("return", result("s"))};
    q.online = sum();
    q.finalize = {gives("return", q.online.s("s"))};
    return q;
  };
  problem q = two();
  EXPECT_EQ(q.run().result, outcome::proved);
  const term z = symbol(symbol_kind::state, "z", double_type);
  q.s.outputs.push_back(gives("z", result("z")));
  q.finalize.push_back(gives("z", z));
  EXPECT_EQ(q.run().result, outcome::unknown);
  q.finalize[1] = gives("z", result("z"));
  EXPECT_EQ(q.run().result, outcome::unknown);
  q.online.merge.decode = {{result("z"), q.online.s("s")}};  // by a decoding that nobody proved
  q.finalize[1] = gives("z", q.online.s("s"));
  EXPECT_NE(q.run().result, outcome::proved);
  q = two();
  q.s.passes[0].outputs = {{"out", double_type, add(q.online.s("s"), element("x")), true}};
  EXPECT_EQ(q.run().result, outcome::proved);
  q.s.passes[0].outputs = {{"out", double_type, z, true}};
  const auto r = q.run();
  EXPECT_EQ(r.result, outcome::unknown);
  EXPECT_NE(r.detail.find("dropped"), std::string::npos) << r.detail;
}

TEST_F(passes, without_a_state_pieces_are_independent) {
  problem q;
  pass only = over({element("x")});
  only.outputs = {{"out", double_type, mul(element("x"), element("x")), false}};
  q.s.passes = {only};
  EXPECT_EQ(q.run().result, outcome::proved);
  q.s.outputs = {gives("return", parameter("p"))};
  EXPECT_EQ(q.run().result, outcome::unknown);  // not given
  q.finalize = {gives("return", parameter("q"))};
  EXPECT_EQ(q.run().result, outcome::unknown);  // another one
  q.finalize = q.s.outputs;
  EXPECT_EQ(q.run().result, outcome::proved);
  q.s.passes[0].outputs[0].value = symbol(symbol_kind::state, "s", double_type);
  EXPECT_EQ(q.run().result, outcome::unknown);
}

TEST_F(passes, ranges_and_reads_must_agree) {
  problem q = softmax();
  q.s.passes[1].reverse = true;
  EXPECT_EQ(q.run().result, outcome::unknown);
  q = softmax();
  q.s.passes[1].end = sub(q.s.passes[1].end, num(1, long_type));
  EXPECT_EQ(q.run().result, outcome::unknown);
  q = softmax();
  q.s.passes[1].elements[0].array = "y";
  EXPECT_EQ(q.run().result, outcome::unknown);
}

}  // namespace
}  // namespace twofold::analyser::testing
