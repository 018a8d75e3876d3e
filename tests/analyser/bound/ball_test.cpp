// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Balls against exact rationals: the centre is what the machine computes, and the exact value is never outside of the ball.
#include "bound/ball.hpp"

#include <gtest/gtest.h>

#include <random>

#include "bound/running.hpp"
#include "ir/evaluate.hpp"

namespace twofold::analyser {
namespace {

using bounding::ball;
using bounding::ball_domain;
using bounding::ball_program;
using bounding::precision;

//! Random terms over x0…x3, of type float or double.
class terms {
 public:
  terms(unsigned seed, type t) : random_(seed), type_(t) {
    for (int i = 0; i < 4; ++i) all_.push_back(symbol(symbol_kind::parameter, "x" + std::to_string(i), t));
    all_.push_back(number(mpq_class(1, 3), t));
    all_.push_back(number(2, t));
  }
  term grow(int steps) {
    for (int i = 0; i < steps; ++i) all_.push_back(next());
    return all_.back();
  }

 private:
  term any() { return all_[random_() % all_.size()]; }
  term next() {
    const term a = any(), b = any();
    switch (random_() % 9) {
      case 0:
      case 1:
        return add(a, b);
      case 2:
        return sub(a, b);
      case 3:
      case 4:
        return mul(a, b);
      case 5:
        return div(a, b);
      case 6:
        return random_() % 2 ? min(a, b) : max(a, b);
      case 7:
        return select(less(a, b), any(), any());
      default:
        return abs(a);
    }
  }
  std::mt19937 random_;
  type type_;
  std::vector<term> all_;
};

TEST(ball, holds_the_exact_value_and_its_centre_is_the_machines) {
  reset_terms();
  std::mt19937 random(7);
  int compared = 0, with_error = 0, refused = 0;
  for (unsigned seed = 1; seed <= 4000; ++seed) {
    const type t = seed % 2 ? float_type : double_type;
    const term root = terms(seed, t).grow(3 + static_cast<int>(seed % 12));
    ball_program balls({root}, ball_domain(precision::machine));
    machine_program machines({root});
    exact_program exacts({root});
    for (int i = 0; i < 4; ++i) {
      const term x = symbol(symbol_kind::parameter, "x" + std::to_string(i), t);
      const double v = static_cast<float>(std::ldexp(static_cast<double>(random() % 4096) - 2048, -static_cast<int>(random() % 14)));
      balls.set(balls.find(x), ball{v, 0, 0, sort::real, true});
      machines.set(x, {v});
      exacts.set(x, {exact::kind::finite, mpq_class(v)});
    }
    balls.run(), machines.run(), exacts.run();
    const auto& b = balls.result(0);
    const exact* e = exacts.value(0);
    if (!b.defined || e == nullptr || e->kind != exact::kind::finite) {
      ++refused;
      continue;
    }
    const double centre = static_cast<double>(b.v.x);
    EXPECT_EQ(centre, std::get<double>(machines.value(0).value)) << to_text(root);
    if (!std::isfinite(centre) || !std::isfinite(b.v.e)) continue;
    const mpq_class off = abs(mpq_class(centre) - e->value);
    EXPECT_LE(off, mpq_class(b.v.e)) << to_text(root) << " seed " << seed;
    ++compared;
    with_error += off > 0;
  }
  EXPECT_GT(compared, 2500);
  EXPECT_GT(with_error, 500);
  EXPECT_LT(refused, 1400);
}

//! The same in wide arithmetic: centres are long doubles.
TEST(ball, wide_centres_are_near_the_exact_value) {
  reset_terms();
  std::mt19937 random(9);
  int compared = 0;
  for (unsigned seed = 1; seed <= 2000; ++seed) {
    const term root = terms(seed, float_type).grow(3 + static_cast<int>(seed % 12));
    ball_program balls({root}, ball_domain(precision::wide));
    exact_program exacts({root});
    for (int i = 0; i < 4; ++i) {
      const term x = symbol(symbol_kind::parameter, "x" + std::to_string(i), float_type);
      const double v = std::ldexp(static_cast<double>(random() % 4096) - 2048, -static_cast<int>(random() % 14));
      balls.set(balls.find(x), ball{v, 0, 0, sort::real, true});
      exacts.set(x, {exact::kind::finite, mpq_class(v)});
    }
    balls.run(), exacts.run();
    const auto& b = balls.result(0);
    const exact* e = exacts.value(0);
    if (!b.defined || e == nullptr || e->kind != exact::kind::finite || !std::isfinite(b.v.e) || std::isinf(b.v.x)) continue;
    // A long double as two doubles.
    const auto high = static_cast<double>(b.v.x);
    const auto low = static_cast<double>(b.v.x - high);
    EXPECT_LE(abs(mpq_class(high) + mpq_class(low) - e->value), mpq_class(b.v.e)) << to_text(root);
    ++compared;
  }
  EXPECT_GT(compared, 1000);
}

ball evaluated(term t, const std::vector<std::pair<term, ball>>& at, precision p = precision::machine) {
  ball_program g({t}, ball_domain(p));
  for (const auto& [x, v] : at) g.set(g.find(x), v);
  g.run();
  EXPECT_TRUE(g.result(0).defined) << g.result(0).fault;
  return g.result(0).v;
}

//! Every function: the ball about f(x) holds f of every number in the ball about x, as long double sees it.
TEST(ball, functions_move_no_further_than_they_say) {
  reset_terms();
  std::mt19937 random(3);
  std::uniform_real_distribution<double> unit(-1, 1);
  const struct {
    const char* name;
    long double (*wide)(long double);
    double low, high;
  } functions[] = {
      {"exp", [](long double x) { return std::exp(x); }, -30, 30},      {"exp2", [](long double x) { return std::exp2(x); }, -30, 30},
      {"log", [](long double x) { return std::log(x); }, 0.01, 100},    {"log2", [](long double x) { return std::log2(x); }, 0.01, 100},
      {"log1p", [](long double x) { return std::log1p(x); }, -0.9, 10}, {"expm1", [](long double x) { return std::expm1(x); }, -5, 5},
      {"sqrt", [](long double x) { return std::sqrt(x); }, 0, 100},     {"cbrt", [](long double x) { return std::cbrt(x); }, -8, 8},
      {"sin", [](long double x) { return std::sin(x); }, -9, 9},        {"cos", [](long double x) { return std::cos(x); }, -9, 9},
      {"tanh", [](long double x) { return std::tanh(x); }, -4, 4},      {"erf", [](long double x) { return std::erf(x); }, -3, 3},
      {"atan", [](long double x) { return std::atan(x); }, -9, 9},      {"cosh", [](long double x) { return std::cosh(x); }, -5, 5},
      {"floor", [](long double x) { return std::floor(x); }, -9, 9},    {"log10", [](long double x) { return std::log10(x); }, 0.01, 100}};
  for (const auto& f : functions)
    for (const type t : {float_type, double_type})
      for (int i = 0; i < 500; ++i) {
        const term x = symbol(symbol_kind::parameter, "x", t), root = call(f.name, {x}, t);
        double v = f.low + (f.high - f.low) * (unit(random) + 1) / 2;
        if (t == float_type) v = static_cast<float>(v);
        const double e = i % 4 == 0 ? 0 : std::fabs(v) * std::ldexp(1.0, -4 - static_cast<int>(random() % 30));
        ball_program g({root}, ball_domain(precision::machine));
        g.set(g.find(x), ball{v, e, 0, sort::real, true});
        g.run();
        if (!g.result(0).defined) continue;  // too near the edge of the domain
        const ball b = g.result(0).v;
        for (const double at : {-1.0, -0.5, 0.0, 0.5, 1.0}) {
          const long double inside = f.wide(static_cast<long double>(v) + static_cast<long double>(at) * e);
          if (std::isnan(inside)) continue;
          EXPECT_LE(static_cast<double>(std::fabs(inside - b.x)), b.e * (1 + 0x1p-40)) << f.name << "(" << v << " ± " << e << ") at " << at;
        }
      }
}

TEST(ball, decisions_that_rounding_may_turn_are_hulls_or_refused) {
  reset_terms();
  const term x = symbol(symbol_kind::parameter, "x", double_type), y = symbol(symbol_kind::parameter, "y", double_type);
  const term root = select(less(x, y), number(1), number(5));
  EXPECT_EQ(evaluated(root, {{x, {1, 0.1}}, {y, {2, 0.1}}}).e, 0);
  EXPECT_GE(evaluated(root, {{x, {1, 0.6}}, {y, {2, 0.6}}}).e, 4);
  EXPECT_EQ(evaluated(max(x, y), {{x, {1, 0.1}}, {y, {3, 0.2}}}).e, 0.2);  // a clear winner
  EXPECT_EQ(evaluated(max(x, y), {{x, {1, 9}}, {y, {3, 0.2}}}).e, 9 - 2 * (1 - 0x1p-50));
  ball_program whole({cast(x, int_type)}, ball_domain(precision::machine));
  whole.set(whole.find(x), {2.9, 0.2});
  whole.run();
  EXPECT_FALSE(whole.result(0).defined && whole.result(0).v.certain);
}

TEST(regauged, counts_the_error_of_a_reference_once) {
  reset_terms();
  const term x = symbol(symbol_kind::parameter, "x", float_type), y = symbol(symbol_kind::parameter, "y", float_type);
  const term plain = sub(x, max(x, y)), better = bounding::regauged(plain);
  EXPECT_NE(plain, better);
  const std::vector<std::pair<term, ball>> at{{x, {5, 0.25}}, {y, {2, 0.25}}};
  EXPECT_EQ(evaluated(better, at).x, evaluated(plain, at).x);
  EXPECT_EQ(evaluated(better, at).e, 0);
  EXPECT_GE(evaluated(plain, at).e, 0.5);
  const std::vector<std::pair<term, ball>> lost{{x, {2, 0.25}}, {y, {5, 0.25}}};
  EXPECT_EQ(evaluated(better, lost).x, -3);
  EXPECT_GE(evaluated(better, lost).e, 0.5);
}

}  // namespace
}  // namespace twofold::analyser
