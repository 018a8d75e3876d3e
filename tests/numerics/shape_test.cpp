// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file What shape_of says about a schedule is what the engine does; the numbers of a report follow from it.
#include "twofold/numerics/shape.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "twofold/numerics/bounds.hpp"
#include "twofold/schedule/reduce.hpp"
#include "twofold/schedule/scan.hpp"
#include "twofold/schedule/text.hpp"

namespace tf = twofold;
namespace num = twofold::numerics;

namespace {
//! Counts the additions on the longest path of any element.
struct height_counter {
  struct state {
    tf::index elements;
    double height;
  };
  [[nodiscard]] state identity() const { return {0, 0}; }
  [[nodiscard]] state lift(char) const { return {1, 0}; }
  [[nodiscard]] state combine(const state& a, const state& b) const {
    if (a.elements == 0) return b;
    if (b.elements == 0) return a;
    return {a.elements + b.elements, std::max(a.height, b.height) + 1};
  }
  template <class Tile>
  [[nodiscard]] state leaf(const Tile& tile) const {
    return {tile.size(), static_cast<double>(tile.size() - 1)};
  }
  [[nodiscard]] double finalize(const state& s) const { return s.height; }
};
const std::vector<const char*> texts = {"fold",
                                        "tree",
                                        "tiles=7",
                                        "tiles=7,tree",
                                        "lanes=8",
                                        "lanes=3,tree",
                                        "split=5",
                                        "split=4,tree",
                                        "tiles=16,split=8",
                                        "tiles=16,split=8,tree",
                                        "reproducible",
                                        "tiles=32,reproducible",
                                        "tiles=64,lanes=8",
                                        "tiles=64,lanes=4,split=3,tree",
                                        "threads",
                                        "tiles=1000000"};
}  // namespace

TEST(Shape, IsWhatTheEngineDoes) {
  for (const tf::index n : {1, 2, 3, 16, 17, 100, 128, 1000, 4096, 5003})
    for (const char* text : texts) {
      const tf::schedule s = tf::parse_schedule(text);
      const std::vector<char> x(static_cast<std::size_t>(n));
      const double height = tf::reduce(height_counter{}, x, s);
      const auto shape = num::shape_of(n, s);
      EXPECT_LE(height, shape.additions()) << text << ", n = " << n;
      EXPECT_GE(height, shape.additions() - 4) << text << ", n = " << n;  // the longest tile need not lie in the deepest place
      if (n == 4096 && std::string(text).find('7') == std::string::npos && std::string(text).find('3') == std::string::npos &&
          std::string(text).find('5') == std::string::npos) {
        EXPECT_EQ(height, shape.additions()) << text;
      }
    }
}

TEST(Shape, OfScans) {
  for (const tf::index n : {1, 2, 17, 128, 1000, 1025})
    for (const char* text : texts) {
      const tf::schedule s = tf::parse_schedule(text);
      const std::vector<char> x(static_cast<std::size_t>(n));
      std::vector<double> heights(x.size());
      tf::scan(height_counter{}, x, heights, s);
      EXPECT_LE(*std::max_element(heights.begin(), heights.end()), num::scan_shape_of(n, s).additions()) << text << ", n = " << n;
    }
}

TEST(Shape, IsAConstantExpression) {
  constexpr auto s = num::shape_of(131072, tf::tiles{128} | tf::split{64});
  static_assert(s.leaf == 128 && s.levels == 15 + 63 && s.pushed == 1);
  static_assert(num::sum_terms(0x1p-24, s).first_order() == (127 + 78) * 0x1p-24);
  static_assert(num::shape_of(0, tf::tree{}).additions() == 0);
}

//! The numbers of the report for attention over 131072 keys in tiles of 128, exp2 good to 4u: derived there by hand.
TEST(Shape, NumbersOfTheReport) {
  const double u = 0x1p-24, n = 131072;
  num::weight_arithmetic w;
  w.reference = num::reference_rule::maximum, w.exp2_roundings = w.rescale_roundings = 4;
  const auto schedule_part = [&](const char* text, const num::weight_arithmetic& a) {
    const auto b = num::softmax_sum_terms(u, num::shape_of(131072, tf::parse_schedule(text)), n, a);
    return (b.of("additions within a tile") + b.of("additions of merges") + b.of("products of rescales") + b.of("exp2 of rescales")) / u;
  };
  EXPECT_EQ(schedule_part("tiles=131072", w), 131071);
  EXPECT_EQ(schedule_part("tiles=128", w), 6265);
  EXPECT_EQ(schedule_part("tiles=128,split=64", w), 595);
  EXPECT_EQ(schedule_part("tiles=128,tree", w), 187);
  num::weight_arithmetic integer = w;
  integer.reference = num::reference_rule::integer;
  EXPECT_EQ(schedule_part("tiles=128,tree", integer), 137);
  EXPECT_EQ(schedule_part("tiles=128,split=64", integer), 205);
  const auto all = num::softmax_sum_terms(u, num::shape_of(131072, tf::parse_schedule("tiles=128,split=64")), n, w);
  EXPECT_NEAR(all.first_order() / u, 608, 0.5);
  EXPECT_NEAR(all.total(), 3.6e-5, 0.05e-5);
  EXPECT_STREQ(all.dominant().name, "exp2 of rescales");
}

TEST(Shape, CrossoverOfTilesAgainstOnePass) {  // a chain of tiles is no worse than one pass iff b ≥ 2 + ε_r/u
  for (const double eps : {0.0, 1.0, 4.0})
    for (tf::index b = 2; b <= 16; ++b) {
      num::weight_arithmetic w;
      w.reference = num::reference_rule::maximum, w.exp2_roundings = 1, w.rescale_roundings = eps;
      const tf::index n = 5040 * b;
      const double tiled = num::softmax_sum_terms(0x1p-24, num::shape_of(n, tf::tiles{b}), 1, w).first_order();
      const double whole = num::softmax_sum_terms(0x1p-24, num::shape_of(n, tf::tiles{n}), 1, w).first_order();
      EXPECT_EQ(tiled <= whole, static_cast<double>(b) >= 2 + eps) << b << " " << eps;
    }
}

TEST(Breakdown, SumsNamesAndOrders) {
  num::breakdown b;
  b.add("a", 0.1, "x").add("b", 0.3, "y").add("none", 0, "");
  EXPECT_EQ(b.size(), 2);
  EXPECT_STREQ(b.dominant().name, "b");
  EXPECT_DOUBLE_EQ(b.first_order(), 0.4);
  EXPECT_DOUBLE_EQ(b.total(), 0.4 / 0.6);
  EXPECT_EQ(b.of("a"), 0.1);
  EXPECT_EQ(b.of("c"), 0);
  EXPECT_DOUBLE_EQ(b.perturbation(0.5).total(), 0.8);
  EXPECT_TRUE(std::isinf(num::sum(0x1p-8, {1, 0, 1000})));  // B ≥ 1: nothing is promised
}
