// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Certified operators obey the laws, give the bits of the plain operators under every schedule, and enclose the exact answer. (The
//! harness asks the last question millions of times.)
#include "twofold/numerics/certified.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <tuple>
#include <vector>

#include "ops/reference.hpp"
#include "twofold/algebra/laws.hpp"
#include "twofold/numerics/families.hpp"
#include "twofold/schedule/reduce.hpp"
#include "twofold/schedule/scan.hpp"
#include "twofold/schedule/text.hpp"

namespace tf = twofold;
namespace num = twofold::numerics;
using reference::real;

namespace {

template <class R>
void lawful(const R& r) {
  const auto report = tf::laws::check(tf::certified<R>{r});
  EXPECT_TRUE(report) << report.to_string();
}
template <class R, class Generate>
void lawful(const R& r, const Generate& g) {
  const auto report = tf::laws::check(tf::certified<R>{r}, g);
  EXPECT_TRUE(report) << report.to_string();
}
const std::vector<const char*> schedules = {"fold",         "tree",         "tiles=16",        "tiles=16,tree",
                                            "lanes=8",      "lanes=8,tree", "split=3,tiles=5", "tiles=64,lanes=4,split=2,tree",
                                            "reproducible", "tiles=1000"};
std::vector<float> draw(const num::family& f, tf::laws::random& g, tf::index n) {
  std::vector<double> wide(static_cast<std::size_t>(n));
  f.fill(g, wide.data(), n, 0x1p-24);
  return {wide.begin(), wide.end()};
}
bool same_bits(float a, float b) { return a == b || (std::isnan(a) && std::isnan(b)); }

}  // namespace

TEST(Certified, ObeysTheLaws) {
  lawful(tf::sum<float>{});
  lawful(tf::sum<float, double>{});
  lawful(tf::pairwise_sum<float>{});
  lawful(tf::compensated_sum<float>{});
  lawful(tf::softmax<float>{});
  lawful(tf::softmax<float, tf::gauge::maximum>{});
  lawful(tf::softmax<double, tf::gauge::lazy<8>>{});
  lawful(tf::log_sum_exp<float>{});
  lawful(tf::log_sum_exp<double, tf::gauge::maximum>{});
  lawful(tf::welford<float, float>{});
  lawful(tf::welford<float>{});
  lawful(tf::welford<float, float, tf::gauge::pivot>{});
  lawful(tf::moments<float, 4, float>{});
  lawful(tf::moments<double, 3>{});
  const auto step = [](tf::laws::random& r) {
    return tf::affine<float>{static_cast<float>(r.between(-4, 4)) / 3, static_cast<float>(r.between(-4, 4)) / 7};
  };
  lawful(tf::affine_recurrence<float>{}, step);
  const auto row = [](tf::laws::random& r) {
    tf::values<float, 2> v;
    v[0] = static_cast<float>(r.between(-9, 9)) / 3, v[1] = 1;
    return std::tuple<float, tf::values<float, 2>>{static_cast<float>(r.between(-400, 400)) / 7, v};
  };
  lawful(tf::attention<float, 2>{}, row);
  lawful(tf::attention<float, 2, tf::gauge::maximum>{}, row);
}

TEST(Certified, HasTheBitsOfThePlainOperatorUnderEverySchedule) {
  tf::laws::random g(5);
  for (const num::family& f : num::score_families)
    for (const tf::index n : {1, 7, 300}) {
      const auto x = draw(f, g, n);
      for (const char* text : schedules) {
        const tf::schedule s = tf::parse_schedule(text);
        const auto bits = [&](const auto& plain) {
          const auto a = tf::reduce_state(plain, x, s);
          const auto b = tf::reduce_state(tf::certified{plain}, x, s);
          EXPECT_EQ(a.at, b.at) << f.name << " " << text;
          EXPECT_EQ(a.amount, b.amount.sum) << f.name << " " << text;
        };
        bits(tf::softmax<float>{});
        bits(tf::softmax<float, tf::gauge::maximum>{});
        bits(tf::log_sum_exp<float>{});
        bits(tf::log_sum_exp<float, tf::gauge::maximum>{});
      }
    }
  for (const num::family& f : num::value_families)
    for (const tf::index n : {1, 7, 300}) {
      const auto x = draw(f, g, n);
      for (const char* text : schedules) {
        const tf::schedule s = tf::parse_schedule(text);
        const auto w = tf::reduce(tf::certified{tf::welford<float, float>{}}, x, s);
        const auto plain = tf::reduce(tf::welford<float, float>{}, x, s);
        EXPECT_TRUE(same_bits(w.mean.value, plain.mean) && same_bits(w.variance.value, plain.variance)) << f.name << " " << text;
        EXPECT_EQ(tf::reduce(tf::certified{tf::sum<float>{}}, x, s).value, tf::reduce(tf::sum<float>{}, x, s));
        EXPECT_EQ(tf::reduce(tf::certified{tf::pairwise_sum<float>{}}, x, s).value, tf::reduce(tf::pairwise_sum<float>{}, x, s));
        EXPECT_EQ(tf::reduce(tf::certified{tf::compensated_sum<float>{}}, x, s).value, tf::reduce(tf::compensated_sum<float>{}, x, s));
        const auto m = tf::reduce(tf::certified{tf::moments<float, 4, float>{}}, x, s);
        const auto p = tf::reduce(tf::moments<float, 4, float>{}, x, s);
        for (int k = 2; k <= 4; ++k) EXPECT_TRUE(same_bits(m.central[k].value, p.central[k])) << f.name << " " << text;
      }
    }
}

TEST(Certified, AttentionHasTheBitsAndEnclosesEveryColumn) {
  tf::laws::random g(6);
  constexpr int d = 5;
  for (const num::family& f : num::score_families)
    for (const tf::index n : {1, 9, 200}) {
      const auto s = draw(f, g, n);
      std::vector<float> v(static_cast<std::size_t>(n * d));
      for (float& e : v) e = static_cast<float>(3 + num::detail::normal(g));
      const tf::attention<float, tf::dynamic> plain(d, 1.0);
      const auto src = tf::zip(s, tf::row_source<float>{v.data(), n, d, d});
      real most = -INFINITY, total = 0, o[d] = {};
      for (const float e : s) most = std::fmax(most, static_cast<real>(e) * static_cast<real>(plain.how.score.scale));
      for (tf::index i = 0; i < n; ++i) {
        const float e = s[static_cast<std::size_t>(i)];
        const real p = e == -INFINITY ? 0 : std::exp2(static_cast<real>(e) * static_cast<real>(plain.how.score.scale) - most);
        total += p;
        for (int j = 0; j < d; ++j) o[j] += p * static_cast<real>(v[static_cast<std::size_t>(i * d + j)]);
      }
      for (const char* text : schedules) {
        const tf::schedule how = tf::parse_schedule(text);
        const auto a = tf::reduce(plain, src, how);
        const auto b = tf::reduce(tf::certified{plain}, src, how);
        for (int j = 0; j < d; ++j) {
          EXPECT_EQ(a.output[j], b.output[j]);
          EXPECT_LE(std::fabs(static_cast<real>(b.output[j]) - o[j] / total), static_cast<real>(b.error[j])) << f.name << " " << text;
          EXPECT_LT(b.error[j], 1e-2) << f.name << " " << text;  // and it says something
        }
        EXPECT_EQ(a.lse_ln, b.lse_ln.value);
      }
    }
}

TEST(Certified, RidesAlongScans) {
  tf::laws::random g(8);
  std::vector<float> a(700), b(700);
  for (float& e : a) e = static_cast<float>(num::detail::uniform(g));
  for (float& e : b) e = static_cast<float>(num::detail::normal(g));
  const tf::certified<tf::affine_recurrence<float>> op;
  for (const char* text : schedules) {
    std::vector<tf::enclosure<float>> h(a.size());
    std::vector<float> plain(a.size());
    const tf::schedule s = tf::parse_schedule(text);
    tf::scan(op, tf::zip(a, b), h, s);
    tf::scan(tf::affine_recurrence<float>{}, tf::zip(a, b), plain, s);
    real want = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
      want = want * static_cast<real>(a[i]) + static_cast<real>(b[i]);
      EXPECT_EQ(h[i].value, plain[i]);
      EXPECT_LE(std::fabs(static_cast<real>(h[i].value) - want), static_cast<real>(h[i].error)) << text << " " << i;
      EXPECT_LT(h[i].error, 1e-4);
    }
  }
  std::vector<tf::enclosure<float>> sums(b.size());
  tf::scan(tf::certified{tf::sum<float>{}}, b, sums, tf::tiles{32} | tf::tree{});
  real want = 0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    want += static_cast<real>(b[i]);
    EXPECT_LE(std::fabs(static_cast<real>(sums[i].value) - want), static_cast<real>(sums[i].error));
  }
}

TEST(Certified, SoftmaxWeightsStayWithinTheirRelativeErrors) {
  tf::laws::random g(9);
  for (const num::family& f : num::score_families) {
    const auto x = draw(f, g, 200);
    real most = -INFINITY, sum = 0;
    for (const float e : x) most = std::fmax(most, static_cast<real>(e));
    for (const float e : x) sum += std::exp(static_cast<real>(e) - most);
    const auto map = tf::reduce(tf::certified{tf::softmax<float>{}}, x, tf::tiles{16});
    for (const float e : x) {
      const real want = std::exp(static_cast<real>(e) - most) / sum;
      if (!(want > 1e-36L)) continue;  // relative errors end where weights underflow
      // the rounded log2(e) moves every score by its distance from the mean, at most the spread
      const real scale = 0.2244L * 0x1p-24L * (most - static_cast<real>(e) + std::log(200.0L));
      EXPECT_LE(std::fabs(static_cast<real>(map(e)) / want - 1), static_cast<real>(map.relative_error(e)) + scale) << f.name << " " << e;
    }
  }
}

TEST(Certified, PromisesNothingWhereNothingCanBePromised) {
  const auto error_of = [](std::vector<float> x) { return tf::reduce(tf::certified{tf::log_sum_exp<float>{}}, x).error; };
  EXPECT_TRUE(std::isinf(error_of({1, NAN, 2})));
  EXPECT_TRUE(std::isinf(error_of({1, INFINITY, 2})));
  EXPECT_EQ(error_of({}), 0);
  EXPECT_EQ(error_of({-INFINITY, -INFINITY}), 0);
  const auto sum = tf::reduce(tf::certified{tf::sum<float>{}}, std::vector<float>{3e38f, 3e38f});
  EXPECT_TRUE(std::isinf(sum.error));
  const auto w = tf::reduce(tf::certified{tf::welford<float, float>{}}, std::vector<float>{1e30f, -1e30f, 3});
  EXPECT_TRUE(std::isinf(w.variance.error));
  EXPECT_EQ(tf::reduce(tf::certified{tf::sum<float>{}}, std::vector<float>{0.1f}).error, 0);  // one element is exact
}

TEST(Certified, AWrongBoundWouldBeNoticed) {  // a third of the bound is violated by the half-ulp family: the enclosure is not idle
  std::vector<float> x(1000, 0x1p-24f);
  x[0] = 1;
  const auto sum = tf::reduce(tf::certified{tf::sum<float>{}}, x);
  const double error = 1 + 999 * 0x1p-24 - static_cast<double>(sum.value);
  EXPECT_LE(error, sum.error);
  EXPECT_GT(error, 0.95 * sum.error);
}

TEST(Certified, TypicalErrorsAreWithinFourDeviationsOnUnbiasedData) {
  tf::laws::random g(10);
  int beyond = 0;
  for (int row = 0; row < 400; ++row) {
    std::vector<float> x(512);
    for (float& e : x) e = static_cast<float>(num::detail::normal(g));
    const auto s = tf::reduce(tf::certified{tf::sum<float>{}}, x, tf::tiles{64} | tf::tree{});
    beyond += std::fabs(static_cast<double>(reference::sum(x)) - static_cast<double>(s.value)) > s.typical();
    EXPECT_LT(s.typical(), s.error / 3);
  }
  EXPECT_EQ(beyond, 0);
}

//! Errors of S1 reach M2 by the last division and by every shift, however seldom data make it large: any S1 within its error must stay
//! covered. Random states, of which the sums of squares have no error of their own.
TEST(Certified, AnErrorOfS1IsCoveredWhereItEndsUpInM2) {
  const tf::certified<tf::welford<float, float>> op;
  tf::laws::random g(12);
  constexpr double u = 0x1p-24;
  for (int draw = 0; draw < 2000; ++draw) {
    auto s = op.lift(0.0f);
    auto& v = s.amount;
    v.powers.count = 2 + static_cast<std::int64_t>(g.next() % 1000);
    const double n = static_cast<double>(v.powers.count), s1 = n * num::detail::normal(g);
    v.powers.sums[0] = static_cast<float>(s1);
    v.powers.sums[1] = static_cast<float>(2 * s1 * s1 / n + n);
    v.errors[0] = static_cast<double>(g.next() % 1000) * n, v.errors[1] = 0;
    const double off = u * v.errors[0], first = static_cast<double>(v.powers.sums[0]), second = static_cast<double>(v.powers.sums[1]);
    const auto m2 = op.m2(s);
    for (const double sign : {-1.0, 1.0}) {
      const double moved = first + sign * off;
      EXPECT_LE(std::fabs(second - moved * moved / n - static_cast<double>(m2.value)), m2.error) << draw;
    }
    auto shifted = v;
    const auto d = static_cast<float>(num::detail::normal(g));
    op.how.shift(shifted, d, 0);
    const double by = static_cast<double>(d), before = second + 2 * by * first + by * by * n;
    for (const double sign : {-1.0, 1.0})
      EXPECT_LE(std::fabs(before + sign * 2 * by * off - static_cast<double>(shifted.powers.sums[1])), op.how.error(shifted, 1)) << draw;
  }
}
