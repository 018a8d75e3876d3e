// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Every merge tree and every split of up to 12 elements gives the state of the loop; empty leaves change
//! nothing.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "ops/brackets.hpp"
#include "twofold/ops/ops.hpp"

namespace tf = twofold;

namespace {

//! All brackets of the first n elements, n = 0…longest, against the loop.
template <class R, class S>
void every_length(const R& r, const S& all, tf::index longest) {
  for (tf::index n = 0; n <= longest; ++n) {
    const auto src = all.sub(0, n);
    const auto want = brackets::fold(r, src);
    long wrong = 0;
    brackets::every_bracket(r, src, [&](const auto& s) { wrong += !tf::same(r, s, want); });
    EXPECT_EQ(wrong, 0) << "n = " << n;
  }
}

const std::vector<double> numbers = {3, -1, 4, 1, -5, 9, 2, -6, 5, 3, 5, -8};
const std::vector<int> whole = {3, -1, 4, 1, -5, 9, 2, -6, 5, 3, 5, -8};
const std::vector<double> scores = {0.5, -INFINITY, 3, 200, -INFINITY, -INFINITY, 199.5, -40, 201, -300, 0, 201};

}  // namespace

TEST(Trees, ExactOperators) {
  every_length(tf::sum<int>{}, tf::as_source(whole), 12);
  every_length(tf::max<double>{}, tf::as_source(numbers), 12);
  every_length(tf::argmax<int>{}, tf::indexed(whole), 12);
  every_length(tf::maximum_segment_sum<int>{}, tf::as_source(whole), 12);
  every_length(tf::mean<int>{}, tf::as_source(whole), 12);
}

TEST(Trees, WelfordAndMoments) {
  every_length(tf::welford<double>{}, tf::as_source(numbers), 11);
  every_length(tf::welford<double, double, tf::gauge::pivot>{}, tf::as_source(numbers), 10);
  every_length(tf::moments<double>{}, tf::as_source(numbers), 9);
  every_length(tf::covariance<double>{}, tf::zip(numbers, scores).sub(6, 12), 6);
}

TEST(Trees, LogSumExpWithAbsentScores) {
  every_length(tf::log_sum_exp<double>{}, tf::as_source(scores), 10);
  every_length(tf::softmax<float, tf::gauge::lazy<8>>{}, tf::as_source(std::vector<float>(scores.begin(), scores.end())), 10);
}

TEST(Trees, AttentionWithMaskedRows) {
  const double nan = NAN;
  std::vector<double> rows = {1, 2, nan, nan, 3, 5, -1, 0, nan, 1, 1, nan, 2, 2, 0, 1, 4, -4, 1, 1, 0, 0, 3, 1};
  const std::vector<char> visible = {1, 1, 1, 0, 1, 1, 1, 1, 1, 0, 1, 1};
  const auto src = tf::masked(tf::zip(scores, tf::row_source<double>{rows.data(), 12, 2, 2}), visible);
  every_length(tf::attention<double, 2>{}, src, 9);
  every_length(tf::attention<double>{2}, src, 7);
}

TEST(Trees, NonCommutativeOperatorsKeepTheirOrder) {
  const std::vector<int> a = {1, -1, 2, 0, 1, 3, -2, 1, 1, -1, 2, 1}, b = {5, 3, -2, 7, 1, 0, 4, -1, 2, 6, -3, 8};
  every_length(tf::affine_recurrence<int>{}, tf::zip(a, b), 12);
  std::vector<tf::affine_map<int, 2>> maps(10);
  for (int i = 0; i < 10; ++i) maps[static_cast<std::size_t>(i)] = {{{1, i % 3}, {i % 2, -1}}, {i, 1}};
  every_length(tf::affine_matrix_recurrence<int, 2>{}, tf::as_source(maps), 9);
}
