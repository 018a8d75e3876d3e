// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Extrema, sums and recurrences on inputs that broke other libraries.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "ops/brackets.hpp"
#include "twofold/algebra/laws.hpp"
#include "twofold/algebra/maps.hpp"
#include "twofold/algebra/product.hpp"
#include "twofold/ops/ops.hpp"

namespace tf = twofold;

namespace {
template <class R, class T, class F>
void every(const R& r, const std::vector<T>& x, F&& accept) {
  brackets::every_bracket(r, tf::as_source(x), [&](const auto& s) { accept(r.finalize(s)); });
}
template <class R, class T, class F>
void every_indexed(const R& r, const std::vector<T>& x, F&& accept) {
  brackets::every_bracket(r, tf::indexed(x), [&](const auto& s) { accept(r.finalize(s)); });
}
}  // namespace

// P31: no finite value stands for "nothing yet".
TEST(Extrema, InfinitiesAreOrdinaryElements) {
  const std::vector<float> infinite(10, INFINITY);
  every_indexed(tf::argmin<float>{}, infinite, [](const auto& y) {
    EXPECT_EQ(y.position, 0);
    EXPECT_EQ(y.value, INFINITY);
  });
  every_indexed(tf::argmax<std::uint32_t>{}, std::vector<std::uint32_t>(3, 0), [](const auto& y) {
    EXPECT_EQ(y.position, 0);
    EXPECT_EQ(y.value, 0u);
  });
}

TEST(Extrema, NothingIsSaidOfNothing) {
  EXPECT_EQ(tf::max<double>{}.finalize(tf::max<double>{}.identity()), -INFINITY);
  EXPECT_EQ(tf::min<float>{}.finalize(tf::min<float>{}.identity()), INFINITY);
  EXPECT_FALSE(tf::max<int>{}.finalize(tf::max<int>{}.identity()).has_value());
  EXPECT_EQ(tf::argmax<int>{}.finalize(tf::argmax<int>{}.identity()).position, -1);
  EXPECT_EQ(*tf::max<int>{}.finalize(tf::max<int>{}.lift(INT32_MIN)),
            INT32_MIN);  // the smallest value is not "nothing"
}

// P32: the first NaN wins, in argmax and in max alike.
TEST(Extrema, FirstNaNWins) {
  const auto position = [](const std::vector<float>& x, tf::index want) {
    every_indexed(tf::argmax<float>{}, x, [&](const auto& y) { EXPECT_EQ(y.position, want); });
    every(tf::max<float>{}, x, [](float y) { EXPECT_TRUE(std::isnan(y)); });
  };
  position({INFINITY, NAN}, 1);
  position({NAN, INFINITY}, 0);
  position({NAN, 6, 8}, 0);
  position({3, NAN, 1, 5}, 1);
  position({1, NAN, NAN, NAN}, 1);
}

// P33: equal values give the lowest index, whatever the tree.
TEST(Extrema, TiesGoToTheLowestIndex) {
  every_indexed(tf::argmax<int>{}, std::vector<int>{1, 2, 5, 4, 5}, [](const auto& y) { EXPECT_EQ(y.position, 2); });
  every_indexed(tf::argmax<int>{}, std::vector<int>(4, 1), [](const auto& y) { EXPECT_EQ(y.position, 0); });
  every_indexed(tf::argmin<double>{}, std::vector<double>{0.0, -0.0}, [](const auto& y) { EXPECT_EQ(y.position, 0); });
}

// P34, P35: constants of every special value, at sizes around powers of two; negative data.
TEST(Extrema, ConstantsOfAnyValue) {
  const float values[] = {-0.0f, 0.0f, -INFINITY, INFINITY, -1e-45f, -3.4028235e38f};
  for (const float c : values)
    for (const std::size_t n : {1u, 2u, 31u, 32u, 33u, 8193u}) {
      const std::vector<float> x(n, c);
      EXPECT_EQ(tf::leaf(tf::max<float>{}, tf::as_source(x)), c);
      EXPECT_EQ(tf::leaf(tf::min<float>{}, tf::as_source(x)), c);
      EXPECT_EQ(std::signbit(tf::leaf(tf::max<float>{}, tf::as_source(x))), std::signbit(c));
    }
  every(tf::max<double>{}, std::vector<double>{-2, -1}, [](double y) { EXPECT_EQ(y, -1); });
  every(tf::max<int>{}, std::vector<int>{-10, -1, -1000}, [](const auto& y) { EXPECT_EQ(*y, -1); });
}

// P11: infinity in the data spoils the variance alone.
TEST(Product, OtherStatisticsSurviveInfinity) {
  const tf::product all{tf::min<double>{}, tf::max<double>{}, tf::count{}, tf::sum<double>{}, tf::welford<double>{}};
  every(all, std::vector<double>{2, INFINITY}, [](const auto& y) {
    EXPECT_EQ(tf::get<0>(y), 2);
    EXPECT_EQ(tf::get<1>(y), INFINITY);
    EXPECT_EQ(tf::get<2>(y), 2);
    EXPECT_EQ(tf::get<3>(y), INFINITY);
    EXPECT_TRUE(std::isnan(tf::get<4>(y).variance));
  });
}

// P14: weights, the first of them 0, as a product of two sums.
TEST(Product, WeightedMeanWithALeadingZeroWeight) {
  const tf::product<tf::sum<double>, tf::sum<double>> sums;
  const tf::premap value{tf::sum<double>{}, [](double x, double w) { return x * w; }};
  const tf::premap weight{tf::sum<double>{}, [](double, double w) { return w; }};
  const tf::product both{value, weight};
  for (const auto& w : {std::vector<double>{0, 0.5, 1}, std::vector<double>{1, 0.5, 0}}) {
    const std::vector<double> x(3, 1);
    brackets::every_bracket(both, tf::zip(x, w), [&](const auto& s) {
      const auto y = both.finalize(s);
      EXPECT_EQ(tf::get<1>(y), 1.5);
      EXPECT_EQ(tf::get<0>(y) / tf::get<1>(y), 1);
    });
  }
  EXPECT_EQ(tf::get<0>(sums.finalize(sums.identity())), 0);
}

// P36: exponential moving average, where an operand swap between levels shows.
TEST(Affine, MovingAverageAcrossLevels) {
  std::vector<double> gamma(256), x(256);
  for (int i = 0; i < 256; ++i) {
    gamma[static_cast<std::size_t>(i)] = (37 * i % 101) / 101.0;
    x[static_cast<std::size_t>(i)] = i;
  }
  const tf::affine_recurrence<double> op;
  const auto src = tf::zip(gamma, x);
  const auto tree = [&](auto&& self, tf::index first, tf::index last) -> tf::affine<double> {
    if (last - first == 1) return tf::lift_at(op, src, first);
    const tf::index middle = first + (last - first) / 2;
    return op.combine(self(self, first, middle), self(self, middle, last));
  };
  const auto at = [&](tf::index i, double want) {
    EXPECT_NEAR(op.finalize(tree(tree, 0, i + 1)), want, 1e-11);
    EXPECT_NEAR(op.finalize(brackets::fold(op, src.sub(0, i + 1))), want, 1e-11);
  };
  at(63, 74.74881959925433);
  at(64, 97.30392952442024);
  at(127, 215.59299419357382);
  at(255, 372.48449538462376);
}

// P37: a·0.5 + b as a combine is refused by the law checker; lifted to (scale, value) it is right.
namespace {
struct half_and_add {
  using input = double;
  using state = double;
  [[nodiscard]] double identity() const { return 0; }
  [[nodiscard]] double lift(double x) const { return x; }
  [[nodiscard]] double combine(double a, double b) const { return a * 0.5 + b; }
  [[nodiscard]] double finalize(double s) const { return s; }
};
}  // namespace
TEST(Affine, HalfAndAddNeedsAScale) {
  EXPECT_FALSE(tf::laws::check(half_and_add{}).passed);
  const tf::affine_recurrence<double> op;
  const double want[] = {1, 2.5, 4.25, 6.125, 8.0625, 10.03125, 12.015625, 14.0078125};
  const std::vector<double> half(8, 0.5), x = {1, 2, 3, 4, 5, 6, 7, 8};
  for (tf::index n = 1; n <= 8; ++n)
    brackets::every_bracket(op, tf::zip(half, x).sub(0, n), [&](const auto& s) { EXPECT_EQ(op.finalize(s), want[n - 1]); });
}

// P40: the initial value enters once, however the input is cut.
TEST(Affine, InitialValueEntersOnce) {
  const std::vector<int> ones(8, 1), x = {1, 1, 2, 2, 3, 3, 4, 4};
  const tf::affine_recurrence<int> op{100};
  const int want[] = {101, 102, 104, 106, 109, 112, 116, 120};
  for (tf::index n = 1; n <= 8; ++n)
    brackets::every_bracket(op, tf::zip(ones, x).sub(0, n), [&](const auto& s) { EXPECT_EQ(op.finalize(s), want[n - 1]); });
  EXPECT_EQ(op.finalize(op.identity()), 100);
}

// P41: permutations and the bicyclic monoid are sharper than numbers: order alone decides.
namespace {
struct brackets_balance {  // unmatched ) then unmatched (
  struct state {
    int close, open;
    bool operator==(const state&) const = default;
  };
  using input = char;
  [[nodiscard]] state identity() const { return {0, 0}; }
  [[nodiscard]] state lift(char c) const { return {c == ')', c == '('}; }
  [[nodiscard]] state combine(state a, state b) const {
    const int matched = a.open < b.close ? a.open : b.close;
    return {a.close + b.close - matched, a.open + b.open - matched};
  }
  [[nodiscard]] bool finalize(state s) const { return s.close == 0 && s.open == 0; }
};
}  // namespace
TEST(Order, BicyclicMonoid) {
  EXPECT_TRUE(tf::laws::check(brackets_balance{}).passed);
  const std::vector<char> good = {'(', '(', ')', '(', ')', ')'}, bad = {')', '(', '(', ')', ')', '('};
  every(brackets_balance{}, good, [](bool y) { EXPECT_TRUE(y); });
  every(brackets_balance{}, bad, [](bool y) { EXPECT_FALSE(y); });
}
TEST(Order, AnOperatorThatIsLawfulOnItsDomainOnly) {
  struct growing {
    using state = int;
    [[nodiscard]] int identity() const { return 0; }
    [[nodiscard]] int lift(int x) const { return x; }
    [[nodiscard]] int combine(int a, int b) const { return a == 0 ? b : b == 0 ? a : a < b ? a + b : -10000; }
    [[nodiscard]] int finalize(int s) const { return s; }
  };
  const std::vector<int> x = {1, 10, 100, 1000};
  const int want[] = {1, 11, 111, 1111};
  for (tf::index n = 1; n <= 4; ++n) EXPECT_EQ(brackets::fold(growing{}, tf::as_source(x).sub(0, n)), want[n - 1]);
}

// P46: overflow breaks associativity of the plain sum; a wider accumulator does not overflow.
TEST(Sum, OverflowDependsOnTheTreeAndAWideAccumulatorHelps) {
  const double m = std::numeric_limits<double>::max();
  const std::vector<double> x = {-m, m, m, -m};
  const tf::sum<double> plain;
  EXPECT_EQ(plain.finalize(brackets::fold(plain, tf::as_source(x))), 0);
  EXPECT_EQ(plain.combine(plain.combine(-m, plain.combine(m, m)), -m), INFINITY);
  const float f = std::numeric_limits<float>::max();
  every(tf::sum<float, double>{}, std::vector<float>{-f, f, f, -f}, [](double y) { EXPECT_EQ(y, 0); });
}

// P47: once infinite, always infinite.
TEST(Sum, InfinityStays) {
  const double m = std::numeric_limits<double>::max();
  const std::vector<double> x = {m, m, 1, m};
  for (tf::index n = 2; n <= 4; ++n) {
    EXPECT_EQ(brackets::fold(tf::sum<double>{}, tf::as_source(x).sub(0, n)), INFINITY);
    EXPECT_EQ(tf::compensated_sum<double>{}.finalize(brackets::fold(tf::compensated_sum<double>{}, tf::as_source(x).sub(0, n))), INFINITY);
  }
}

// P57: what cancels is not lost, wherever the cut lies.
TEST(Sum, CompensatedSumSurvivesCancellation) {
  std::vector<double> x(65536, 0.0);
  x[0] = 1e16;
  x[32768] = -1e16;
  x[32769] = 1;
  const tf::compensated_sum<double> op;
  const auto src = tf::as_source(x);
  for (const tf::index b : {1, 7, 4096, 32768, 65536}) {
    auto s = op.identity();
    for (tf::index i = 0; i < src.size(); i += b) s = op.combine(s, tf::leaf(op, src.sub(i, i + b < src.size() ? i + b : src.size())));
    EXPECT_EQ(op.finalize(s), 1);
  }
}

TEST(Sum, PairwiseTilesAreAccurate) {
  const std::vector<float> x(10'000'000, 0.1f);
  const double want = 1e7 * static_cast<double>(0.1f);
  EXPECT_NEAR(tf::leaf(tf::pairwise_sum<float>{}, tf::as_source(x)) / want, 1, 1e-6);
  EXPECT_GT(std::fabs(tf::leaf(tf::sum<float>{}, tf::as_source(x)) / want - 1), 1e-3);  // the plain fold drifts
}

TEST(Sum, IntegersWrapWithoutUndefinedBehaviour) {
  const tf::sum<std::int32_t, std::int32_t> narrow;
  EXPECT_EQ(narrow.combine(INT32_MAX, 1), INT32_MIN);
  every(tf::sum<std::uint8_t>{}, std::vector<std::uint8_t>(5, 255), [](std::uint64_t y) { EXPECT_EQ(y, 1275u); });
  every(tf::sum<bool>{}, std::vector<char>{1, 0, 1}, [](std::int64_t y) { EXPECT_EQ(y, 2); });
}

TEST(MaximumSegmentSum, EveryShortInput) {
  for (int code = 0; code < 5 * 5 * 5 * 5 * 5; ++code) {
    std::vector<int> x;
    for (int c = code; x.size() < 5; c /= 5) x.push_back(c % 5 - 2);
    int best = INT32_MIN;
    for (std::size_t i = 0; i < 5; ++i)
      for (std::size_t j = i, s = 0; j < 5; ++j) {
        s += static_cast<std::size_t>(x[j]);
        best = std::max(best, static_cast<int>(s));
      }
    const tf::maximum_segment_sum<int> op;
    EXPECT_EQ(*op.finalize(brackets::fold(op, tf::as_source(x))), best);
    EXPECT_EQ(*op.finalize(op.combine(tf::leaf(op, tf::as_source(x).sub(0, 2)), tf::leaf(op, tf::as_source(x).sub(2, 5)))), best);
  }
  EXPECT_FALSE(tf::maximum_segment_sum<int>{}.finalize({}).has_value());
}
