// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Every twist passes the checker that users run on their operators, under every gauge.
#include <gtest/gtest.h>

#include <tuple>

#include "twofold/algebra/laws.hpp"
#include "twofold/ops/attention.hpp"
#include "twofold/ops/covariance.hpp"
#include "twofold/ops/log_sum_exp.hpp"
#include "twofold/ops/moments.hpp"
#include "twofold/ops/softmax.hpp"
#include "twofold/ops/welford.hpp"

namespace tf = twofold;
namespace laws = twofold::laws;

namespace {

laws::options thorough() {
  laws::options o;
  o.trials = 1500;
  return o;
}
template <class R>
void lawful(const R& r) {
  const auto report = laws::check(r, thorough());
  EXPECT_TRUE(report.passed) << report.to_string();
}
template <class R, class Generate>
void lawful(const R& r, const Generate& generate) {
  const auto report = laws::check(r, generate, thorough());
  EXPECT_TRUE(report.passed) << report.to_string();
}

const auto two_numbers = [](laws::random& g) { return std::tuple<double, double>(g.between(-16, 16) / 8.0, g.between(-50, 50) / 8.0); };
template <int D>
auto scored_row(laws::random& g) {
  tf::values<float, D> row(2);
  for (tf::index j = 0; j < 2; ++j) row[j] = static_cast<float>(g.between(-40, 40)) / 8;
  return std::tuple<float, tf::values<float, D>>(static_cast<float>(g.between(-300, 300)) / 8, row);
}

}  // namespace

TEST(LawsOfTwists, WelfordUnderEveryGauge) {
  lawful(tf::welford<float>{});
  lawful(tf::welford<double>{});
  lawful(tf::welford<float, float>{});
  lawful(tf::welford<double, double, tf::gauge::pivot>{});
  lawful(tf::welford<int>{});
}

TEST(LawsOfTwists, MomentsAndCovariance) {
  lawful(tf::moments<double>{});
  lawful(tf::moments<double, 3>{});
  lawful(tf::moments<float, 2, float>{});
  lawful(tf::moments<double, 4, double, tf::gauge::pivot>{});
  lawful(tf::covariance<double>{}, two_numbers);
  lawful(tf::covariance<double, double, tf::gauge::pivot>{}, two_numbers);
}

TEST(LawsOfTwists, LogSumExpUnderEveryGauge) {
  lawful(tf::log_sum_exp<float>{});
  lawful(tf::log_sum_exp<double>{});
  lawful(tf::log_sum_exp<float, tf::gauge::maximum>{});
  lawful(tf::log_sum_exp<double, tf::gauge::lazy<8>>{});
  lawful(tf::log_sum_exp<float, tf::gauge::lazy<8, tf::gauge::integer>>{});
}

TEST(LawsOfTwists, SoftmaxUnderEveryGauge) {
  lawful(tf::softmax<float>{});
  lawful(tf::softmax<double, tf::gauge::maximum>{});
  lawful(tf::softmax<float, tf::gauge::lazy<8, tf::gauge::integer>>{});
  lawful(tf::log_softmax<float>{});
  lawful(tf::log_softmax<double, tf::gauge::lazy<4>>{});
}

TEST(LawsOfTwists, AttentionUnderEveryGauge) {
  lawful(tf::attention<float>{2}, scored_row<tf::dynamic>);
  lawful(tf::attention<float, 2>{}, scored_row<2>);
  lawful(tf::attention<float, 2, tf::gauge::maximum>{}, scored_row<2>);
  lawful(tf::attention<double, tf::dynamic, tf::gauge::lazy<8, tf::gauge::integer>>{2}, scored_row<2>);
}
