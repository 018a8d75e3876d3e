// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The dyadic forest: its blocks are a function of the positions, however they came together.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "schedule/test_operators.hpp"

namespace testing_schedules {

namespace {

using text_forest = tf::forest<std::string>;

text_forest leaves(index first, index last) {
  text_forest f(first);
  for (index i = first; i < last; ++i) f.add(bracketing{}, 0, std::to_string(i));
  return f;
}

std::string shown(const text_forest& f) {
  std::string s = std::to_string(f.first()) + "-" + std::to_string(f.last()) + ":";
  for (const auto& node : f.nodes()) s += " " + std::to_string(node.level) + node.state;
  return s;
}

//! The forests of [first, last) by every bracketing of merges must be the same text.
std::vector<text_forest> every_merge(index first, index last) {
  if (last - first == 1) return {leaves(first, last)};
  std::vector<text_forest> all;
  for (index cut = first + 1; cut < last; ++cut)
    for (const auto& a : every_merge(first, cut))
      for (const auto& b : every_merge(cut, last)) {
        text_forest f = a;
        f.append(bracketing{}, b);
        all.push_back(std::move(f));
      }
  return all;
}

}  // namespace

TEST(Forest, BlocksAreAligned) {
  EXPECT_EQ(shown(leaves(0, 7)), "0-7: 2((0 1) (2 3)) 1(4 5) 06");
  EXPECT_EQ(shown(leaves(3, 9)), "3-9: 03 2((4 5) (6 7)) 08");
  EXPECT_EQ(shown(leaves(1, 2)), "1-2: 01");
  EXPECT_EQ(leaves(0, 7).collapse(bracketing{}), "(((0 1) (2 3)) ((4 5) 6))");
}

TEST(Forest, EveryMergeOfEveryRange) {
  for (index first = 0; first <= 9; ++first)
    for (index n = 1; n <= 8; ++n)
      for (const auto& f : every_merge(first, first + n)) ASSERT_EQ(shown(f), shown(leaves(first, first + n)));
}

TEST(Forest, EverySplitIntoThree) {
  for (index n = 0; n <= 40; ++n)
    for (index a = 0; a <= n; ++a)
      for (index b = a; b <= n; ++b) {
        text_forest right = leaves(5 + a, 5 + b), f = leaves(5, 5 + a);
        right.append(bracketing{}, leaves(5 + b, 5 + n));
        f.append(bracketing{}, right);
        if (n > 0) {
          ASSERT_EQ(f.collapse(bracketing{}), leaves(5, 5 + n).collapse(bracketing{}));
        }
      }
}

TEST(Forest, BlocksInsteadOfLeaves) {
  rc::check([] {
    const index first = *rc::gen::inRange<index>(0, 1000), n = *rc::gen::inRange<index>(1, 300);
    text_forest f(first);
    while (f.last() < first + n) {  // any aligned block that fits
      int level = *rc::gen::inRange(0, 6);
      while (f.last() % (index{1} << level) != 0 || f.last() + (index{1} << level) > first + n) --level;
      const text_forest block = leaves(f.last(), f.last() + (index{1} << level));
      f.add(bracketing{}, level, block.nodes().front().state);
    }
    RC_ASSERT(shown(f) == shown(leaves(first, first + n)));
  });
}

TEST(Forest, FewNodesAndHighPositions) {
  tf::forest<std::uint64_t> f(PTRDIFF_MAX - 100);
  const plus<std::uint64_t> r;
  for (int i = 0; i < 90; ++i) f.add(r, 0, 1);
  EXPECT_EQ(f.collapse(r), 90u);
  EXPECT_LE(f.nodes().size(), 14u);
}

TEST(Forest, AnOperatorThatThrowsChangesNothing) {
  const witness r;
  tf::forest<witness::state> f;
  for (index i = 0; i < 3; ++i) f.add(r, 0, r.lift(i));
  EXPECT_THROW(f.add(r, 0, r.lift(9)), std::logic_error);
  f.add(r, 0, r.lift(3));
  EXPECT_EQ(f.collapse(r), (witness::state{0, 4, true}));
  tf::forest<witness::state> wrong(4);
  wrong.add(r, 0, r.lift(5)), wrong.add(r, 0, r.lift(6));
  f.add(r, 0, r.lift(4));  // blocks 0-3 and 4
  const auto before = f.nodes().size();
  tf::forest<witness::state> right(5);
  right.add(r, 0, r.lift(7));
  EXPECT_THROW(f.append(r, right), std::logic_error);
  EXPECT_EQ(f.nodes().size(), before);
  EXPECT_EQ(f.last(), 5);
}

}  // namespace testing_schedules
