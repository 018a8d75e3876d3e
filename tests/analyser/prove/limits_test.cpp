// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Terms made to hurt: deep, shared, exponentially large when expanded, numbers of astronomical size. The answer comes within
//! the time asked for (with slack for what cannot be interrupted), says which limit was met, and is never wrong.
#include <gtest/gtest.h>

#include <ctime>

#include "prove/prove.hpp"

namespace twofold::analyser {
namespace {

struct limits : ::testing::Test {
  void SetUp() override { reset_terms(); }
  static term x(int i = 0) { return symbol(symbol_kind::parameter, "x" + std::to_string(i), double_type); }
  static term n(long v) { return number(v); }
  static outcome ask(term a, term b, std::vector<term> h = {}) {
    const std::clock_t start = std::clock();  // of this process: machines are shared
    const auto r = decide({"", std::move(h), a, b}, 5);
    EXPECT_LT(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC, 15.0);
    EXPECT_LT(r.detail.size(), 4000U);
    EXPECT_TRUE(r.result != outcome::unknown || !r.detail.empty());
    return r.result;
  }
};

TEST_F(limits, depth) {
  term a = x(), b = n(0);
  for (int i = 0; i < 3000; ++i) a = neg(abs(a)), b = add(b, x(i % 7));
  EXPECT_EQ(ask(a, neg(abs(x()))), outcome::proved);
  EXPECT_EQ(ask(b, add(b, n(1))), outcome::refuted);
}

TEST_F(limits, expansion) {
  term a = n(1), b = n(1);
  for (int i = 0; i < 24; ++i) a = mul(a, add(x(i), n(1))), b = mul(add(n(1), x(23 - i)), b);
  EXPECT_NE(ask(a, b), outcome::refuted);
  EXPECT_NE(ask(a, add(b, n(1))), outcome::proved);
}

TEST_F(limits, many_choices) {
  term a = x(99);
  for (int i = 0; i < 40; ++i) a = select(less(x(i), n(0)), add(a, n(1)), a);
  EXPECT_EQ(ask(less_equal(x(99), a), boolean(true)), outcome::proved);
  EXPECT_EQ(ask(a, x(99)), outcome::refuted);
  term c = x(0), d = x(0);
  for (int i = 1; i < 25; ++i) c = max(c, x(i)), d = max(x(i), d);
  EXPECT_EQ(ask(c, d), outcome::proved);
}

TEST_F(limits, sharing) {
  term a = x();
  for (int i = 0; i < 150; ++i) a = call("sin", {add(a, a)}, double_type);
  EXPECT_NE(ask(a, call("sin", {a}, double_type)), outcome::proved);
  term e = x();
  for (int i = 0; i < 100; ++i) e = call("exp", {neg(e)}, double_type);
  EXPECT_EQ(ask(e, call("exp", {neg(neg(e->args[0]))}, double_type)), outcome::proved);
}

TEST_F(limits, numbers) {
  const term huge = number(mpq_class("1000000000000000000000000000001"));
  EXPECT_NE(ask(call("exp2", {huge}, double_type), call("exp2", {sub(huge, n(1))}, double_type)), outcome::proved);
  EXPECT_NE(ask(call("exp2", {huge}, double_type), n(2)), outcome::proved);  // no exponent wraps
  EXPECT_EQ(ask(call("exp", {huge}, double_type), n(1)), outcome::refuted);
  EXPECT_NE(ask(call("pow", {x(), number(1'000'000)}, double_type), x()), outcome::proved);
  EXPECT_NE(ask(call("pow", {n(3), number(mpq_class("18446744073709551617"))}, double_type), n(3)), outcome::proved);
}

TEST_F(limits, quotients) {
  term a = n(0), b = n(0);
  std::vector<term> h;
  for (int i = 0; i < 12; ++i) {
    h.push_back(less(n(0), add(x(3 * i), x(3 * i + 1))));
    a = add(a, div(x(3 * i + 2), add(x(3 * i), x(3 * i + 1))));
    b = add(div(x(3 * i + 2), add(x(3 * i + 1), x(3 * i))), b);
  }
  EXPECT_NE(ask(a, b, h), outcome::refuted);
}

}  // namespace
}  // namespace twofold::analyser
