// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Every operator passes the checker that users run on theirs.
#include <gtest/gtest.h>

#include <cmath>
#include <tuple>

#include "twofold/algebra/laws.hpp"
#include "twofold/algebra/opposite.hpp"
#include "twofold/algebra/product.hpp"
#include "twofold/ops/ops.hpp"

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

}  // namespace

TEST(Laws, Sums) {
  lawful(tf::sum<float>{});
  lawful(tf::sum<double>{});
  lawful(tf::sum<int>{});
  lawful(tf::sum<unsigned char>{});
  lawful(tf::sum<unsigned char, unsigned char>{});
  lawful(tf::pairwise_sum<float>{});
  lawful(tf::pairwise_sum<double>{});
  lawful(tf::compensated_sum<float>{});
  lawful(tf::compensated_sum<double>{});
}

TEST(Laws, CountAndMean) {
  lawful(tf::count{}, two_numbers);
  lawful(tf::mean<float>{});
  lawful(tf::mean<double>{});
  lawful(tf::mean<int>{});
  lawful(tf::mean<unsigned long>{});
}

TEST(Laws, Extrema) {
  lawful(tf::max<float>{});
  lawful(tf::min<double>{});
  lawful(tf::max<int>{});
  lawful(tf::min<unsigned>{});
  const auto placed = [](laws::random& g) { return std::tuple<tf::index, float>(g.between(0, 50), static_cast<float>(g.between(0, 3))); };
  lawful(tf::argmax<float>{}, placed);
  lawful(tf::argmin<float>{}, placed);
}

TEST(Laws, AffineRecurrences) {
  lawful(tf::affine_recurrence<double>{}, two_numbers);
  lawful(tf::affine_recurrence<int>{}, [](laws::random& g) { return std::tuple<int, int>(g.between(-1, 1), g.between(-5, 5)); });
  lawful(tf::affine_matrix_recurrence<int, 2>{}, [](laws::random& g) {
    tf::affine_map<int, 2> m{};
    tf::for_each_field(m, [&](int& x) { x = g.between(-1, 1); });
    return m;
  });
}

TEST(Laws, MaximumSegmentSum) {
  lawful(tf::maximum_segment_sum<int>{});
  lawful(tf::maximum_segment_sum<double>{});
  lawful(tf::maximum_segment_sum<float>{});
}

TEST(Laws, ProductsAndOpposites) {
  lawful(tf::product{tf::sum<double>{}, tf::max<double>{}, tf::welford<double>{}},
         [](laws::random& g) { return static_cast<double>(g.between(-9, 9)); });
  lawful(tf::opposite{tf::affine_recurrence<double>{}}, two_numbers);
}

TEST(Laws, ExactOperatorsAreExactOnSpecialValues) {
  const std::vector<double> special = {0.0, -0.0, 1.0, -1.0, 5e-324, -1.7976931348623157e308, INFINITY, -INFINITY};
  const auto extremes = laws::check(tf::max<double>{}, special);
  EXPECT_TRUE(extremes.passed) << extremes.to_string();
  const auto least = laws::check(tf::min<double>{}, special);
  EXPECT_TRUE(least.passed) << least.to_string();
}

TEST(Laws, DeclarationsAreTrue) {
  static_assert(tf::is_commutative<tf::sum<float>> && tf::is_commutative<tf::welford<double>>);
  static_assert(!tf::is_commutative<tf::affine_recurrence<float>> && !tf::is_commutative<tf::maximum_segment_sum<int>>);
  static_assert(tf::is_exact_over_machine<tf::sum<int>> && !tf::is_exact_over_machine<tf::sum<float>>);
  static_assert(tf::is_exact_over_machine<tf::max<float>> && tf::is_exact_over_machine<tf::mean<long>>);
  static_assert(!tf::is_commutative<tf::product<tf::sum<int>, tf::opposite<tf::maximum_segment_sum<int>>>>);
}
