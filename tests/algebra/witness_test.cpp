// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The witness notices loss, repetition, reordering and overlap under every tree.
#include "twofold/algebra/witness.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "ops/brackets.hpp"
#include "twofold/algebra/laws.hpp"

namespace tf = twofold;

namespace {
std::vector<tf::interval> singles(const std::vector<tf::index>& positions) {
  std::vector<tf::interval> all;
  for (const tf::index i : positions) all.push_back(tf::witness{}.lift(i));
  return all;
}
//! Every tree over these positions, in this order, ends in a fault.
void every_tree_notices(const std::vector<tf::index>& positions) {
  brackets::every_tree(tf::witness{}, singles(positions), [&](const tf::interval& s) {
    EXPECT_FALSE(s.ok());
    EXPECT_FALSE(s.covers(static_cast<tf::index>(positions.size())));
  });
}
}  // namespace

TEST(Witness, AcceptsEveryTreeOverTheRightOrder) {
  std::vector<tf::index> order;
  for (tf::index n = 0; n <= 9; ++n) {
    brackets::every_tree(tf::witness{}, singles(order), [&](const tf::interval& s) { EXPECT_TRUE(s.covers(n)); });
    order.push_back(n);
  }
}

TEST(Witness, NoticesEveryWrongOrder) {
  std::vector<tf::index> p = {0, 1, 2, 3, 4};
  while (std::next_permutation(p.begin(), p.end())) every_tree_notices(p);
}

TEST(Witness, NoticesLossRepetitionAndOverlap) {
  every_tree_notices({0, 1, 3, 4});
  every_tree_notices({0, 1, 1, 2});
  every_tree_notices({0, 1, 2, 0});
  const tf::witness w;
  const tf::interval a{0, 5}, overlapping{3, 8}, inside{1, 2}, before{-4, 0}, after{7, 9};
  EXPECT_EQ(w.combine(a, overlapping).fault, tf::schedule_fault::repeat);
  EXPECT_EQ(w.combine(a, inside).fault, tf::schedule_fault::repeat);
  EXPECT_EQ(w.combine(a, after).fault, tf::schedule_fault::gap);
  EXPECT_EQ(w.combine(a, before).fault, tf::schedule_fault::swapped);
  EXPECT_EQ(w.combine(a, after).left_last, 5);
  EXPECT_EQ(w.combine(a, after).right_first, 7);
}

TEST(Witness, LossAtTheEndsShowsInCovers) {
  const tf::witness w;
  EXPECT_FALSE(w.lift(0).covers(2));
  EXPECT_FALSE(w.lift(1).covers(1));
  EXPECT_TRUE(w.identity().covers(0));
  EXPECT_FALSE(w.identity().covers(1));
}

TEST(Witness, IsAMonoid) {
  const auto report = tf::laws::check(tf::witness{});
  EXPECT_TRUE(report.passed) << report.to_string();
}
