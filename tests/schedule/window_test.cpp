// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Sliding windows: order kept, nothing subtracted, nothing left behind.
#include <gtest/gtest.h>

#include "schedule/test_operators.hpp"
#include "twofold/ops/welford.hpp"
#include "twofold/schedule/window.hpp"

namespace testing_schedules {

TEST(Window, IsTheReductionOfItsElements) {
  const auto x = random_words(150);
  for (index width : {1, 2, 3, 7, 64, 149, 150, 200}) {
    std::vector<matrices::state> out(x.size());
    tf::slide(matrices{}, x, out, width);
    for (index i = 0; i < 150; ++i) {
      const index first = i + 1 < width ? 0 : i + 1 - width;
      ASSERT_EQ(out[static_cast<std::size_t>(i)], sequential(matrices{}, tf::as_source(x).sub(first, i + 1))) << "width " << width;
    }
  }
}

TEST(Window, PushAndPopInAnyOrder) {
  std::mt19937 random(1);
  tf::window<witness> w(witness{}, 1000);
  index first = 0, next = 0;
  for (int step = 0; step < 20000; ++step) {
    if (next > first && random() % 100 < 48u) w.pop(), ++first;
    else w.push(next++);
    if (next - first > 1000) ++first;
    ASSERT_EQ(w.size(), next - first);
    ASSERT_EQ(w.result(), next == first ? witness::state{} : (witness::state{first, next, true}));
    if (step % 5000 == 4999) w.clear(), first = next;
  }
}

TEST(Window, CostsThreeCombinesPerElement) {
  static index combines;
  struct counted : plus<double> {
    double combine(double a, double b) const { return ++combines, a + b; }
  };
  tf::window<counted> w(counted{}, 100);
  combines = 0;
  for (int i = 0; i < 10000; ++i) w.push(1.0), (void)w.state();
  EXPECT_LE(combines, 30000);
}

TEST(Window, RefusesEmptyAndZero) {
  EXPECT_THROW(tf::window<witness>(witness{}, 0), tf::error);
  tf::window<witness> w(witness{}, 3);
  EXPECT_THROW(w.pop(), tf::error);
  std::vector<double> x(4), shorter(3);
  EXPECT_THROW(tf::slide(plus<double>{}, x, shorter, 2), tf::error);
}

TEST(Window, AnOperatorThatThrowsChangesNothing) {
  tf::window<witness> w(witness{}, 3);
  for (index i = 0; i < 5; ++i) w.push(i);
  EXPECT_THROW(w.push(index{9}), std::logic_error);
  EXPECT_EQ(w.result(), (witness::state{2, 5, true}));
  w.push(index{5});
  EXPECT_EQ(w.result(), (witness::state{3, 6, true}));
}

namespace {
//! Sample standard deviations of a sliding window.
std::vector<double> deviations(const std::vector<double>& x, index width) {
  struct spread : tf::welford<double> {
    double finalize(const state& s) const {
      const auto [n, mean, variance] = tf::welford<double>::finalize(s);
      return std::sqrt(variance);
    }
  };
  std::vector<double> out(x.size());
  tf::slide(spread{}, x, out, width);
  return out;
}
}  // namespace

TEST(Window, P22NoDebrisAfterLargeValues) {
  EXPECT_NEAR(deviations({1200, 1.3e17, 1.5e17, 1995, 1990}, 2).back(), 3.5355339059327378, 1e-12);
  const auto out = deviations({1, 1e-7, 0, 0, 0, 0, 0, 0, 0, 0}, 5);
  EXPECT_NEAR(out[5] * out[5], 2e-15, 1e-20);
  for (std::size_t i = 6; i < out.size(); ++i) EXPECT_EQ(out[i], 0.0);
}

TEST(Window, P22MissingValuesAreMasked) {
  const std::vector<double> x{9.54e8, 0.6225, NAN, 0, 1.14, 0};
  struct spread : tf::welford<double> {
    double finalize(const state& s) const {
      const auto [n, mean, variance] = tf::welford<double>::finalize(s);
      return std::sqrt(variance);
    }
  };
  std::vector<double> out(x.size());
  tf::slide(spread{}, tf::masked(x, [&](index i) { return !std::isnan(x[static_cast<std::size_t>(i)]); }), out, 5);
  EXPECT_NEAR(out.back(), 0.5509097589442394, 1e-15);
}

TEST(Window, P23ConstantsHaveNoSpread) {
  for (const double v : deviations(std::vector<double>(10, 36743.6), 4)) EXPECT_FALSE(v > 0);
  EXPECT_EQ(deviations(std::vector<double>(3, 2820376000.0), 3).back(), 0.0);
}

}  // namespace testing_schedules
