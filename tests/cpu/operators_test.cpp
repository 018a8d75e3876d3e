// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Every operator of ops/ through every schedule, with threads, against plain loops in long double.
#include <gtest/gtest.h>

#include <numeric>

#include "ops/reference.hpp"
#include "schedule/test_operators.hpp"
#include "twofold/twofold.hpp"

namespace testing_schedules {

namespace {

using real = long double;
constexpr index sizes[] = {0, 1, 2, 9, 40, 130};
constexpr double unit = 0x1p-53;

//! A hard but tame input: a large offset, both signs, ties.
std::vector<double> numbers(index n, std::uint32_t seed = 1) {
  const auto words = random_words(n, seed);
  std::vector<double> x;
  for (const auto w : words) x.push_back(100.0 + (static_cast<double>(w % 4096) - 2048.0) / 256.0);
  return x;
}

//! Runs check(schedule) with everything known on failure.
template <class F>
void under_every_schedule(index n, const F& check) {
  for (const auto& s : some_schedules()) {
    SCOPED_TRACE(std::string(tf::to_text(s).view()) + " n=" + std::to_string(n));
    check(s);
    if (::testing::Test::HasFailure()) return;
  }
}

void expect_close(real got, real want, real tolerance) {
  EXPECT_TRUE(reference::close(got, want, tolerance))
      << static_cast<double>(got) << " where " << static_cast<double>(want) << " ± " << static_cast<double>(tolerance);
}

}  // namespace

TEST(EveryOperator, Sums) {
  for (const index n : sizes) {
    const auto x = numbers(n);
    const real want = reference::sum(x), bound = static_cast<real>(n) * unit * want;
    under_every_schedule(n, [&](const tf::schedule& s) {
      expect_close(tf::reduce(tf::sum<double>{}, x, s), want, bound);
      expect_close(tf::reduce(tf::pairwise_sum<double>{}, x, s), want, bound);
      expect_close(tf::reduce(tf::compensated_sum<double>{}, x, s), want, 2 * unit * want);
      const tf::array_source<std::uint32_t> words{random_words(1).data(), 0};
      EXPECT_EQ(tf::reduce(tf::sum<std::uint32_t>{}, words, s), 0u);
    });
  }
}

TEST(EveryOperator, IntegersAreExact) {
  for (const index n : sizes) {
    const auto x = random_words(n);
    std::uint64_t want = 0;
    for (auto v : x) want += v;
    under_every_schedule(
        n, [&](const tf::schedule& s) { EXPECT_EQ(static_cast<std::uint64_t>(tf::reduce(tf::sum<std::uint32_t>{}, x, s)), want); });
  }
}

TEST(EveryOperator, Extrema) {
  for (const index n : sizes) {
    const auto x = numbers(n);
    const auto low = std::min_element(x.begin(), x.end()), high = std::max_element(x.begin(), x.end());
    under_every_schedule(n, [&](const tf::schedule& s) {
      EXPECT_EQ(tf::reduce(tf::max<double>{}, x, s), n == 0 ? -HUGE_VAL : *high);
      EXPECT_EQ(tf::reduce(tf::min<double>{}, x, s), n == 0 ? HUGE_VAL : *low);
      EXPECT_EQ(tf::reduce(tf::argmax<double>{}, tf::indexed(x), s).position, n == 0 ? -1 : high - x.begin());
      EXPECT_EQ(tf::reduce(tf::argmin<double>{}, tf::indexed(x), s).position, n == 0 ? -1 : low - x.begin());
    });
  }
}

TEST(EveryOperator, Moments) {
  for (const index n : sizes) {
    const auto x = numbers(n), y = numbers(n, 2);
    const real mean = reference::mean(x), variance = reference::central(x, 2);
    real xy = 0;
    for (std::size_t i = 0; i < x.size(); ++i) xy += (x[i] - mean) * (y[i] - reference::mean(y));
    under_every_schedule(n, [&](const tf::schedule& s) {
      EXPECT_EQ(tf::reduce(tf::count{}, x, s), n);
      expect_close(tf::reduce(tf::mean<double>{}, x, s), mean, 4 * unit * 100);
      const auto w = tf::reduce(tf::welford<double>{}, x, s);
      EXPECT_EQ(w.count, n);
      expect_close(w.mean, mean, 4 * unit * 110);
      if (n < 2) EXPECT_TRUE(std::isnan(w.variance));
      else expect_close(w.variance, variance * static_cast<real>(n) / static_cast<real>(n - 1), 200 * unit * variance);
      const auto m = tf::reduce(tf::moments<double>{}, x, s);
      if (n > 0) {
        for (int k = 2; k <= 4; ++k)
          expect_close(m.central[k], reference::central(x, k), 400 * unit * std::pow(8.0L, static_cast<real>(k)));
      }
      const auto c = tf::reduce(tf::covariance<double>{}, tf::zip(x, y), s);
      if (n > 1) expect_close(c.covariance, xy / static_cast<real>(n - 1), 400 * unit * 64);
    });
  }
}

TEST(EveryOperator, Exponentials) {
  for (const index n : sizes) {
    auto x = numbers(n);
    if (n > 5) x[4] = -HUGE_VAL;
    const real want = reference::log_sum_exp(x);
    const auto weights = reference::softmax(x);
    under_every_schedule(n, [&](const tf::schedule& s) {
      expect_close(tf::reduce(tf::log_sum_exp<double>{}, x, s), want, 1000 * unit * 150);
      const auto weight = tf::reduce(tf::softmax<double>{}, x, s);
      const auto logarithm = tf::reduce(tf::log_softmax<double>{}, x, s);
      for (std::size_t i = 0; i < x.size(); ++i) {
        expect_close(weight(x[i]), weights[i], 1000 * unit * 150 * weights[i]);
        expect_close(logarithm(x[i]), x[i] - want, 1000 * unit * 150);
      }
    });
  }
}

TEST(EveryOperator, Attention) {
  constexpr int head = 4;
  for (const index n : sizes) {
    const auto scores = numbers(n), values = numbers(n * head, 3);
    const tf::row_source<double> rows{values.data(), n, head, head};
    std::vector<double> scaled;
    for (double s : scores) scaled.push_back(s / 2);  // 1/√4
    const auto weights = reference::softmax(scaled);
    const real lse = reference::log_sum_exp(scaled);
    under_every_schedule(n, [&](const tf::schedule& s) {
      const auto fixed = tf::reduce(tf::attention<double, head>{}, tf::zip(scores, rows), s);
      const auto dynamic = tf::reduce(tf::attention<double>(head), tf::zip(scores, rows), s);
      expect_close(fixed.lse_ln, lse, 1000 * unit * 150);
      for (index j = 0; j < head; ++j) {
        real want = 0;
        for (index i = 0; i < n; ++i) want += weights[static_cast<std::size_t>(i)] * values[static_cast<std::size_t>(i * head + j)];
        expect_close(fixed.output[j], want, 1000 * unit * 110 * 50);
        expect_close(dynamic.output[j], want, 1000 * unit * 110 * 50);
      }
    });
  }
}

TEST(EveryOperator, Recurrences) {
  for (const index n : sizes) {
    std::vector<double> a, b = numbers(n, 2);
    for (const auto w : random_words(n, 5)) a.push_back(static_cast<double>(w % 1000) / 1000);
    std::vector<real> h;
    real state = 2;
    for (std::size_t i = 0; i < a.size(); ++i) h.push_back(state = a[i] * state + b[i]);
    std::vector<double> out(a.size());
    const tf::affine_recurrence<double> r{2.0};
    under_every_schedule(n, [&](const tf::schedule& s) {
      expect_close(tf::reduce(r, tf::zip(a, b), s), state, 100 * unit * 1e5);
      tf::scan(r, tf::zip(a, b), out, s);
      for (std::size_t i = 0; i < out.size(); ++i) expect_close(out[i], h[i], 100 * unit * 1e5);
    });
  }
}

TEST(EveryOperator, MatrixRecurrence) {
  using op = tf::affine_matrix_recurrence<std::int64_t, 2>;
  for (const index n : sizes) {
    std::vector<op::input> steps;
    for (const auto w : random_words(n)) {
      const auto v = [w](int k) { return static_cast<std::int64_t>((w >> k) % 3) - 1; };
      steps.push_back({{{v(0), v(3)}, {v(6), v(9)}}, {v(12), v(15)}});
    }
    std::int64_t h[2] = {1, 2};
    for (const auto& m : steps) {
      const std::int64_t x = m.scale[0][0] * h[0] + m.scale[0][1] * h[1] + m.offset[0],
                         y = m.scale[1][0] * h[0] + m.scale[1][1] * h[1] + m.offset[1];
      h[0] = x, h[1] = y;
    }
    if (n > 40) continue;  // products of longer words of matrices leave 64 bits
    under_every_schedule(n, [&](const tf::schedule& s) {
      const auto got = tf::reduce(op{{{1, 2}}}, steps, s);
      EXPECT_EQ(got[0], h[0]);
      EXPECT_EQ(got[1], h[1]);
    });
  }
}

TEST(EveryOperator, MaximumSegmentSum) {
  for (const index n : sizes) {
    std::vector<std::int64_t> x;
    for (const auto w : random_words(n)) x.push_back(static_cast<std::int64_t>(w % 21) - 10);
    std::int64_t best = n == 0 ? 0 : x[0];
    for (std::size_t i = 0; i < x.size(); ++i)
      for (std::size_t j = i; j < x.size(); ++j)
        best = std::max(best, std::accumulate(x.begin() + static_cast<std::ptrdiff_t>(i), x.begin() + static_cast<std::ptrdiff_t>(j) + 1,
                                              std::int64_t{0}));
    if (n == 0) continue;  // nothing to choose: see the operator's own tests
    under_every_schedule(n, [&](const tf::schedule& s) {
      const auto got = tf::reduce(tf::maximum_segment_sum<std::int64_t>{}, x, s);
      EXPECT_EQ(got.value, best);
    });
  }
}

TEST(EveryOperator, NanIsSeenByEverySchedule) {
  for (const index n : {1, 2, 9, 40})
    for (const index at : {index{0}, n / 2, n - 1}) {
      auto x = numbers(n);
      x[static_cast<std::size_t>(at)] = NAN;
      under_every_schedule(n, [&](const tf::schedule& s) {
        EXPECT_TRUE(std::isnan(tf::reduce(tf::sum<double>{}, x, s)));
        EXPECT_TRUE(std::isnan(tf::reduce(tf::max<double>{}, x, s)));
        EXPECT_TRUE(std::isnan(tf::reduce(tf::log_sum_exp<double>{}, x, s)));
        EXPECT_TRUE(std::isnan(tf::reduce(tf::welford<double>{}, x, s).mean));
        EXPECT_EQ(tf::reduce(tf::argmax<double>{}, tf::indexed(x), s).position, at);
      });
    }
}

TEST(EveryOperator, NothingVisible) {
  for (const index n : {0, 1, 40}) {
    const std::vector<double> lowest(static_cast<std::size_t>(n), -HUGE_VAL), garbage(static_cast<std::size_t>(n), NAN);
    const auto hidden = tf::masked(garbage, [](index) { return false; });
    under_every_schedule(n, [&](const tf::schedule& s) {
      EXPECT_EQ(tf::reduce(tf::log_sum_exp<double>{}, lowest, s), -HUGE_VAL);
      EXPECT_EQ(tf::reduce(tf::log_sum_exp<double>{}, hidden, s), -HUGE_VAL);
      EXPECT_EQ(tf::reduce(tf::sum<double>{}, hidden, s), 0.0);
      EXPECT_EQ(tf::reduce(tf::welford<double>{}, hidden, s).count, 0);
    });
  }
}

TEST(EveryOperator, P57CompensatedSumsSurviveEveryCut) {  // 1e16, zeros, −1e16, 1: plain chunked sums give 0
  std::vector<double> x(65536, 0.0);
  x[0] = 1e16, x[32768] = -1e16, x[32769] = 1;
  for (const char* text : {"fold", "tree", "split=2", "split=7,tree", "tiles=128,tree,threads", "reproducible", "threads"})
    EXPECT_EQ(tf::reduce(tf::compensated_sum<double>{}, x, tf::parse_schedule(text)), 1.0) << text;
}

}  // namespace testing_schedules
