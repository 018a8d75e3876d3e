// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Operators on sequences (the k best, brackets, runs, histograms, max-plus recurrences, regression, cross-entropy): against the
//! plain loop, under every bracketing of short inputs and random cuts of long ones.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

#include "ops/brackets.hpp"
#include "twofold/algebra/laws.hpp"
#include "twofold/algebra/tile.hpp"
#include "twofold/ops/ops.hpp"

namespace {

namespace tf = twofold;
constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

template <class R, class Generate>
void lawful(const R& r, const Generate& generate) {
  tf::laws::options o;
  o.trials = 1500;
  const auto report = tf::laws::check(r, generate, o);
  EXPECT_TRUE(report.passed) << report.to_string();
}

//! Every bracketing where the input is short, random cuts into tiles where it is long.
template <class R, class S, class Check>
void every_way(const R& r, const S& source, const Check& check) {
  check(brackets::fold(r, source));
  const tf::index n = source.size();
  if (n <= 6) {
    std::vector<tf::state_of<R>> leaves;
    for (tf::index i = 0; i < n; ++i) leaves.push_back(tf::leaf(r, source.sub(i, i + 1)));
    brackets::every_tree(r, leaves, check);
    brackets::every_split(r, source, check);
    return;
  }
  std::mt19937 bits(static_cast<unsigned>(n));
  for (int round = 0; round < 8; ++round) {
    auto s = r.identity();
    for (tf::index i = 0; i < n;) {
      const tf::index next = std::min<tf::index>(n, i + 1 + static_cast<tf::index>(bits() % 40));
      s = round % 2 ? r.combine(s, tf::leaf(r, source.sub(i, next))) : r.combine(s, brackets::fold(r, source.sub(i, next)));
      i = next;
    }
    check(s);
  }
}

std::vector<double> some_numbers(std::size_t n, unsigned seed, int values) {
  std::mt19937 bits(seed);
  std::vector<double> x(n);
  for (double& e : x) e = static_cast<int>(bits() % static_cast<unsigned>(values)) - values / 2;
  return x;
}

}  // namespace

TEST(TopK, TheBestFewAndWhereTheyAre) {
  const tf::top_k<double, 3> op;
  lawful(op, [](tf::laws::random& g) { return std::tuple<tf::index, double>(g.between(0, 1000), g.between(0, 3)); });
  for (std::size_t n : {0u, 1u, 2u, 3u, 5u, 300u})
    for (int values : {2, 5, 1000}) {
      auto x = some_numbers(n, static_cast<unsigned>(n + 7), values);
      if (n == 300) x[200] = not_a_number, x[17] = not_a_number, x[30] = inf, x[31] = -inf;
      std::vector<tf::index> order(n);
      std::iota(order.begin(), order.end(), tf::index{0});
      std::stable_sort(order.begin(), order.end(), [&](tf::index i, tf::index j) {
        const double a = x[static_cast<std::size_t>(i)], b = x[static_cast<std::size_t>(j)];
        return std::isnan(a) != std::isnan(b) ? std::isnan(a) : a > b;
      });
      every_way(op, tf::indexed(x), [&](const auto& s) {
        const auto best = op.finalize(s);
        ASSERT_EQ(best.size(), std::min<tf::index>(3, static_cast<tf::index>(n)));
        for (tf::index i = 0; i < best.size(); ++i) ASSERT_EQ(best[i].position, order[static_cast<std::size_t>(i)]) << n << ' ' << values;
      });
    }
  const std::vector<double> ascending = {1, 2, 3, 4, 5};
  every_way(tf::bottom_k<double, 2>{}, tf::indexed(ascending), [](const auto& s) {
    ASSERT_EQ(s.size(), 2);
    ASSERT_EQ(s[0].position, 0);
    ASSERT_EQ(s[1].position, 1);
  });
}

TEST(BracketDepth, DepthsOnTheWay) {
  lawful(tf::bracket_depth{}, [](tf::laws::random& g) { return g.between(-3, 3); });
  std::mt19937 bits(3);
  for (int n : {0, 1, 4, 6, 500}) {
    std::vector<int> x(static_cast<std::size_t>(n));
    for (int& e : x) e = static_cast<int>(bits() % 3) - 1;
    tf::depth_profile want{0, 0, 0};
    for (int e : x) want.depth += e, want.lowest = std::min(want.lowest, want.depth), want.deepest = std::max(want.deepest, want.depth);
    every_way(tf::bracket_depth{}, tf::as_source(x), [&](const auto& s) { ASSERT_EQ(s, want); });
  }
  const auto of = [](const char* text) {
    auto s = tf::bracket_depth{}.identity();
    for (; *text; ++text) tf::push_into(tf::bracket_depth{}, s, *text == '(' ? 1 : -1);
    return s;
  };
  EXPECT_TRUE(of("(()())").balanced());
  EXPECT_FALSE(of("())(").balanced());
  EXPECT_FALSE(of("(()").balanced());
}

TEST(RunLengths, HowManyAndTheLongest) {
  lawful(tf::run_lengths<int>{}, [](tf::laws::random& g) { return g.between(0, 1); });
  for (std::size_t n : {0u, 1u, 5u, 6u, 400u})
    for (int values : {1, 2, 3}) {
      auto x = some_numbers(n, static_cast<unsigned>(n) + 11, values);
      if (n == 400) x[100] = x[101] = not_a_number;
      tf::run_summary want{0, 0};
      std::int64_t run = 0;
      for (std::size_t i = 0; i < n; ++i) {
        run = i > 0 && x[i] == x[i - 1] ? run + 1 : 1;
        want.runs += run == 1;
        want.longest = std::max(want.longest, run);
      }
      every_way(tf::run_lengths<double>{}, tf::as_source(x), [&](const auto& s) {
        const auto got = tf::run_lengths<double>{}.finalize(s);
        ASSERT_EQ(got.has_value(), n > 0);
        if (n > 0) {
          ASSERT_EQ(*got, want) << n << ' ' << values;
        }
      });
    }
}

TEST(Histogram, CountsEverythingOnce) {
  const tf::histogram<double, 4> op{-1.0, 0.5};
  lawful(op, [](tf::laws::random& g) { return g.between(-12, 12) / 4.0; });
  lawful(tf::histogram<int, 3>{0, 2}, [](tf::laws::random& g) { return g.between(-4, 9); });
  const std::vector<double> x = {-1, -1.0000001, -0.5, -0.0, 0.49999, 0.99, 1, inf, -inf, not_a_number, 5e-324};
  every_way(op, tf::as_source(x), [](const auto& s) {
    ASSERT_EQ(s.below, 2);
    ASSERT_EQ(s.above, 2);
    ASSERT_EQ(s.not_a_number, 1);
    ASSERT_EQ(s.bins[0], 1);
    ASSERT_EQ(s.bins[1], 1);
    ASSERT_EQ(s.bins[2], 3);
    ASSERT_EQ(s.bins[3], 1);
  });
  const std::vector<int> integers = {-1, 0, 1, 2, 5, 6, 2147483647};
  every_way(tf::histogram<int, 3>{0, 2}, tf::as_source(integers), [](const auto& s) {
    ASSERT_EQ(s.below, 1);
    ASSERT_EQ(s.bins[0], 2);
    ASSERT_EQ(s.bins[1], 1);
    ASSERT_EQ(s.bins[2], 1);
    ASSERT_EQ(s.above, 2);
  });
}

TEST(MaxPlus, RecurrencesOfShiftAndFloor) {
  const auto steps = [](tf::laws::random& g) {
    return std::tuple<double, double>(g.between(-5, 5), g.between(0, 3) == 0 ? -inf : static_cast<double>(g.between(-9, 9)));
  };
  lawful(tf::max_plus_recurrence<double>{}, steps);
  std::mt19937 bits(5);
  for (std::size_t n : {0u, 1u, 5u, 300u}) {
    std::vector<tf::max_plus_map<double>> maps(n);
    for (auto& m : maps) m = {static_cast<int>(bits() % 11) - 5.0, bits() % 3 == 0 ? -inf : static_cast<int>(bits() % 9) - 4.0};
    for (double start : {0.0, -inf, 100.0}) {
      double want = start;
      for (const auto& m : maps) want = std::max(want + m.shift, m.floor);
      tf::max_plus_recurrence<double> op;
      op.initial = start;
      auto s = op.identity();
      std::vector<tf::max_plus_map<double>> parts;
      for (std::size_t i = 0; i < n; i += 7) {
        auto part = op.identity();
        for (std::size_t j = i; j < std::min(n, i + 7); ++j) part = op.combine(part, op.lift(maps[j].shift, maps[j].floor));
        s = op.combine(s, part);
      }
      EXPECT_EQ(op.finalize(s), want) << n << ' ' << start;
    }
  }
}

TEST(Regression, LineThroughPairsWhateverTheirOffset) {
  for (double offset : {0.0, 1e6, -1e9}) {
    std::mt19937 bits(9);
    tf::regression<double> op;
    auto whole = op.identity(), left = op.identity(), right = op.identity();
    for (int i = 0; i < 200; ++i) {
      const double x = offset + static_cast<int>(bits() % 1000) / 8.0, noise = static_cast<int>(bits() % 17) / 64.0 - 0.125;
      const double y = 3 * (x - offset) - 7 + noise;
      tf::push_into(op, whole, x, y);
      tf::push_into(op, i < 77 ? left : right, x, y);
    }
    for (const auto& s : {whole, op.combine(left, right)}) {
      const auto line = op.finalize(s);
      EXPECT_EQ(line.count, 200);
      EXPECT_NEAR(line.slope, 3, 1e-3);
      EXPECT_NEAR(line.intercept + line.slope * offset, -7, 1e-1);
      EXPECT_GT(line.determination, 0.999);
      EXPECT_NEAR(line.residual, 200 * 0.0059, 0.4);
    }
  }
  tf::regression<double> op;
  auto s = op.identity();
  EXPECT_EQ(op.finalize(s).count, 0);
  EXPECT_TRUE(std::isnan(op.finalize(s).slope));
  for (double y : {1.0, 2.0}) tf::push_into(op, s, 5.0, y);
  EXPECT_TRUE(std::isnan(op.finalize(s).slope));  // all x are equal
}

TEST(CrossEntropy, OfATargetInOnePass) {
  tf::cross_entropy<double> op;
  op.target = 3;
  lawful(op, [](tf::laws::random& g) { return std::tuple<tf::index, double>(g.between(4, 90), g.between(-20, 20) / 2.0); });
  for (std::size_t n : {5u, 6u, 200u})
    for (double offset : {0.0, 1000.0, -5e4}) {
      std::vector<double> x = some_numbers(n, static_cast<unsigned>(n), 30);
      for (double& e : x) e = e / 4 + offset;
      double sum = 0;
      for (double e : x) sum += std::exp(e - offset);
      const double want = std::log(sum) + offset - x[3];
      every_way(op, tf::indexed(x), [&](const auto& s) { ASSERT_NEAR(op.finalize(s), want, 1e-12 * (1 + std::fabs(offset))); });
    }
  auto s = op.identity();
  EXPECT_TRUE(std::isnan(op.finalize(s)));  // no element, no target
  tf::push_into(op, s, tf::index{0}, 1.0);
  EXPECT_TRUE(std::isnan(op.finalize(s)));
  tf::push_into(op, s, tf::index{3}, -inf);
  EXPECT_EQ(op.finalize(s), inf);
}

TEST(LogCumsumExp, IsScannedLogSumExp) {
  const std::vector<double> x = {0, -1, 2, -inf, 5};
  const tf::log_cumsum_exp<double> op;
  auto s = op.identity();
  double sum = 0;
  for (double e : x) {
    tf::push_into(op, s, e);
    sum += std::exp(e);
    EXPECT_NEAR(op.finalize(s), std::log(sum), 1e-14);
  }
}
