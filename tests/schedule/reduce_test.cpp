// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Reductions: every schedule covers every element once and in order; bits depend on (n, schedule) alone.
#include <gtest/gtest.h>

#include "schedule/test_operators.hpp"

namespace testing_schedules {

namespace {

const witness::state whole(index n) { return n == 0 ? witness::state{} : witness::state{0, n, true}; }

template <class R>
void expect_order_kept(const R& r) {
  const auto x = random_words(300);
  std::mt19937 random(7);
  const auto lot = shuffled(random);
  for (const auto& s : all_schedules())
    for (index n : {0, 1, 2, 3, 7, 8, 9, 31, 64, 100, 257, 300}) {
      const tf::array_source<std::uint32_t> src{x.data(), n};
      ASSERT_EQ(tf::reduce_state(r, src, s, lot), sequential(r, src)) << tf::to_text(s).view() << " n=" << n;
    }
}

//! The state of [first, last) under every bracketing.
template <class R>
std::vector<tf::state_of<R>> every_tree(const R& r, index first, index last) {
  if (last - first == 1) return {r.lift(first)};
  std::vector<tf::state_of<R>> all;
  for (index at = first + 1; at < last; ++at)
    for (const auto& a : every_tree(r, first, at))
      for (const auto& b : every_tree(r, at, last)) all.push_back(r.combine(a, b));
  return all;
}

}  // namespace

TEST(Reduce, WitnessThroughEverySchedule) {
  std::mt19937 random(3);
  const auto lot = shuffled(random);
  for (const auto& s : all_schedules())
    for (index n = 0; n <= 257; ++n)
      ASSERT_EQ(tf::reduce(witness{}, counting{0, n}, s, s.threaded() && n % 16 == 0 ? lot : tf::serial), whole(n))
          << tf::to_text(s).view() << " n=" << n;
}

TEST(Reduce, WitnessAroundPowersOfTwo) {
  for (const char* text : {"fold", "tree", "lanes=8", "tiles=128", "tiles=100,tree", "split=7", "lanes=4,tiles=128,split=8,tree,threads",
                           "threads", "threads,tree", "reproducible", "lanes=3,tiles=37,reproducible,threads"}) {
    const auto s = tf::parse_schedule(text);
    index workers = 3;
    for (index k = 8; k <= 20; ++k)
      for (index n : {(index{1} << k) - 1, index{1} << k, (index{1} << k) + 1})
        ASSERT_EQ(tf::reduce(witness{}, counting{0, n}, s, scrambled(workers)), whole(n)) << text << " n=" << n;
  }
}

TEST(Reduce, OrderIsKeptForPermutations) { expect_order_kept(permutations{}); }
TEST(Reduce, OrderIsKeptForMatrices) { expect_order_kept(matrices{}); }
TEST(Reduce, OrderIsKeptForBrackets) { expect_order_kept(bicyclic{}); }
TEST(Reduce, OrderIsKeptForLast) { expect_order_kept(last_with_value{}); }

TEST(Reduce,
     EveryTreeOfTheWitness) {  // the oracle itself: every legal bracketing gives the same, up to n = 12 (58 786 trees)
  const std::size_t catalan[] = {0, 1, 1, 2, 5, 14, 42, 132, 429, 1430, 4862, 16796, 58786};
  for (index n = 1; n <= 12; ++n) {
    const auto all = every_tree(witness{}, 0, n);
    EXPECT_EQ(all.size(), catalan[n]);
    for (const auto& s : all) ASSERT_EQ(s, whole(n));
  }
}

TEST(Reduce, TheWitnessNotices) {  // an operator that cannot fail tests nothing
  const index repeated[] = {0, 1, 1, 2}, lost[] = {0, 1, 3}, swapped[] = {1, 0};
  EXPECT_THROW((void)tf::reduce(witness{}, repeated), std::logic_error);
  EXPECT_THROW((void)tf::reduce(witness{}, lost), std::logic_error);
  EXPECT_THROW((void)tf::reduce(witness{}, swapped), std::logic_error);
}

TEST(Reduce, SameBitsWhoeverRunsIt) {
  const auto x = cancelling_floats(70001);
  std::mt19937 random(5);
  for (const char* text :
       {"threads", "threads,tree", "threads,tiles=1,tree", "threads,tiles=7", "threads,tiles=64,tree", "threads,split=11",
        "threads,split=11,tiles=9", "threads,lanes=4,tiles=64,tree", "threads,reproducible", "threads,tiles=5,reproducible"}) {
    const auto s = tf::parse_schedule(text);
    const float alone = tf::reduce(plus<float>{}, x, s, tf::serial);
    for (index workers = 1; workers <= 8; ++workers) ASSERT_EQ(tf::reduce(plus<float>{}, x, s, scrambled(workers)), alone) << text;
    for (int repeat = 0; repeat < 20; ++repeat) ASSERT_EQ(tf::reduce(plus<float>{}, x, s, shuffled(random)), alone) << text;
  }
}

TEST(Reduce, BracketingsDiffer) {  // else the test above would pass for one bracketing only
  const auto x = cancelling_floats(5000);
  std::vector<float> seen;
  for (const char* text : {"fold", "tree", "tiles=7", "tiles=7,tree", "split=3", "lanes=4", "split=3,tree"})
    seen.push_back(tf::reduce(plus<float>{}, x, tf::parse_schedule(text)));
  std::sort(seen.begin(), seen.end());
  EXPECT_GE(std::unique(seen.begin(), seen.end()) - seen.begin(), 5);
}

TEST(Reduce, MoreThreadsThanItems) {
  for (index n = 0; n <= 5; ++n) {
    index workers = 16;
    EXPECT_EQ(tf::reduce(witness{}, counting{0, n}, tf::threads{16} | tf::tiles{1}, scrambled(workers)), whole(n));
    EXPECT_EQ(tf::reduce(witness{}, counting{0, n}, tf::threads{16}, scrambled(workers)), whole(n));
  }
}

TEST(Reduce, InitIsAppliedOnce) {  // P40: five ones from 1 in chunks of two is 6
  const std::vector<double> ones(5, 1.0);
  for (const auto& s : all_schedules()) EXPECT_EQ(tf::reduce_from(plus<double>{}, 1.0, ones, s), 6.0);
  EXPECT_EQ(tf::reduce_from(plus<double>{}, 1.0, std::vector<double>{}), 1.0);
}

TEST(Reduce, SeveralInputsAndMasks) {
  const std::vector<double> g{0.5, 0.25, 2, 1}, x{1, 2, 3, 4};
  for (const auto& s : all_schedules()) EXPECT_EQ(tf::reduce(affine_map{}, tf::zip(g, x), s), ((1 * 0.25 + 2) * 2 + 3) * 1 + 4);
  const std::vector<bool> no;
  std::vector<float> y(100, 1.0f);
  y[3] = y[99] = NAN;
  const auto visible = [](index i) { return i != 3 && i != 99; };
  for (const auto& s : all_schedules()) EXPECT_EQ(tf::reduce(plus<float>{}, tf::masked(y, visible), s), 98.0f) << tf::to_text(s).view();
}

TEST(Reduce, StridesAreHonoured) {
  const auto x = random_words(64);
  for (const auto& s : all_schedules()) {
    std::vector<std::uint32_t> picked;
    for (index i = 0; i < 9; ++i) picked.push_back(x[static_cast<std::size_t>(63 - 7 * i)]);
    ASSERT_EQ(tf::reduce(matrices{}, tf::array_source<std::uint32_t>{x.data() + 63, 9, -7}, s),
              sequential(matrices{}, tf::as_source(picked)));
  }
}

TEST(Reduce, OperatorsMayThrow) {
  for (const auto& s : all_schedules()) {
    std::vector<index> x{0, 1, 2, 3, 4, 5, 7, 8, 9, 10, 11, 12};
    EXPECT_THROW((void)tf::reduce(witness{}, x, s), std::logic_error) << tf::to_text(s).view();
  }
}

TEST(Reduce, BooleanStatesAreNotPacked) {
  struct any {
    using state = bool;
    bool identity() const { return false; }
    bool lift(std::uint32_t x) const { return x == 77; }
    bool combine(bool a, bool b) const { return a || b; }
    bool finalize(bool s) const { return s; }
  };
  std::vector<std::uint32_t> x(3000, 0);
  index workers = 4;
  for (index at : {0, 1, 1500, 2999}) {
    x[static_cast<std::size_t>(at)] = 77;
    EXPECT_TRUE(tf::reduce(any{}, x, tf::threads{} | tf::tiles{1}, scrambled(workers)));
    EXPECT_TRUE(tf::reduce(any{}, x, tf::lanes{7}));
    x[static_cast<std::size_t>(at)] = 0;
  }
  EXPECT_FALSE(tf::reduce(any{}, x, tf::threads{} | tf::tree{}, scrambled(workers)));
}

}  // namespace testing_schedules
