// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Layer norm and RMS norm against long double; and leaf in parts, as the threads of a team take it, against leaf at once.
#include <gtest/gtest.h>

#include <cmath>

#include "ops/reference.hpp"
#include "twofold/algebra/laws.hpp"
#include "twofold/ops/ops.hpp"
#include "twofold/schedule/reduce.hpp"

namespace tf = twofold;

namespace {

std::vector<float> wave(int n, float offset) {
  std::vector<float> x;
  for (int i = 0; i < n; ++i) x.push_back(offset + std::sin(1.7f * static_cast<float>(i)) * 3);
  return x;
}

//! The state of x held in `parts` by as many threads: surveys joined, values added.
template <class R>
tf::state_of<R> in_parts(const R& r, const std::vector<float>& x, tf::index parts) {
  const auto all = tf::as_source(x);
  const auto part = [&](tf::index k) { return all.sub(tf::cut(all.size(), parts, k).first, tf::cut(all.size(), parts, k).last); };
  auto seen = r.survey(part(0));
  for (tf::index k = 1; k < parts; ++k) seen = r.join(seen, r.survey(part(k)));
  auto v = r.collect(part(0), seen);
  for (tf::index k = 1; k < parts; ++k) v = r.add_values(v, r.collect(part(k), seen));
  return r.state_at(seen, v);
}

}  // namespace

TEST(Norms, AreLawful) {
  for (const auto& report : {tf::laws::check(tf::layer_norm<float>{}), tf::laws::check(tf::layer_norm<float, float>{}),
                             tf::laws::check(tf::rms_norm<float>{}), tf::laws::check(tf::rms_norm<double>{})})
    EXPECT_TRUE(report.passed) << report.to_string();
}

TEST(Norms, MapARowAsLongDoubleDoes) {
  for (int n : {1, 2, 7, 64, 1000})
    for (float offset : {0.0f, 1000.0f}) {
      const auto x = wave(n, offset);
      const auto layer = tf::reduce(tf::layer_norm<float>{}, x, tf::tiles{16} | tf::tree{});
      const auto rms = tf::reduce(tf::rms_norm<float>{}, x, tf::tiles{16} | tf::tree{});
      const long double scale = 1 / std::sqrt(reference::central(x, 2) + 1e-5L);
      long double squares = 0;
      for (float e : x) squares += static_cast<long double>(e) * e;
      const long double root = std::sqrt(squares / n + 1e-5L);
      for (float e : x) {
        EXPECT_NEAR(layer(e), static_cast<double>((e - reference::mean(x)) * scale), 1e-9) << n;
        EXPECT_NEAR(rms(e), static_cast<double>(e / root), 1e-12) << n;
      }
    }
}

TEST(Norms, OfNothingAndOfNaN) {
  EXPECT_TRUE(std::isnan(tf::reduce(tf::layer_norm<float>{}, std::vector<float>{}).scale));
  EXPECT_TRUE(std::isnan(tf::reduce(tf::rms_norm<float>{}, std::vector<float>{}).scale));
  const std::vector<float> x = {1, std::nanf(""), 3};
  EXPECT_TRUE(std::isnan(tf::reduce(tf::layer_norm<float>{}, x)(1.0f)));
  EXPECT_TRUE(std::isnan(tf::reduce(tf::rms_norm<float>{}, x)(1.0f)));
}

TEST(LeafInParts, IsTheStateOfTheWhole) {
  constexpr float inf = std::numeric_limits<float>::infinity();
  for (int n : {1, 5, 64, 1000}) {
    auto x = wave(n, 20);
    for (tf::index parts : {1, 2, 3, 8}) {
      const tf::softmax<float> softmax;
      EXPECT_TRUE(softmax.same(in_parts(softmax, x, parts), tf::reduce_state(softmax, x))) << n;
      const tf::log_sum_exp<float> lse;
      EXPECT_TRUE(lse.same(in_parts(lse, x, parts), tf::reduce_state(lse, x))) << n;
      const tf::welford<float, float> welford;
      EXPECT_NEAR(welford.finalize(in_parts(welford, x, parts)).mean, static_cast<double>(reference::mean(x)), 1e-5) << n;
      const auto got = welford.finalize(in_parts(welford, x, parts)).variance;
      const auto want = n > 1 ? static_cast<double>(reference::central(x, 2)) * n / (n - 1) : 0.0;
      EXPECT_TRUE(n > 1 ? std::abs(got - want) < 1e-4 : std::isnan(got)) << n << " " << got;
    }
  }
  // −inf is absent, also where a whole part holds nothing else; +inf and NaN are seen; huge scores do not overflow
  const tf::log_sum_exp<float> lse;
  const auto value = [&](const std::vector<float>& x, tf::index parts) { return lse.finalize(in_parts(lse, x, parts)); };
  for (tf::index parts : {1, 2, 4}) {
    EXPECT_EQ(value({-inf, -inf, -inf, -inf}, parts), -inf);
    EXPECT_FLOAT_EQ(value({-inf, -inf, 1, 1}, parts), 1 + std::log(2.0f));
    EXPECT_EQ(value({1, inf, 2, 3}, parts), inf);
    EXPECT_TRUE(std::isnan(value({1, 2, std::nanf(""), inf}, parts)));
    EXPECT_EQ(value({3e38f, 3e38f, 3e38f, 3e38f}, parts), tf::reduce(lse, std::vector<float>{3e38f, 3e38f, 3e38f, 3e38f}));
    EXPECT_EQ(value({-3e38f, -inf, -3e38f, -inf}, parts), tf::reduce(lse, std::vector<float>{-3e38f, -inf, -3e38f, -inf}));
  }
}
