// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Loops on a part of their inputs: what the caller grants decides branches, keeps divisors away from 0, and bounds the witnesses.
#include "corpus.hpp"
#include "narrow.hpp"

namespace twofold::analyser {
namespace {

const corpus::source& loops() {
  static const corpus::source s("given_loops", R"cpp(
#include <algorithm>
#include <cmath>

    double squares_on_negative(const double* x, int n) {
      double s = 0;
      for (int i = 0; i < n; ++i) {
        if (x[i] < 0) s = s * s;
        s += x[i];
      }
      return s;
    }
    double roots_above(const double* x, const double* w, int n) {
      double s = 0;
      for (int i = 0; i < n; ++i) {
        if (x[i] > w[i]) s = std::sqrt(s);
        s += x[i];
      }
      return s;
    }
    double quotients(const double* x, int n) {
      double s = x[0];
      for (int i = 1; i < n; ++i) s = s / x[i];
      return s;
    }
    double magnitudes(const double* x, int n) {
      double s = 0;
      for (int i = 0; i < n; ++i) s = std::fabs(s) + std::fabs(x[i]);
      return s;
    }
    double either(const double* x, int n, int k) {
      double s = 0;
      for (int i = 0; i < n; ++i) {
        if (k == 3) s += x[i];
        else s = s * s + x[i];
      }
      return s;
    }
    unsigned hash(const unsigned char* t, int n) {
      unsigned h = 0;
      for (int i = 0; i < n; ++i) {
        if (t[i] >= 128) h = h * h;
        h = h * 31 + t[i];
      }
      return h;
    }
    double decay(const double* x, int n, double g) {
      double s = 0;
      for (int i = 0; i < n; ++i) s = g * s + x[i];
      return s;
    }
    double capped(const double* x, int n, double low, double high) {
      double s = 0;
      for (int i = 0; i < n; ++i) s += std::max(low, std::min(high, x[i]));
      return s;
    }
    double differences(const double* x, int n) {
      double s = 0;
      for (int i = 1; i < n; ++i) {
        if (x[i] < 0 || x[i - 1] < 0) s = s * s;
        s += x[i] - x[i - 1];
      }
      return s;
    }
  )cpp");
  return s;
}

comparison::operand name(const char* n, bool magnitude = false) { return {n, magnitude, {}}; }
comparison::operand value(const mpq_class& v) { return {"", false, v}; }

spec loop(const char* function, std::vector<comparison> given) {
  const spec* s = loops().find(function);
  EXPECT_NE(s, nullptr) << function << loops().errors();
  spec r = s ? *s : spec{};
  r.given = std::move(given);
  return r;
}
decision decided(const char* function, std::vector<comparison> given = {}) { return decide_loop(loop(function, std::move(given)), {}); }

void expect_both(const char* function, const std::vector<comparison>& given) {
  SCOPED_TRACE(function);
  EXPECT_EQ(decided(function).verdict, verdict::not_associative);
  const decision d = decided(function, given);
  EXPECT_EQ(d.verdict, verdict::associative) << corpus::told(d);
  ASSERT_TRUE(d.proof);
  EXPECT_TRUE(d.proof->proved);
}

TEST(given, decides_branches) {
  expect_both("squares_on_negative", {{name("x"), value(0), ">="}});
  expect_both("roots_above", {{name("x"), name("w"), "<="}});
  expect_both("either", {{name("k"), value(3), "=="}});
  expect_both("hash", {{value(128), name("t"), ">"}});
  expect_both("differences", {{name("x"), value(0), ">="}});
}

TEST(given, keeps_divisors_from_zero) {
  expect_both("quotients", {{name("x"), value(1), ">="}});
  expect_both("quotients", {{name("x"), value(0), "!="}});
  expect_both("quotients", {{name("x", true), value(mpq_class(1, 2)), ">="}});
}

TEST(given, must_be_enough) {
  EXPECT_EQ(decided("squares_on_negative", {{name("x"), value(-1), ">="}}).verdict, verdict::not_associative);
  EXPECT_EQ(decided("roots_above", {{name("w"), name("x"), "<="}}).verdict, verdict::not_associative);
  EXPECT_EQ(decided("either", {{name("k"), value(3), "!="}}).verdict, verdict::not_associative);
  EXPECT_EQ(decided("hash", {{name("t"), value(128), "<="}}).verdict, verdict::not_associative);
  EXPECT_NE(decided("quotients", {{name("x"), value(-1), ">="}}).verdict, verdict::associative);
}

//! Even where the simpler term is one that no mechanism finds a merge for.
TEST(given, never_loses_a_merge) {
  EXPECT_EQ(decided("magnitudes").verdict, verdict::associative);
  EXPECT_EQ(decided("magnitudes", {{name("x"), value(0), ">="}}).verdict, verdict::associative);
}

TEST(given, makes_merges_simpler) {
  const decision d = decided("capped", {{name("low"), value(-1), "<="}, {name("x", true), value(1), "<="}, {name("high"), value(1), ">="}});
  ASSERT_EQ(d.verdict, verdict::associative);
  EXPECT_EQ(to_text(d.state[0].lift).find("low"), std::string::npos) << to_text(d.state[0].lift);
}

TEST(given, is_an_obligation_of_the_proof) {
  const decision d = decided("squares_on_negative", {{name("x"), value(0), ">="}});
  ASSERT_TRUE(d.proof);
  const auto& steps = d.proof->steps;
  EXPECT_TRUE(std::any_of(steps.begin(), steps.end(), [](const std::string& s) { return s.starts_with("given: "); }));
}

TEST(given, witnesses_lie_in_it) {
  const decision d = decided("squares_on_negative", {{name("x"), value(-3), "<="}});
  ASSERT_EQ(d.verdict, verdict::not_associative) << corpus::told(d);
  for (const auto* piece : {&d.counterexample->left, &d.counterexample->right, &d.counterexample->right2, &d.counterexample->suffix})
    for (const auto& tuple : *piece)
      for (const std::string& entry : tuple) EXPECT_LE(mpq_class(entry), -3);
}

TEST(given, reasons_for_added_state_lie_in_it) {
  const decision d = decided("decay", {{name("g", true), value(mpq_class(1, 2)), "<="}});
  ASSERT_EQ(d.verdict, verdict::associative);
  for (const merged_variable& v : d.state)
    if (v.role == role::added) {
      EXPECT_EQ(v.why.find("give 2 and 4"), std::string::npos) << v.why;
    }
}

TEST(given, may_leave_nothing) {
  EXPECT_TRUE(is_void(loop("decay", {{name("g"), value(1), ">="}, {name("g"), value(0), "<"}})));
  EXPECT_TRUE(is_void(loop("decay", {{name("x"), value(1), "<"}, {name("x"), name("g"), ">="}, {name("g"), value(2), ">"}})));
  EXPECT_TRUE(is_void(loop("hash", {{name("t"), value(0), "<"}})));
  EXPECT_TRUE(is_void(loop("hash", {{name("t"), value(256), ">="}})));
  EXPECT_FALSE(is_void(loop("decay", {{name("g"), value(1), ">="}, {name("x"), value(0), "<"}})));
  const decision d = decided("decay", {{name("g"), value(1), ">="}, {name("g"), value(0), "<"}});
  EXPECT_FALSE(d.counterexample);
}

}  // namespace
}  // namespace twofold::analyser
