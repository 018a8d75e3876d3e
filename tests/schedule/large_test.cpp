// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file More than 2^31 elements, counted rather than stored: every index is 64-bit before it is multiplied.
#include <gtest/gtest.h>

#include "schedule/test_operators.hpp"
#include "twofold/schedule/stream.hpp"

namespace testing_schedules {

namespace {

//! Sum of the elements modulo 2^64, with the whole of a tile in closed form: billions of elements in no time.
struct closed_form : plus<std::uint64_t> {
  std::uint64_t lift(index i) const { return static_cast<std::uint64_t>(i); }
  template <class Tile>
  std::uint64_t leaf(const Tile& tile) const {
    const auto n = static_cast<std::uint64_t>(tile.size());
    std::uint64_t first = 0;
    tile.apply(0, [&](index i) { first = static_cast<std::uint64_t>(i); });
    return n * first + (n % 2 == 0 ? n / 2 * (n - 1) : n * ((n - 1) / 2));
  }
};
constexpr std::uint64_t total(index count) {
  const auto n = static_cast<std::uint64_t>(count);
  return n % 2 == 0 ? n / 2 * (n - 1) : n * ((n - 1) / 2);
}
constexpr index two31 = index{1} << 31, two32 = index{1} << 32;

}  // namespace

TEST(Large, EveryElementOnce) {  // P51: the loop itself over 2^31 + 1 elements
  EXPECT_EQ(tf::reduce(closed_form{}, counting{0, two31 + 1}), total(two31 + 1));
}

TEST(Large, TilesAroundPowersOfTwo) {
  index workers = 2;
  for (const char* text : {"tiles=65536", "tiles=65536,tree", "tiles=1000003,split=7,tree", "tiles=65537,lanes=3",
                           "tiles=65536,threads,tree", "tiles=100000,threads", "tiles=65536,reproducible,threads"})
    for (const index n : {two31 - 1, two31, two31 + 1, two32 - 1, two32, two32 + 1, index{1} << 36})
      ASSERT_EQ(tf::reduce(closed_form{}, counting{0, n}, tf::parse_schedule(text), scrambled(workers)), total(n)) << text << " " << n;
}

TEST(Large,
     StridesPastTwo31) {  // an element 2^31 strides away: the address is computed in 64 bits, and nothing is read
  static char base;
  const tf::array_source<char> far{&base, two32, 2};
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(far.sub(two31, two32).data) - reinterpret_cast<std::uintptr_t>(&base),
            static_cast<std::uintptr_t>(two32));
  EXPECT_EQ(tf::plan_of(two32 + 1, tf::split{3}).part(2).last, two32 + 1);
}

TEST(Large, StreamsCountInSixtyFourBits) {
  const auto s = tf::reproducible{} | tf::tiles{65536};
  tf::stream left(closed_form{}, s), right(closed_form{}, s, two31);
  left.append(counting{0, two31}), right.append(counting{two31, two31 + 5});
  const auto both = tf::merge(left, right);
  EXPECT_EQ(both.count(), two32 + 5);
  EXPECT_EQ(both.result(), total(two32 + 5));
}

}  // namespace testing_schedules
