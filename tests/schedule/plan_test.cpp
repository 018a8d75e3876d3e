// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The bracketing that every schedule means, written out.
#include <gtest/gtest.h>

#include "schedule/test_operators.hpp"

namespace testing_schedules {

namespace {
std::string brackets(index n, const char* schedule) {
  return tf::reduce(bracketing{}, counting{0, n}, tf::parse_schedule(schedule), tf::serial);
}
}  // namespace

TEST(Cut, PiecesAreContiguousAndEven) {
  for (index n = 0; n < 70; ++n)
    for (index pieces = 1; pieces < 20; ++pieces) {
      index next = 0;
      for (index k = 0; k < pieces; ++k) {
        const auto e = tf::cut(n, pieces, k);
        EXPECT_EQ(e.first, next);
        EXPECT_EQ(e.size(), n / pieces + (k < n % pieces ? 1 : 0));
        next = e.last;
      }
      EXPECT_EQ(next, n);
    }
}

TEST(Cut, DoesNotOverflow) {
  const index n = PTRDIFF_MAX;
  EXPECT_EQ(tf::cut(n, 1000, 999).last, n);
  EXPECT_EQ(tf::cut(n, n, n - 1).first, n - 1);
}

TEST(Bracketing, IsWhatTheDocumentsSay) {
  EXPECT_EQ(brackets(0, "tree"), "e");
  EXPECT_EQ(brackets(1, "tree"), "0");
  EXPECT_EQ(brackets(6, "fold"), "0,1,2,3,4,5");
  EXPECT_EQ(brackets(7, "tree"), "(((0 1) (2 3)) ((4 5) 6))");
  EXPECT_EQ(brackets(7, "reproducible"), brackets(7, "tree"));
  EXPECT_EQ(brackets(8, "tiles=3"), "(([0..2] [3..5]) [6..7])");
  EXPECT_EQ(brackets(16, "tiles=3,tree"), "((([0..2] [3..5]) ([6..8] [9..11])) ([12..14] [15]))");
  EXPECT_EQ(brackets(10, "split=3"), "((0,1,2,3 4,5,6) 7,8,9)");
  EXPECT_EQ(brackets(10, "split=4,tree"), "((((0 1) 2) ((3 4) 5)) ((6 7) (8 9)))");
  EXPECT_EQ(brackets(12, "tiles=2,split=2,tree"), "((([0..1] [2..3]) [4..5]) (([6..7] [8..9]) [10..11]))");
  EXPECT_EQ(brackets(10, "lanes=4"), "(((0,1,2 3,4,5) 6,7) 8,9)");
  EXPECT_EQ(brackets(10, "lanes=4,tree"), "((0,1,2 3,4,5) (6,7 8,9))");
  EXPECT_EQ(brackets(12, "lanes=2,tiles=5"), "((([0..2] [3..4]) ([5..7] [8..9])) ([10] [11]))");
  EXPECT_EQ(brackets(3, "lanes=8"), "((0 1) 2)");
  EXPECT_EQ(brackets(3, "split=8"), "((0 1) 2)");
}

TEST(Bracketing, ThreadsChangeItOnlyWhereNothingElseCuts) {
  for (const char* words :
       {"tree", "tiles=3", "tiles=3,tree", "split=5", "split=5,tree", "lanes=3,tiles=8", "reproducible", "tiles=4,reproducible"})
    for (index n : {0, 1, 5, 64, 300}) EXPECT_EQ(brackets(n, (std::string(words) + ",threads").c_str()), brackets(n, words)) << words;
  EXPECT_EQ(brackets(1000, "threads"), brackets(1000, "split=256"));
  EXPECT_EQ(brackets(1000, "lanes=2,threads"), brackets(1000, "lanes=2,split=256"));
}

TEST(Bracketing, ReproducibleIgnoresSplit) {
  for (index n : {1, 9, 64, 100}) EXPECT_EQ(brackets(n, "reproducible,split=7"), brackets(n, "tree"));
}

TEST(Plan, RefusesWhatHasNoMeaning) {
  EXPECT_THROW((void)tf::plan_of(-1, tf::schedule{}), tf::error);
  EXPECT_THROW((void)tf::plan_of(4, tf::reproducible{} | tf::lanes{4}), tf::error);
  EXPECT_NO_THROW((void)tf::plan_of(4, tf::reproducible{} | tf::lanes{4} | tf::tiles{8}));
}

}  // namespace testing_schedules
