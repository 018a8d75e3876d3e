// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The twist: cocycle law, independence of the gauge, and that the base monoid decides everything.
#include "twofold/algebra/twist.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <vector>

#include "twofold/algebra/laws.hpp"
#include "twofold/algebra/tile.hpp"
#include "twofold/ops/attention.hpp"
#include "twofold/ops/covariance.hpp"
#include "twofold/ops/log_sum_exp.hpp"
#include "twofold/ops/moments.hpp"
#include "twofold/ops/softmax.hpp"
#include "twofold/ops/welford.hpp"

namespace tf = twofold;

namespace {

//! A twist over whole numbers, where every law must hold exactly: weighted counts of elements at or above a moving
//! threshold are shifted by it. V = (count, sum), A(g→h)(n, s) = (n, s + n(g−h)): the first two rows of Welford's
//! matrix.
struct shifted_sum {
  using reference = long;
  struct value {
    long count, sum;
    bool operator==(const value&) const = default;
  };
  struct monoid {
    using state = value;
    [[nodiscard]] value identity() const { return {0, 0}; }
    [[nodiscard]] value combine(const value& a, const value& b) const { return {a.count + b.count, a.sum + b.sum}; }
  };
  [[nodiscard]] monoid base() const { return {}; }
  [[nodiscard]] long nowhere() const { return 0; }
  [[nodiscard]] bool nothing(long, const value& v) const { return v.count == 0; }
  [[nodiscard]] long observe(long x) const { return x; }
  void add(value& v, long g, long x) const { v = {v.count + 1, v.sum + (x - g)}; }
  void act(long g, long h, value& v) const { v.sum += v.count * (g - h); }
};

template <class Gauge>
struct exact_total : tf::twist<shifted_sum, Gauge> {
  using input = int;
  using typename tf::twist<shifted_sum, Gauge>::state;
  [[nodiscard]] long finalize(const state& s) const { return s.amount.count * s.at + s.amount.sum; }
};

//! Always the reference of the right-hand side plus 3: a foolish gauge, and a legal one.
struct wandering : tf::gauge::pivot {
  template <class How, class State, class... X>
  auto extend(const How&, const State& s, const X&...) const {
    return s.at - 1;
  }
  template <class How, class State>
  auto merge(const How&, const State&, const State& b) const {
    return b.at + 3;
  }
};

//! A(h→k)∘A(g→h) = A(g→k) and A(g→g) = id, up to rounding: for actions that multiply, and so keep a relative accuracy by any detour.
template <class Op, class State, class Reference>
void cocycle(const Op& op, const State& s, const Reference& g, const Reference& h, const Reference& k) {
  auto v = op.at_reference(s, g);
  const auto stays = op.at_reference(v, g);
  RC_ASSERT(stays == v);
  const auto direct = op.at_reference(v, k), by_h = op.at_reference(op.at_reference(v, h), k);
  RC_ASSERT(direct.at == by_h.at);
  RC_ASSERT(op.how.near(k, direct.amount, by_h.amount));
}
//! The same without rounding, for polynomial actions: a detour over a distant reference cancels, hence only numbers on which every
//! operation is exact (eighths, all sums below 2^53 units of the last place that occurs).
template <class How, class Reference>
void exact_cocycle(const How& how, const std::vector<Reference>& data, const Reference& g, const Reference& h, const Reference& k) {
  auto at_g = how.base().identity();
  for (const Reference& x : data) {
    if constexpr (requires { how.add(at_g, g, x); }) how.add(at_g, g, x);
    else how.add(at_g, g, x.x, x.y);
  }
  const auto moved = [&](auto v, const Reference& from, const Reference& to) {
    how.act(from, to, v);
    return v;
  };
  RC_ASSERT(moved(at_g, g, g) == at_g);
  RC_ASSERT(moved(moved(at_g, g, h), h, k) == moved(at_g, g, k));
}

double number(int low, int high) { return *rc::gen::inRange(low * 8, high * 8 + 1) / 8.0; }
template <class Op>
auto some_state(const Op& op) {
  auto s = op.identity();
  const int n = *rc::gen::inRange(1, 9);
  for (int i = 0; i < n; ++i) tf::push_into(op, s, number(-20, 20));
  return s;
}

}  // namespace

TEST(Twist, IsExactlyAssociativeUnderAnyGauge) {
  for (const auto& report : {tf::laws::check(exact_total<tf::gauge::pivot>{}), tf::laws::check(exact_total<tf::gauge::maximum>{}),
                             tf::laws::check(exact_total<wandering>{})})
    EXPECT_TRUE(report.passed) << report.to_string();
}

TEST(Twist, GaugesDisagreeOnRepresentationsAndAgreeOnStates) {
  const std::vector<int> x = {4, -7, 30, 2};
  const exact_total<tf::gauge::pivot> pivot;
  const exact_total<wandering> wander;
  const auto a = tf::leaf(pivot, tf::as_source(x));
  auto b = wander.identity();
  for (const int e : x) tf::push_into(wander, b, e);
  EXPECT_NE(a.at, b.at);
  EXPECT_EQ(pivot.finalize(a), 29);
  EXPECT_EQ(wander.finalize(b), 29);
  EXPECT_TRUE(pivot.same(a, b));
  b.amount.sum += 1;
  EXPECT_FALSE(pivot.same(a, b));
  EXPECT_FALSE(pivot.same(a, pivot.identity()));
}

TEST(Twist, CocycleOfWelford) {
  EXPECT_TRUE(rc::check("power sums of order 2 and 4, and in the plane", [] {
    const double g = number(-40, 40), h = number(-40, 40), k = number(-40, 40);
    std::vector<double> x;
    std::vector<tf::point<double>> points;
    for (int n = *rc::gen::inRange(1, 9); n > 0; --n) {
      x.push_back(number(-20, 20));
      points.push_back({number(-9, 9), number(-9, 9)});
    }
    exact_cocycle(tf::welford<double>{}.how, x, g, h, k);
    exact_cocycle(tf::moments<double>{}.how, x, g, h, k);
    exact_cocycle(tf::covariance<double>{}.how, points, tf::point<double>{g, h}, tf::point<double>{h, k}, tf::point<double>{k, g});
  }));
}

TEST(Twist, CocycleOfExponentials) {
  EXPECT_TRUE(rc::check("softmax, log-sum-exp and attention", [] {
    const double g = number(-40, 40), h = number(-40, 40), k = number(-40, 40);
    const tf::softmax<double> w;
    cocycle(w, some_state(w), g, h, k);
    const tf::log_sum_exp<double> l;
    cocycle(l, some_state(l), g, h, k);
    const tf::attention<double, 2> a;
    auto s = a.identity();
    for (int i = 0; i < 5; ++i) {
      tf::values<double, 2> row;
      row[0] = number(-9, 9), row[1] = number(-9, 9);
      tf::push_into(a, s, number(-9, 9), row);
    }
    cocycle(a, s, g, h, k);
  }));
}

TEST(Gauge, IntegerRescalesAreExactPowersOfTwo) {
  for (int k = 0; k <= 1000; ++k) {
    EXPECT_EQ(tf::math::exp2(static_cast<double>(-k)) * tf::math::exp2(static_cast<double>(k)), 1);
    const auto f = static_cast<float>(k % 126);
    EXPECT_EQ(tf::math::exp2(-f) * tf::math::exp2(f), 1);
  }
  const tf::softmax<float> op;
  const auto s = op.lift(3.7f);
  EXPECT_EQ(s.at, std::ceil(3.7f * 1.442695f));
}

TEST(Gauge, ExponentsStayBelowTau) {
  EXPECT_TRUE(rc::check("no element lies more than tau above the reference of a lazy gauge, in folds and in merges", [] {
    const tf::softmax<double, tf::gauge::lazy<8>> op;
    std::vector<double> x;
    auto s = op.identity();
    const int n = *rc::gen::inRange(1, 40);
    for (int i = 0; i < n; ++i) {
      x.push_back(number(-60, 60));
      if (*rc::gen::inRange(0, 3) == 0) {
        auto piece = op.lift(x.back());
        x.push_back(number(-60, 60));
        tf::push_into(op, piece, x.back());
        s = op.combine(s, piece);
      } else {
        tf::push_into(op, s, x.back());
      }
    }
    for (const double e : x) RC_ASSERT(op.how.score.exponent(e, s.at) <= 8.0 + 1e-12);
  }));
}

TEST(Gauge, MaximumKeepsEveryExponentAtMostZero) {
  EXPECT_TRUE(rc::check("under the maximum and the integer gauge", [] {
    const tf::softmax<double, tf::gauge::maximum> top;
    const tf::softmax<double> ceiling;
    auto a = top.identity();
    auto b = ceiling.identity();
    std::vector<double> x;
    for (int i = 0; i < 20; ++i) {
      x.push_back(number(-90, 90));
      tf::push_into(top, a, x.back());
      tf::push_into(ceiling, b, x.back());
    }
    for (const double e : x) {
      RC_ASSERT(top.how.score.exponent(e, a.at) <= 1e-12);
      RC_ASSERT(ceiling.how.score.exponent(e, b.at) <= 0.0);
    }
  }));
}

TEST(Twist, LeafUsesOneReferenceForTheWholeTile) {
  const std::vector<double> x = {1, 5, -2, 4};
  const tf::welford<double> w;
  const auto s = tf::leaf(w, tf::as_source(x));
  EXPECT_EQ(s.at, 2);
  EXPECT_EQ(s.amount.sums[0], 0);
  EXPECT_EQ(s.amount.sums[1], 1 + 9 + 16 + 4);
  const tf::welford<double, double, tf::gauge::pivot> p;
  EXPECT_EQ(tf::leaf(p, tf::as_source(x)).at, 1);
}

TEST(Twist, StateSizes) {
  EXPECT_EQ(sizeof(tf::softmax<float>::state), 8u);
  EXPECT_EQ(sizeof(tf::log_sum_exp<float>::state), 12u);
  EXPECT_EQ(sizeof(tf::attention<float, 64>::state), 8u + 64 * 4);
  EXPECT_EQ(sizeof(tf::welford<double>::state), 32u);
}
