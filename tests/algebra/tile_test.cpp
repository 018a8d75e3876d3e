// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Sources: what is read, in which order, and what is not read at all.
#include "twofold/algebra/tile.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

namespace tf = twofold;

namespace {
//! All inputs that a source hands out, flattened.
template <class S>
std::vector<double> read(const S& s) {
  std::vector<double> all;
  for (tf::index i = 0; i < s.size(); ++i) s.apply(i, [&](const auto&... x) { (all.push_back(static_cast<double>(x)), ...); });
  return all;
}
using list = std::vector<double>;

struct total {
  using state = double;
  [[nodiscard]] double identity() const { return 0; }
  [[nodiscard]] double lift(double x, double w) const { return x * w; }
  [[nodiscard]] double combine(double a, double b) const { return a + b; }
  [[nodiscard]] double finalize(double s) const { return s; }
};
}  // namespace

TEST(Tile, FromAnythingContiguous) {
  const std::vector<double> v = {1, 2, 3};
  const std::array<int, 2> a = {4, 5};
  const float plain[] = {6, 7};
  EXPECT_EQ(read(tf::as_source(v)), (list{1, 2, 3}));
  EXPECT_EQ(read(tf::as_source(std::span(v).subspan(1))), (list{2, 3}));
  EXPECT_EQ(read(tf::as_source(a)), (list{4, 5}));
  EXPECT_EQ(read(tf::as_source(plain)), (list{6, 7}));
  EXPECT_EQ(tf::as_source(std::vector<int>{}).size(), 0);
}

TEST(Tile, StridesMayBeNegativeOrZero) {
  const std::vector<double> v = {0, 1, 2, 3, 4, 5};
  const tf::array_source<double> backwards{v.data() + 5, 3, -2}, constant{v.data() + 4, 3, 0};
  EXPECT_EQ(read(backwards), (list{5, 3, 1}));
  EXPECT_EQ(read(backwards.sub(1, 3)), (list{3, 1}));
  EXPECT_EQ(read(constant), (list{4, 4, 4}));
}

TEST(Tile, RowsOfAPitchedMatrix) {
  const std::vector<double> m = {1, 2, -9, 3, 4, -9, 5, 6, -9};
  const tf::row_source<double> rows{m.data(), 3, 2, 3};
  const auto columns = [](const auto& s) {
    list all;
    for (tf::index i = 0; i < s.size(); ++i)
      s.apply(i, [&](const auto& row) {
        for (tf::index j = 0; j < row.size(); ++j) all.push_back(row[j]);
      });
    return all;
  };
  EXPECT_EQ(columns(rows), (list{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(columns(rows.sub(1, 2)), (list{3, 4}));
  const tf::row_source<double> transposed{m.data(), 2, 3, 1, 3};
  EXPECT_EQ(columns(transposed), (list{1, 3, 5, 2, 4, 6}));
}

TEST(Tile, OffsetsDoNotWrapAt32Bits) {
  const tf::index far = tf::index{1} << 33;
  const tf::array_source<char> s{nullptr, far + 5, 3};
  EXPECT_EQ(reinterpret_cast<std::intptr_t>(s.sub(far, far + 1).data), 3 * far);
  const tf::row_source<char> rows{nullptr, far, 1, 7};
  EXPECT_EQ(reinterpret_cast<std::intptr_t>(rows.sub(far - 1, far).data), 7 * (far - 1));
}

TEST(Tile, ZipWalksTogetherAndStopsAtTheShortest) {
  const list x = {1, 2, 3}, y = {10, 20, 30};
  const std::vector<int> z = {7, 8};
  EXPECT_EQ(read(tf::zip(x, y)), (list{1, 10, 2, 20, 3, 30}));
  EXPECT_EQ(read(tf::zip(x, y, z)), (list{1, 10, 7, 2, 20, 8}));
  EXPECT_EQ(read(tf::zip(x, y).sub(1, 2)), (list{2, 20}));
  EXPECT_EQ(tf::zip(x, y).apply(1, [](double a, double b) { return a + b; }), 22);
}

TEST(Tile, PositionsAreThoseOfTheWhole) {
  const list x = {5, 6, 7, 8};
  EXPECT_EQ(read(tf::indexed(x).sub(1, 4).sub(1, 3)), (list{2, 7, 3, 8}));
}

TEST(Tile, MaskedElementsAreNeitherReadNorHandedOut) {
  const list x = {1, NAN, 3, 4};
  const std::vector<char> visible = {1, 0, 1, 0};
  EXPECT_EQ(read(tf::masked(x, visible)), (list{1, 3}));
  EXPECT_EQ(read(tf::masked(x, visible).sub(1, 4)), (list{3}));
  EXPECT_EQ(tf::masked(x, visible).size(), 4);
  EXPECT_EQ(read(tf::masked(tf::indexed(x), [](tf::index i) { return i >= 2; }).sub(1, 4)), (list{2, 3, 3, 4}));
  const double* nowhere = nullptr;  // an unreadable array: only its visible elements may be touched
  EXPECT_EQ(read(tf::masked(tf::array_source<double>{nowhere, 9}, [](tf::index) { return false; })), list{});
  EXPECT_EQ(read(tf::indexed(tf::masked(x, visible))), (list{0, 1, 2, 3}));
}

TEST(Tile, LeafPushAndLiftSkipMaskedElements) {
  const list x = {1, NAN, 3}, w = {2, 2, 2};
  const auto src = tf::masked(tf::zip(x, w), [](tf::index i) { return i != 1; });
  const total op;
  EXPECT_EQ(tf::leaf(op, src), 8);
  EXPECT_EQ(tf::lift_at(op, src, 1), 0);
  EXPECT_EQ(tf::lift_at(op, src, 2), 6);
  double s = 5;
  tf::push_at(op, s, src, 1);
  EXPECT_EQ(s, 5);
}
