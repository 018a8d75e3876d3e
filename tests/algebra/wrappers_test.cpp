// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Product, opposite, maps, adjoined identity, transport, fields and errors.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "ops/brackets.hpp"
#include "twofold/algebra/error.hpp"
#include "twofold/algebra/fields.hpp"
#include "twofold/algebra/laws.hpp"
#include "twofold/algebra/maps.hpp"
#include "twofold/algebra/opposite.hpp"
#include "twofold/algebra/product.hpp"
#include "twofold/algebra/transport.hpp"
#include "twofold/algebra/values.hpp"
#include "twofold/ops/affine.hpp"
#include "twofold/ops/min_max.hpp"
#include "twofold/ops/sum.hpp"

namespace tf = twofold;

namespace {

//! (count, Σx, Σx²) in whole numbers, and Welford's coordinates (n, n·mean = Σx, n·M2 = n·Σx² − (Σx)²) on it.
struct power_sums {
  using input = long;
  struct state {
    long n, s1, s2;
    bool operator==(const state&) const = default;
  };
  [[nodiscard]] state identity() const { return {0, 0, 0}; }
  [[nodiscard]] state lift(long x) const { return {1, x, x * x}; }
  [[nodiscard]] state combine(state a, state b) const { return {a.n + b.n, a.s1 + b.s1, a.s2 + b.s2}; }
  [[nodiscard]] long finalize(state s) const { return s.n * s.s2 - s.s1 * s.s1; }
};
struct welford_coordinates {
  struct state {
    long n, sum, n_m2;
    bool operator==(const state&) const = default;
  };
  [[nodiscard]] power_sums::state to_base(state s) const { return {s.n, s.sum, (s.n_m2 + s.sum * s.sum) / s.n}; }  // n > 0: adjoined
  [[nodiscard]] state from_base(power_sums::state s) const { return {s.n, s.s1, s.n * s.s2 - s.s1 * s.s1}; }
};

struct with_leaf : tf::sum<int> {
  template <class Tile>
  [[nodiscard]] state leaf(const Tile& tile) const {
    state s = 1000;  // shows that it was this leaf
    for (tf::index i = 0; i < tile.size(); ++i) tile.apply(i, [&](int x) { s += x; });
    return s;
  }
};

const std::vector<int> numbers = {3, 1, 4, 1, 5};

}  // namespace

TEST(Transport, CarriesAMonoidIntoOtherCoordinates) {
  const tf::transport<power_sums, welford_coordinates> op;
  const auto report = tf::laws::check(op);
  EXPECT_TRUE(report.passed) << report.to_string();
  const std::vector<long> x = {2, 4, 4, 4, 5, 5, 7, 9};  // mean 5, M2 = 32
  brackets::every_bracket(op, tf::as_source(x), [&](const auto& s) {
    EXPECT_EQ(s.value.sum, 40);
    EXPECT_EQ(s.value.n_m2, 8 * 32);
    EXPECT_EQ(*op.finalize(s), 8 * 32);
  });
  EXPECT_FALSE(op.finalize(op.identity()).has_value());
}

TEST(Opposite, ReadsFromRightToLeft) {
  const std::vector<int> ones(5, 2);
  const tf::affine_recurrence<int> forwards;
  const tf::opposite backwards{forwards};
  std::vector<int> reversed(numbers.rbegin(), numbers.rend());
  brackets::every_bracket(backwards, tf::zip(ones, numbers), [&](const auto& s) {
    EXPECT_EQ(backwards.finalize(s), forwards.finalize(brackets::fold(forwards, tf::zip(ones, reversed))));
  });
  const tf::opposite<decltype(backwards)> twice{backwards};
  EXPECT_EQ(brackets::fold(twice, tf::zip(ones, numbers)), brackets::fold(forwards, tf::zip(ones, numbers)));
}

TEST(Maps, BeforeAndAfter) {
  const tf::premap squares{tf::sum<int>{}, [](int x) { return x * x; }};
  const tf::postmap root{squares, [](long s) { return std::sqrt(static_cast<double>(s)); }};
  brackets::every_bracket(squares, tf::as_source(numbers), [&](const auto& s) { EXPECT_EQ(squares.finalize(s), 52); });
  EXPECT_DOUBLE_EQ(root.finalize(tf::leaf(root, tf::as_source(numbers))), std::sqrt(52.0));
  static_assert(tf::is_commutative<decltype(squares)> && tf::is_exact_over_machine<decltype(root)>);
}

TEST(Maps, PremapKeepsTheLeafOfItsOperator) {
  const tf::premap doubled{with_leaf{}, [](int x) { return 2 * x; }};
  EXPECT_EQ(tf::leaf(doubled, tf::as_source(numbers)), 1028);
}

TEST(Product, IsEachPartForItself) {
  const tf::product both{tf::sum<int>{}, tf::max<int>{}, tf::min<int>{}};
  brackets::every_bracket(both, tf::as_source(numbers), [&](const auto& s) {
    const auto y = both.finalize(s);
    EXPECT_EQ(tf::get<0>(y), 14);
    EXPECT_EQ(*tf::get<1>(y), 5);
    EXPECT_EQ(*tf::get<2>(y), 1);
  });
}

TEST(Adjoin, NothingIsNotAValue) {
  const tf::max<int> op;
  EXPECT_NE(op.identity(), op.lift(INT32_MIN));
  EXPECT_EQ(op.combine(op.identity(), op.lift(-5)), op.lift(-5));
  EXPECT_EQ(op.finalize(op.identity()).value_or(7), 7);
}

namespace {
struct nested {
  int a;
  struct {
    double b[2][3];
    bool c;
  } inner;
  tf::values<float, 2> d;
  char e[3];
};
}  // namespace
TEST(Fields, SeeThroughNestedAggregatesAndArrays) {
  nested x{1, {{{2, 3, 4}, {5, 6, 7}}, true}, tf::values<float, 2>{}, {'a', 'b', 'c'}};
  std::vector<double> seen;
  tf::for_each_field(x, [&](const auto& f) { seen.push_back(static_cast<double>(f)); });
  EXPECT_EQ(seen, (std::vector<double>{1, 2, 3, 4, 5, 6, 7, 1, 0, 0, 'a', 'b', 'c'}));
  tf::for_each_field(x, [](auto& f) { f = {}; });
  EXPECT_EQ(x.inner.b[1][2], 0);
  static_assert(tf::has_fields<nested>() && !tf::has_fields<std::string>());
}

TEST(Values, DynamicOnesCopyMoveAndCompare) {
  tf::values<int, tf::dynamic> a(3), b;
  a[0] = 1, a[2] = 5;
  b = a;
  EXPECT_EQ(a, b);
  b[1] = 9;
  EXPECT_NE(a, b);
  const auto moved = std::move(b);
  EXPECT_EQ(moved[1], 9);
  a = tf::values<int, tf::dynamic>(2);
  EXPECT_EQ(a.size(), 2);
  auto& self = a;
  a = self;
  EXPECT_EQ(a.size(), 2);
  EXPECT_EQ((tf::values<int, tf::dynamic>(0).size()), 0);
}

TEST(Error, SaysWhatWhyAndWhatWouldWork) {
  const tf::error e("TF2301", "to load a state", "it is empty", "a saved state");
  EXPECT_STREQ(e.what(), "TF2301: to load a state: it is empty; what would work: a saved state");
  EXPECT_EQ(e.code(), "TF2301");
  const tf::result<int> good = 4, bad = e;
  EXPECT_TRUE(good && *good == 4 && !bad);
  EXPECT_EQ(bad.why().limit(), "it is empty");
  try {
    (void)bad.value();
    FAIL();
  } catch (const std::exception& thrown) {
    EXPECT_STREQ(thrown.what(), e.what());
  }
}
