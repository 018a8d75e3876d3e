// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file What tiles that know more than their elements are reduced by: a state continued by a tile, a guessed reference, elements that are
//! handed out together, positions that ascend.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "ops/reference.hpp"
#include "twofold/ops/ops.hpp"
#include "twofold/schedule/reduce.hpp"

namespace tf = twofold;

namespace {

//! Eight neighbours at once, as a thread of a GPU hands them out; and one element that everybody knows.
template <bool Indexed = false>
struct knowing_tile {
  const float* data;
  tf::index count;
  static constexpr bool ascending = true;
  tf::index first = 0;
  tf::index size() const { return count; }
  static constexpr int together() { return 8; }
  float pivot() const { return data[0]; }
  tf::index position_of(int i) const { return first + i; }
  template <class F>
  void apply(tf::index i, F&& f) const {
    if constexpr (Indexed) f(first + i, data[i]);
    else f(data[i]);
  }
  template <class F>
  void apply_together(int k, F&& f) const {
    float x[8];
    for (int e = 0; e < 8; ++e) x[e] = data[8 * k + e];
    f(x);
  }
};

std::vector<float> numbers(int n, float scale, float offset, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal(offset, scale);
  std::vector<float> x(static_cast<std::size_t>(n));
  for (float& e : x) e = normal(random);
  return x;
}

//! x in tiles of `each` (a multiple of 8), one after the other into one state.
template <bool Indexed = false, class R>
tf::state_of<R> continued(const R& r, const std::vector<float>& x, tf::index each) {
  auto s = r.identity();
  for (tf::index at = 0; at < tf::index(x.size()); at += each)
    tf::leaf_into(r, s, knowing_tile<Indexed>{x.data() + at, std::min(each, tf::index(x.size()) - at), at});
  return s;
}

}  // namespace

TEST(TileSteps, AStateContinuedByTilesIsTheStateOfTheWhole) {
  const float inf = std::numeric_limits<float>::infinity();
  for (int kind = 0; kind < 5; ++kind) {
    auto x = numbers(512, 3, kind == 1 ? 500.0f : 0.0f, 7u + static_cast<unsigned>(kind));
    if (kind == 2)
      for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i);  // every tile has a new maximum, and is far from the mean
    if (kind == 3) std::fill(x.begin(), x.begin() + 256, -inf);
    if (kind == 4) x[300] = std::nanf("");
    for (tf::index each : {8, 32, 256}) {
      const tf::log_sum_exp<float> lse;
      const tf::softmax<float> softmax;
      const float want = tf::reduce(lse, x), got = lse.finalize(continued(lse, x, each));
      EXPECT_TRUE(std::isnan(want) ? std::isnan(got) : std::abs(got - want) <= 1e-6f * (4 + std::abs(want))) << got << " " << want;
      if (kind != 4) {
        EXPECT_TRUE(softmax.same(continued(softmax, x, each), tf::reduce_state(softmax, x))) << kind << " " << each;
      }
      const tf::argmax<float> argmax;
      const auto best = continued<true>(argmax, x, each);
      EXPECT_TRUE(argmax.same(best, tf::reduce_state(argmax, tf::indexed(x)))) << kind << " " << each << " " << best.position;
      if (kind == 3) continue;
      const tf::welford<float, float> welford;
      const auto m = welford.finalize(continued(welford, x, each));
      if (kind == 4) {
        EXPECT_TRUE(std::isnan(m.variance));
        continue;
      }
      const auto variance = static_cast<double>(reference::central(x, 2)) * 512 / 511;
      EXPECT_NEAR(m.mean, static_cast<double>(reference::mean(x)), 2e-5 * (1 + std::abs(static_cast<double>(reference::mean(x)))));
      EXPECT_NEAR(m.variance, variance, 1e-5 * variance) << kind << " " << each;
    }
  }
}

TEST(TileSteps, AGuessThatMissesIsCollectedAgain) {
  const tf::welford<float, float> r;
  auto x = numbers(1024, 1, 0, 3);
  const auto at_guess = [&](float first) {
    x[0] = first;
    const knowing_tile<> tile{x.data(), 1024};
    const float g = r.guess(tile);
    return std::pair{g, r.value_at(tile, g)};
  };
  EXPECT_FALSE(r.misses(at_guess(0.5f).second));
  const auto [g, v] = at_guess(1000.0f);  // an outlier in front: the others are far from it
  EXPECT_TRUE(r.misses(v));
  const float h = r.better(g, v);
  const auto w = r.value_at(knowing_tile<>{x.data(), 1024}, h);
  EXPECT_FALSE(r.misses(w));
  const double want = static_cast<double>(reference::central(x, 2)) * 1024 / 1023;
  EXPECT_NEAR(r.finalize({h, w}).variance, want, 1e-5 * want);
  EXPECT_FALSE(r.misses(r.identity().amount)) << "nothing has no centre";
  EXPECT_EQ(r.guess(knowing_tile<>{&(x[0] = std::numeric_limits<float>::infinity()), 1}), 0) << "references are finite";
}

TEST(TileSteps, WeightsAddedTogetherKeepTheBound) {
  const tf::log_sum_exp<float> r;
  for (float low : {-1.0f, -20.0f, -80.0f}) {
    std::vector<float> x(64, low);
    x[17] = 0;
    const knowing_tile<> tile{x.data(), 64};
    const auto seen = r.survey(tile);
    const double want = std::log1p(63 * std::exp(static_cast<double>(low)));
    EXPECT_NEAR(r.finalize(r.state_at(seen, r.collect(tile, seen))), want, 6e-8 * (5 + want));
  }
}

TEST(TileSteps, PrefixesAtOneReferenceAreThoseOfPushes) {
  const tf::log_sum_exp<float> r;
  for (const float scale : {0.1f, 3.0f, 8.0f})
    for (const float offset : {0.0f, -200.0f, 5000.0f}) {
      const std::vector<float> x = numbers(64, scale, offset, 5);
      auto pushed = r.lift(offset - 2 * scale), settled = pushed;
      ASSERT_TRUE(r.settle_for(settled, knowing_tile<>{x.data(), 64}));
      for (const float e : x) {
        r.push_into(pushed, e), r.push_settled(settled, e);
        EXPECT_TRUE(r.same(pushed, settled)) << scale << ' ' << offset;
        EXPECT_NEAR(r.finalize(pushed), r.finalize_settled(settled), 4e-7f * (1 + std::abs(r.finalize(pushed))));
      }
    }
  const float inf = std::numeric_limits<float>::infinity();
  for (const auto& [before, x] : std::vector<std::pair<float, float>>{{0, 100}, {-inf, 0}, {0, inf}, {0, std::nanf("")}, {1e30f, 2e30f}}) {
    auto s = r.lift(before);
    const auto stands = s;
    const std::vector<float> tile(8, x);
    EXPECT_FALSE(r.settle_for(s, knowing_tile<>{tile.data(), 8})) << "what lies before would be lost: " << before << ' ' << x;
    EXPECT_EQ(s, stands);
  }
}

TEST(TileSteps, ArgmaxInParts) {
  const tf::argmax<float> r;
  std::vector<float> x(64, 1);
  x[40] = x[41] = 5;
  const auto whole = [&] {
    const knowing_tile<true> left{x.data(), 32, 0}, right{x.data() + 32, 32, 32};
    const float best = r.join(r.survey(left), r.survey(right));
    return r.state_at(best, r.add_values(r.collect(left, best), r.collect(right, best)));
  };
  EXPECT_EQ(whole().position, 40);
  x[50] = std::nanf(""), x[60] = std::nanf("");
  EXPECT_EQ(whole().position, 50) << "the first NaN";
  std::fill(x.begin(), x.end(), -std::numeric_limits<float>::infinity());
  EXPECT_EQ(whole().position, 0) << "minus infinity is an element";
  EXPECT_EQ(r.state_at(0, std::numeric_limits<tf::index>::max()).position, -1) << "no element: nothing";
}
