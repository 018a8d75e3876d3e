// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Means and moments on inputs that broke other libraries, and against long double.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "ops/brackets.hpp"
#include "ops/reference.hpp"
#include "twofold/ops/covariance.hpp"
#include "twofold/ops/mean.hpp"
#include "twofold/ops/moments.hpp"
#include "twofold/ops/welford.hpp"

namespace tf = twofold;
using tf::welford;

namespace {

//! The state (n, mean, M2) of a piece computed elsewhere: all n elements' mean is the reference.
template <class W>
typename W::state piece(std::int64_t n, double mean, double m2) {
  return {mean, {n, {0, m2}}};
}

//! Variance under every schedule a short input has, which must agree.
template <class W, class T>
void variance_is(const W& w, const std::vector<T>& x, double want, double tolerance) {
  brackets::every_bracket(w, tf::as_source(x),
                          [&](const auto& s) { EXPECT_NEAR(static_cast<double>(w.finalize(s).variance), want, tolerance); });
}

//! Tiles of b, merged from the left.
template <class W, class T>
auto tiled(const W& w, const std::vector<T>& x, tf::index b) {
  auto s = w.identity();
  const auto src = tf::as_source(x);
  for (tf::index i = 0; i < src.size(); i += b) s = w.combine(s, tf::leaf(w, src.sub(i, std::min(i + b, src.size()))));
  return s;
}

template <class X = double>
welford<X> population() {
  welford<X> w;
  w.correction = 0;
  return w;
}

}  // namespace

// P01: δ²·(n_a·n_b/n) must not be evaluated against nothing.
TEST(Welford, MergingWithNothingChangesNothing) {
  const auto w = population();
  for (const double mean : {1.7976931348623157e308, 1e155, -3.0}) {
    const auto s = piece<welford<double>>(2, mean, 0);
    EXPECT_EQ(w.combine(s, w.identity()), s);
    EXPECT_EQ(w.combine(w.identity(), s), s);
    EXPECT_EQ(w.finalize(w.combine(s, w.identity())).variance, 0);
  }
}

// P02, P12, P16: empty pieces anywhere.
TEST(Welford, EmptyPiecesAreNormal) {
  const auto w = population();
  const auto e = w.identity(), three = piece<welford<double>>(3, 2, 2);
  EXPECT_EQ(w.combine(w.combine(e, e), three), three);
  const std::vector<double> x = {0, 1, 2, 3};
  const auto src = tf::masked(x, [&](tf::index i) { return x[static_cast<std::size_t>(i)] != 0; });
  brackets::every_bracket(w, src, [&](const auto& s) { EXPECT_NEAR(w.finalize(s).standard_deviation(), 0.816496580927726, 1e-15); });
  const std::vector<double> six = {4, 8, 1, 9, 2, 7};
  const auto all = tf::as_source(six);
  const auto merged = w.combine(w.combine(leaf(w, all.sub(0, 0)), leaf(w, all.sub(0, 1))), leaf(w, all.sub(1, 6)));
  EXPECT_NEAR(w.finalize(merged).variance, static_cast<double>(reference::central(six, 2)), 1e-14);
}

// P03, P04, P18, P23: constant data has variance 0, exactly, and never below.
TEST(Welford, ConstantDataHasNoVariance) {
  variance_is(welford<float>{}, std::vector<float>(3, 1e9f), 0, 0);
  variance_is(welford<float, float>{}, std::vector<float>(3, 1e9f), 0, 0);
  for (const std::size_t n : {2u, 3u, 4u, 9u}) {
    variance_is(welford<double>{}, std::vector<double>(n, -0.14357562916991), 0, 0);
    variance_is(welford<double>{}, std::vector<double>(n, 36743.6), 0, 0);
    variance_is(welford<double>{}, std::vector<double>(n, 2820376000.0), 0, 0);
  }
  const std::vector<float> row(256, 1234.0f);
  for (const tf::index b : {1, 7, 32, 256}) {
    const welford<float, float> w;
    EXPECT_EQ(w.finalize(tiled(w, row, b)).variance, 0);
    EXPECT_EQ(w.finalize(tiled(w, row, b)).mean, 1234.0f);
  }
}

// P05: both inputs are exact in float, so is the answer.
TEST(Welford, TwoNeighbouringFloats) {
  const std::vector<float> x = {2281.5f, 2281.25f};
  variance_is(welford<float>{}, x, 0.03125, 0);
  variance_is(welford<float, float>{}, x, 0.03125, 0);
  variance_is(population<float>(), x, 0.015625, 0);
}

// P06: the variance of float data may exceed float; the standard deviation and the mean do not.
TEST(Welford, LargeFloatsHaveFiniteDeviation) {
  const std::vector<float> x = {1.4061e38f, -5.5003e36f, 9.9729e36f, 1.3677e38f, -6.5232e37f};
  const welford<float> w;
  brackets::every_bracket(w, tf::as_source(x), [&](const auto& s) {
    const auto r = w.finalize(s);
    EXPECT_NEAR(r.standard_deviation() / 9.1483923e37, 1, 1e-7);
    EXPECT_NEAR(r.variance / 8.3693e75, 1, 1e-4);
  });
  const std::vector<float> same(3, 3e38f);
  brackets::every_bracket(w, tf::as_source(same), [&](const auto& s) {
    EXPECT_EQ(w.finalize(s).mean, static_cast<double>(3e38f));
    EXPECT_EQ(w.finalize(s).variance, 0);
  });
}

// P07: the mean must not freeze once δ/n is below its last place.
TEST(Welford, FractionsBesideFourTimesTenToFifteen) {
  std::vector<double> x;
  for (int i = 0; i < 50000; ++i)
    for (const double d : {0.0, 1.0, 1.0, 1.0}) x.push_back(4e15 + d);
  std::shuffle(x.begin(), x.end(), std::mt19937_64(7));
  const welford<double> w;
  const welford<double, double, tf::gauge::pivot> pivoted;
  const double want = 0.18750093750468752;
  EXPECT_NEAR(w.finalize(brackets::fold(w, tf::as_source(x))).variance, want, 1e-15);
  EXPECT_NEAR(pivoted.finalize(brackets::fold(pivoted, tf::as_source(x))).variance, want, 1e-15);
  for (const tf::index b : {1, 128, 200000}) EXPECT_NEAR(w.finalize(tiled(w, x, b)).variance, want, 1e-15);
}

// P08: groups with one and the same mean have no variance between them.
TEST(Welford, EqualMeansMergeExactly) {
  const double two64 = 18446744073709551616.0;
  for (int i = 1; i <= 32; ++i)
    for (int j = 1; j <= 32; ++j) {
      const welford<double> w;
      const auto s = w.combine(piece<welford<double>>(i, two64, 0), piece<welford<double>>(j, two64, 0));
      EXPECT_EQ(w.m2(s), 0) << i << " " << j;
      EXPECT_EQ(s.at, two64);
    }
}

// P09: counts become floating before any product.
TEST(Moments, LargeCountsDoNotOverflow) {
  for (const std::int64_t n :
       {std::int64_t{1} << 21, std::int64_t{1} << 31, std::int64_t{1} << 32, (std::int64_t{1} << 53) - 1, (std::int64_t{1} << 53) + 1}) {
    const tf::moments<double> m;
    const tf::moments<double>::state a{0.0, {n, {0, 0, 0, 0}}}, b{1.0, {n, {0, 0, 0, 0}}};  // n zeros and n ones
    const auto r = m.finalize(m.combine(a, b));
    EXPECT_EQ(r.count, 2 * n);
    EXPECT_DOUBLE_EQ(r.mean, 0.5);
    EXPECT_DOUBLE_EQ(r.central[2], 0.25);
    EXPECT_NEAR(r.central[3], 0, 1e-16);
    EXPECT_DOUBLE_EQ(r.central[4], 0.0625);
  }
}

// P10: one documented answer for n ≤ correction.
TEST(Welford, FewElements) {
  const welford<double> sample;
  const auto one = sample.finalize(sample.lift(5.0));
  EXPECT_EQ(one.count, 1);
  EXPECT_EQ(one.mean, 5);
  EXPECT_TRUE(std::isnan(one.variance));
  EXPECT_EQ(population().finalize(population().lift(5.0)).variance, 0);
  const auto none = sample.finalize(sample.identity());
  EXPECT_EQ(none.count, 0);
  EXPECT_TRUE(std::isnan(none.mean) && std::isnan(none.variance));
  const auto [n, mean, variance] = sample.finalize(sample.combine(sample.lift(1.0), sample.lift(3.0)));
  EXPECT_EQ(n, 2);
  EXPECT_EQ(mean, 2);
  EXPECT_EQ(variance, 2);
}

// P13: combine leaves its arguments alone.
TEST(Welford, CombineDoesNotTouchItsArguments) {
  const auto a = piece<welford<double>>(2, 17.5, 112.5), b = piece<welford<double>>(1, 35, 0);
  const auto a_before = a, b_before = b;
  const welford<double> w;
  EXPECT_DOUBLE_EQ(w.m2(w.combine(a, b)), 316.66666666666669);
  EXPECT_EQ(a, a_before);
  EXPECT_EQ(b, b_before);
}

// P15: merged per field, not only in the answer.
TEST(Covariance, MergeKeepsEveryField) {
  std::mt19937_64 g(3);
  std::normal_distribution<double> normal;
  std::vector<double> x(65536), y(65536);
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = normal(g);
    y[i] = x[i] + normal(g);
  }
  const tf::covariance<double> c;
  for (const bool exchanged : {false, true}) {
    const auto src = exchanged ? tf::zip(y, x) : tf::zip(x, y);
    const auto whole = tf::leaf(c, src);
    auto parts = c.identity();
    for (tf::index i = 0; i < src.size(); i += 4096) parts = c.combine(parts, tf::leaf(c, src.sub(i, i + 4096)));
    EXPECT_TRUE(c.same(parts, whole));
    EXPECT_NEAR(c.finalize(parts).correlation(), std::sqrt(0.5), 5e-3);
    EXPECT_NEAR(c.finalize(parts).correlation(), c.finalize(whole).correlation(), 1e-14);
  }
}

// P17: sixteen numbers near 1449 in float.
TEST(Welford, LayerNormRow) {
  const std::vector<float> x = {1449.570556640625f,  1448.8741455078125f, 1450.650390625f,     1449.2633056640625f,
                                1449.7763671875f,    1449.317138671875f,  1449.3297119140625f, 1449.077880859375f,
                                1449.2181396484375f, 1449.4329833984375f, 1449.1605224609375f, 1449.413330078125f,
                                1449.7933349609375f, 1450.066650390625f,  1449.7762451171875f, 1450.364990234375f};
  welford<float, float> w;
  w.correction = 0;
  for (const tf::index b : {1, 4, 16}) {
    const auto r = w.finalize(tiled(w, x, b));
    EXPECT_NEAR(r.mean, 1449.567855834961, 6e-5);
    EXPECT_NEAR(r.variance, 0.21611091471277177, 1e-7);
    EXPECT_NEAR((x[1] - r.mean) / std::sqrt(r.variance + 1e-5f), -1.49220937, 3e-4);
  }
}

TEST(Welford, SquaresThatOverflowAreInfiniteAndNotNaN) {
  const std::vector<double> x = {1e200, -1e200, 3};
  const welford<double> w;
  const tf::moments<double> m;
  const tf::covariance<double> c;
  brackets::every_bracket(w, tf::as_source(x), [&](const auto& s) {
    EXPECT_EQ(w.finalize(s).variance, INFINITY);
    EXPECT_NEAR(w.finalize(s).mean, 0, 1e185);
  });
  brackets::every_bracket(m, tf::as_source(x), [&](const auto& s) {
    EXPECT_EQ(m.finalize(s).central[2], INFINITY);
    EXPECT_EQ(m.finalize(s).central[4], INFINITY);
  });
  brackets::every_bracket(c, tf::zip(x, x), [&](const auto& s) { EXPECT_EQ(c.finalize(s).variance_y, INFINITY); });
  const std::vector<float> narrow = {1.4061e38f, -5.5003e36f, 9.9729e36f};
  const welford<float, float> f;
  brackets::every_bracket(f, tf::as_source(narrow), [&](const auto& s) { EXPECT_EQ(f.finalize(s).variance, INFINITY); });
}

// P21: one frame off a constant.
TEST(Welford, OneFrameOffAConstant) {
  std::vector<double> x(228, -15.94);
  x[100] += 0.0755;
  const auto w = population();
  for (const tf::index b : {1, 32, 228}) {
    const auto r = w.finalize(tiled(w, x, b));
    EXPECT_NEAR(r.variance, 2.4891e-5, 1e-9);
    EXPECT_NEAR((x[100] - r.mean) / (r.standard_deviation() + 1e-5), 15.036, 1e-3);
  }
}

TEST(Moments, AgreeWithLongDoubleOnSkewedData) {
  std::mt19937_64 g(11);
  std::exponential_distribution<double> waits;
  for (const double offset : {0.0, 1e3, 1e8}) {
    std::vector<double> x(5000);
    for (double& e : x) e = offset + waits(g);
    const tf::moments<double> m;
    for (const tf::index b : {1, 64, 5000}) {
      const auto r = m.finalize(tiled(m, x, b));
      EXPECT_NEAR(r.mean, static_cast<double>(reference::mean(x)), 2e-16 * offset + 1e-15);
      for (int k = 2; k <= 4; ++k) {
        const auto want = static_cast<double>(reference::central(x, k));
        EXPECT_NEAR(r.central[k] / want, 1, 1e-12) << "moment " << k << ", offset " << offset << ", tiles of " << b;
      }
      EXPECT_NEAR(r.skewness(), 2, 0.3);
      EXPECT_NEAR(r.kurtosis(), 9, 3);
    }
  }
}

// P52: integers whose sum wraps 64 bits.
TEST(Mean, IntegersNeverWrap) {
  const std::int64_t top = INT64_MAX;
  const std::vector<std::int64_t> high = {top - 2, top - 1, top}, low = {INT64_MIN, INT64_MIN, INT64_MIN};
  brackets::every_bracket(tf::mean<std::int64_t>{}, tf::as_source(high),
                          [](const auto& s) { EXPECT_EQ(tf::mean<std::int64_t>{}.finalize(s), 9.223372036854776e18); });
  EXPECT_EQ(tf::mean<std::int64_t>{}.finalize(leaf(tf::mean<std::int64_t>{}, tf::as_source(low))), -9.223372036854775808e18);
  const std::vector<std::uint64_t> wide = {18446744073699999744u, 4970, 4749, 4719, 4704};
  EXPECT_EQ(tf::mean<std::uint64_t>{}.finalize(leaf(tf::mean<std::uint64_t>{}, tf::as_source(wide))), 3.689348814740004e18);
  const std::vector<std::uint16_t> narrow(1025, 64);
  EXPECT_EQ(tf::mean<std::uint16_t>{}.finalize(leaf(tf::mean<std::uint16_t>{}, tf::as_source(narrow))), 64);
  const std::vector<int> mixed = {-7, 2, -1};
  EXPECT_EQ(tf::mean<int>{}.finalize(leaf(tf::mean<int>{}, tf::as_source(mixed))), -2);
}

// P53: a mean of ones is one, however many there are.
TEST(Mean, FloatsDoNotStagnate) {
  const std::vector<float> ones(40'000'000, 1.0f);
  EXPECT_EQ(tf::mean<float>{}.finalize(brackets::fold(tf::mean<float>{}, tf::as_source(ones))), 1.0);
}
