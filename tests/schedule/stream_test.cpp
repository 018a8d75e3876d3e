// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Streams: appended, pushed and merged states are those of the whole; reproducible ones to the bit.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <span>

#include "schedule/test_operators.hpp"
#include "twofold/schedule/stream.hpp"

namespace testing_schedules {

namespace {

template <class R>
using stream = tf::stream<R>;

//! Cuts of [0, n) into pieces, some of them empty.
std::vector<index> drawn_cuts(index n) {
  auto cuts = *rc::gen::container<std::vector<index>>(rc::gen::inRange<index>(0, n + 1));
  cuts.push_back(0), cuts.push_back(n);
  std::sort(cuts.begin(), cuts.end());
  return cuts;
}

//! Merges neighbouring streams in an order drawn by lot until one is left.
template <class R>
stream<R> merged_at_random(std::vector<stream<R>> pieces) {
  while (pieces.size() > 1) {
    const auto k = *rc::gen::inRange<std::size_t>(0, pieces.size() - 1);
    pieces[k] = tf::merge(pieces[k], pieces[k + 1]);
    pieces.erase(pieces.begin() + static_cast<std::ptrdiff_t>(k) + 1);
  }
  return pieces.front();
}

}  // namespace

TEST(Stream, AnyCutsAnyMergesAnySchedule) {
  const auto schedules = all_schedules();
  rc::check([&] {
    const index n = *rc::gen::inRange<index>(0, 200);
    const auto x = random_words(n);
    auto s = *rc::gen::elementOf(schedules);
    while (s.merged_by() == tf::merging::reproducible && s.tile_size() > 1) s = *rc::gen::elementOf(schedules);
    const auto cuts = drawn_cuts(n);
    std::vector<stream<matrices>> pieces;
    for (std::size_t k = 0; k + 1 < cuts.size(); ++k) {
      stream<matrices> piece(matrices{}, s, cuts[k]);
      const index middle = (cuts[k] + cuts[k + 1]) / 2;
      piece.append(std::span(x).subspan(static_cast<std::size_t>(cuts[k]), static_cast<std::size_t>(middle - cuts[k])));
      for (index i = middle; i < cuts[k + 1]; ++i) piece.push(x[static_cast<std::size_t>(i)]);
      pieces.push_back(piece);
    }
    const auto whole = merged_at_random(pieces);
    RC_ASSERT(whole.result() == sequential(matrices{}, tf::as_source(x)));
    RC_ASSERT(whole.count() == n);
  });
}

TEST(Stream, ReproducibleToTheBit) {
  std::mt19937 random(1);
  rc::check([&] {
    const index n = *rc::gen::inRange<index>(1, 400);
    const auto x = cancelling_floats(n, static_cast<std::uint32_t>(n));
    const float whole = tf::reduce(plus<float>{}, x, tf::reproducible{});
    const auto cuts = drawn_cuts(n);
    std::vector<stream<plus<float>>> pieces;
    for (std::size_t k = 0; k + 1 < cuts.size(); ++k) {
      const bool threaded = *rc::gen::arbitrary<bool>();
      stream<plus<float>> piece(plus<float>{}, threaded ? tf::reproducible{} | tf::threads{} : tf::schedule(tf::reproducible{}), cuts[k]);
      for (index i = cuts[k]; i < cuts[k + 1];) {
        const index some = *rc::gen::inRange<index>(1, cuts[k + 1] - i + 1);
        if (some == 1) piece.push(x[static_cast<std::size_t>(i)]);
        else piece.append(std::span(x).subspan(static_cast<std::size_t>(i), static_cast<std::size_t>(some)), shuffled(random));
        i += some;
      }
      pieces.push_back(piece);
    }
    RC_ASSERT(merged_at_random(pieces).result() == whole);
  });
}

TEST(Stream, ReproducibleInTilesToTheBit) {
  std::mt19937 random(1);
  rc::check([&] {
    const index tile = *rc::gen::inRange<index>(1, 9), n = *rc::gen::inRange<index>(1, 300);
    const auto x = cancelling_floats(n, static_cast<std::uint32_t>(n));
    const auto s = tf::reproducible{} | tf::tiles{tile};
    auto cuts = drawn_cuts((n - 1) / tile);
    for (auto& c : cuts) c *= tile;
    cuts.back() = n;
    std::vector<stream<plus<float>>> pieces;
    for (std::size_t k = 0; k + 1 < cuts.size(); ++k) {
      pieces.emplace_back(plus<float>{}, s, cuts[k]);
      pieces.back().append(std::span(x).subspan(static_cast<std::size_t>(cuts[k]), static_cast<std::size_t>(cuts[k + 1] - cuts[k])),
                           shuffled(random));
    }
    RC_ASSERT(merged_at_random(pieces).result() == tf::reduce(plus<float>{}, x, s));
  });
}

TEST(Stream, AdversarialValuesCancelAtEveryCut) {  // 1e30 and −1e30 far apart: any other bracketing loses the small
                                                   // ones differently
  std::vector<float> x;
  for (int i = 0; i < 257; ++i) x.push_back(i % 5 == 0 ? 1e30f : i % 5 == 3 ? -1e30f : std::ldexp(1.0f, i % 37));
  const float whole = tf::reduce(plus<float>{}, x, tf::reproducible{});
  for (std::size_t a = 0; a <= x.size(); ++a) {
    stream<plus<float>> left(plus<float>{}, tf::reproducible{}), right(plus<float>{}, tf::reproducible{}, static_cast<index>(a));
    left.append(std::span(x).first(a));
    right.append(std::span(x).subspan(a));
    ASSERT_EQ(tf::merge(left, right).result(), whole);
    left.append(std::span(x).subspan(a));
    ASSERT_EQ(left.result(), whole);
  }
}

TEST(Stream,
     LongChunksAtOddPositions) {  // long enough that chunks are walked in blocks of many leaves, which must stay aligned
  const index n = 5000;
  const auto x = cancelling_floats(n);
  std::mt19937 random(6);
  for (const index tile : {1, 3})
    for (const char* threads : {"", ",threads"}) {
      const auto s = tf::parse_schedule("tiles=" + std::to_string(tile) + ",reproducible" + threads);
      const float whole = tf::reduce(plus<float>{}, x, s);
      for (index cut = tile; cut < n; cut += 37 * tile) {
        stream<plus<float>> left(plus<float>{}, s), right(plus<float>{}, s, cut);
        left.append(std::span(x).first(static_cast<std::size_t>(cut)), shuffled(random));
        right.append(std::span(x).subspan(static_cast<std::size_t>(cut)), shuffled(random));
        ASSERT_EQ(tf::merge(left, right).result(), whole) << "cut at " << cut;
        left.append(std::span(x).subspan(static_cast<std::size_t>(cut)), shuffled(random));
        ASSERT_EQ(left.result(), whole) << "cut at " << cut;
      }
    }
}

TEST(Stream, FoldIsTheLoopHoweverItIsCut) {
  const auto x = cancelling_floats(100);
  const float loop = tf::reduce(plus<float>{}, x);
  for (std::size_t a = 0; a <= x.size(); ++a) {
    stream<plus<float>> s{plus<float>{}};
    s.append(std::span(x).first(a));
    s.append(std::span(x).subspan(a));
    ASSERT_EQ(s.result(), loop);
  }
}

TEST(Stream, EmptyPiecesChangeNothing) {
  for (const char* text : {"fold", "tree", "reproducible", "tiles=4,reproducible"}) {
    const auto schedule = tf::parse_schedule(text);
    stream<witness> s(witness{}, schedule), nothing(witness{}, schedule);
    EXPECT_EQ(s.result(), witness::state{});
    s.merge(nothing);
    EXPECT_EQ(s.count(), 0);
    s.append(counting{0, 4});
    s.append(counting{4, 0});
    s.merge(nothing);
    EXPECT_EQ(tf::merge(nothing, s).result(), (witness::state{0, 4, true}));
    EXPECT_EQ(s.result(), (witness::state{0, 4, true}));
    s.clear();
    EXPECT_EQ(s.result(), witness::state{});
    EXPECT_EQ(s.count(), 0);
    s.append(counting{0, 3});
    EXPECT_EQ(s.result(), (witness::state{0, 3, true}));
  }
}

TEST(Stream, MergeLeavesBothAsTheyAre) {
  stream<witness> a{witness{}}, b{witness{}};
  a.append(counting{0, 5}), b.append(counting{5, 3});
  const auto both = tf::merge(a, b);
  EXPECT_EQ(both.result(), (witness::state{0, 8, true}));
  EXPECT_EQ(both.count(), 8);
  EXPECT_EQ(a.result(), (witness::state{0, 5, true}));
  EXPECT_EQ(b.result(), (witness::state{5, 8, true}));
}

TEST(Stream, ASnapshotStays) {
  for (const char* text : {"fold", "reproducible"}) {
    stream<witness> s(witness{}, tf::parse_schedule(text));
    s.append(counting{0, 5});
    const auto then = s;
    s.append(counting{5, 5});
    EXPECT_EQ(then.result(), (witness::state{0, 5, true}));
    EXPECT_EQ(s.result(), (witness::state{0, 10, true}));
  }
}

TEST(Stream, RefusesWhatDoesNotFit) {
  const auto reproducible = tf::schedule(tf::reproducible{});
  stream<witness> a(witness{}, reproducible), b(witness{}, reproducible, 7), plain{witness{}};
  a.append(counting{0, 5}), b.append(counting{7, 2}), plain.append(counting{5, 1});
  EXPECT_THROW(a.merge(b), tf::error);
  EXPECT_THROW(a.merge(plain), tf::error);
  EXPECT_THROW(plain.merge(a), tf::error);
  const auto tiled = tf::reproducible{} | tf::tiles{4};
  EXPECT_THROW(stream<witness>(witness{}, tiled, 6), tf::error);
  stream<witness> t(witness{}, tiled);
  t.append(counting{0, 4});
  EXPECT_THROW(a.merge(t), tf::error);
  t.append(counting{4, 3});
  EXPECT_THROW(t.append(counting{7, 1}), tf::error);
  EXPECT_THROW(t.push(index{7}), tf::error);
  EXPECT_EQ(t.result(), (witness::state{0, 7, true}));
  EXPECT_THROW(stream<witness>(witness{}, tf::reproducible{} | tf::lanes{4}), tf::error);
}

TEST(Stream, AnOperatorThatThrowsChangesNothing) {
  for (const char* text : {"fold", "tree", "tiles=2", "reproducible", "reproducible,threads", "tiles=2,reproducible"}) {
    stream<witness> s(witness{}, tf::parse_schedule(text));
    s.append(counting{0, 6});
    const std::vector<index> wrong{6, 8, 9, 10};
    EXPECT_THROW(s.append(wrong), std::logic_error) << text;
    EXPECT_THROW(s.append(counting{7, 2}), std::logic_error) << text;
    s.append(counting{6, 4});
    EXPECT_EQ(s.result(), (witness::state{0, 10, true})) << text;
    EXPECT_EQ(s.count(), 10);
  }
}

}  // namespace testing_schedules
