// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Saved states: round trips of every operator, the exact bytes, and every way in which a file can lie.
#include "twofold/algebra/state_io.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "twofold/algebra/tile.hpp"
#include "twofold/algebra/witness.hpp"
#include "twofold/ops/ops.hpp"

namespace tf = twofold;

namespace {

template <class R>
void round_trip(const R& r, const tf::state_of<R>& s) {
  const auto saved = tf::save_state(r, s);
  const auto loaded = tf::load_state(r, saved);
  ASSERT_TRUE(loaded) << loaded.why().what();
  EXPECT_EQ(tf::save_state(r, *loaded), saved);
}
template <class R, class... X>
void round_trips(const R& r, const X&... x) {
  round_trip(r, r.identity());
  round_trip(r, r.lift(x...));
  round_trip(r, r.combine(r.lift(x...), r.lift(x...)));
}
template <class R>
std::string refusal(const R& r, const tf::bytes& b) {
  const auto loaded = tf::load_state(r, b);
  return loaded ? "loaded" : loaded.why().code();
}
//! Recomputes the checksum, so that what is behind it is reached.
tf::bytes resealed(tf::bytes b) {
  b.resize(b.size() - 4);
  tf::detail::put(b, tf::detail::crc32(b.data(), b.size()), 4);
  return b;
}

}  // namespace

TEST(StateIo, RoundTripOfEveryOperator) {
  round_trips(tf::sum<float>{}, 1.5f);
  round_trips(tf::sum<int>{}, -3);
  round_trips(tf::pairwise_sum<double>{}, 1e300);
  round_trips(tf::compensated_sum<double>{}, NAN);
  round_trips(tf::count{}, 1);
  round_trips(tf::mean<int>{}, -7);
  round_trips(tf::mean<float>{}, 2.5f);
  round_trips(tf::max<double>{}, -0.0);
  round_trips(tf::min<int>{}, INT32_MIN);
  round_trips(tf::argmax<float>{}, tf::index{1} << 40, 2.0f);
  round_trips(tf::argmin<long>{}, tf::index{3}, 2L);
  round_trips(tf::welford<double>{}, 3.25);
  round_trips(tf::welford<float, float, tf::gauge::pivot>{}, 3.25f);
  round_trips(tf::moments<double>{}, 3.25);
  round_trips(tf::covariance<double>{}, 3.25, 1.0);
  round_trips(tf::log_sum_exp<float>{}, -INFINITY);
  round_trips(tf::softmax<double>{}, 3.0);
  round_trips(tf::log_softmax<double>{}, 3.0);
  round_trips(tf::affine_recurrence<float>{}, 0.5f, 3.0f);
  round_trips(tf::affine_matrix_recurrence<double, 2>{}, tf::affine_map<double, 2>{{{1, 2}, {3, 4}}, {5, 6}});
  round_trips(tf::maximum_segment_sum<int>{}, 3);
  round_trips(tf::witness{}, tf::index{8});
  const float row[] = {1, 2, 3};
  round_trips(tf::attention<float, 3>{}, 2.0f, row);
  round_trips(tf::attention<float>{3}, 2.0f, row);
  round_trips(tf::product{tf::sum<int>{}, tf::max<int>{}}, 3);
  round_trips(tf::opposite{tf::sum<int>{}}, 3);
}

TEST(StateIo, TheBytesAreTheSameOnEveryMachine) {
  const tf::bytes want = {'T', 'F', 'S', 'T',  1, 0, 3, 0, 's', 'u', 'm',  9,    0,    0,    0,    0,
                          0,   0,   0,   0x28, 0, 0, 0, 0, 0,   0,   0xf8, 0xbf, 0x5d, 0x4b, 0x4f, 0xa6};
  auto got = tf::save_state(tf::sum<double>{}, -1.5);
  ASSERT_EQ(got.size(), want.size());
  for (std::size_t i = 0; i + 4 < want.size(); ++i) EXPECT_EQ(got[i], want[i]) << i;
  EXPECT_EQ(resealed(want), got);
  const std::uint8_t check[] = {'1', '2', '3', '4', '5', '6', '7', '8', '9'};
  EXPECT_EQ(tf::detail::crc32(check, 9), 0xcbf43926u);  // the published check value of CRC-32
}

TEST(StateIo, StatesFromElsewhereMerge) {
  const tf::welford<double> w;
  const std::vector<double> x = {1, 4, 2, 8, 5, 7};
  const auto src = tf::as_source(x);
  const auto there = tf::save_state(w, tf::leaf(w, src.sub(0, 4)));
  const auto merged = w.combine(tf::load_state(w, there).value(), tf::leaf(w, src.sub(4, 6)));
  EXPECT_TRUE(w.same(merged, tf::leaf(w, src)));
}

TEST(StateIo, AnyTruncationIsRefused) {
  const tf::attention<float> op{3};
  const float row[] = {1, 2, 3};
  const auto saved = tf::save_state(op, op.lift(1.0f, row));
  for (std::size_t n = 0; n < saved.size(); ++n) {
    const std::string code = refusal(op, tf::bytes(saved.begin(), saved.begin() + static_cast<std::ptrdiff_t>(n)));
    EXPECT_EQ(code, n < 4 ? "TF2301" : "TF2303") << n;
  }
  auto longer = saved;
  longer.push_back(0);
  EXPECT_EQ(refusal(op, longer), "TF2303");
}

TEST(StateIo, AnyFlippedBitIsRefused) {
  const tf::welford<double> w;
  const auto saved = tf::save_state(w, w.lift(2.0));
  for (std::size_t i = 0; i < saved.size(); ++i)
    for (int bit = 0; bit < 8; ++bit) {
      auto b = saved;
      b[i] = static_cast<std::uint8_t>(b[i] ^ (1 << bit));
      EXPECT_NE(refusal(w, b), "loaded") << i;
    }
}

TEST(StateIo, RefusalsSayWhatAndWhy) {
  const tf::welford<double> w;
  auto b = tf::save_state(w, w.lift(2.0));
  b[4] = 7;
  EXPECT_STREQ(tf::load_state(w, b).why().what(),
               "TF2302: to load a state of welford: saved in version 7 of the format; what would work: version 1: load "
               "and save it "
               "again with the Twofold that wrote it, or recompute");
  EXPECT_THROW((void)tf::load_state(w, b).value(), tf::error);
  EXPECT_EQ(refusal(tf::sum<double>{}, tf::save_state(w, w.lift(2.0))), "TF2305");
  EXPECT_EQ(refusal(tf::sum<float>{}, tf::save_state(tf::sum<double>{}, 1.0)), "TF2306");
  EXPECT_EQ(refusal(tf::welford<float, float>{}, tf::save_state(w, w.lift(2.0))), "TF2306");
  EXPECT_EQ(refusal(tf::product{w, tf::count{}}, tf::save_state(tf::product{tf::count{}, w}, {})), "TF2305");
}

TEST(StateIo, LengthsThatLieAreNotBelieved) {
  const tf::attention<float> op{3};
  const float row[] = {1, 2, 3};
  const auto saved = tf::save_state(op, op.lift(1.0f, row));
  const std::size_t length_at = 8 + 9 + 8 + 5 + 5 + 1;  // header, tag, size, M, l, type byte
  for (const int top : {0, 1, 0x7f, 0xff}) {
    auto b = saved;
    b[length_at] = 0xff;
    b[length_at + 7] = static_cast<std::uint8_t>(top);
    EXPECT_EQ(refusal(op, resealed(b)), "TF2306");
  }
  auto payload = saved;
  for (std::size_t i = 0; i < 8; ++i) payload[8 + 9 + i] = 0xff;
  EXPECT_EQ(refusal(op, resealed(payload)), "TF2303");
  EXPECT_EQ(refusal(tf::attention<float>{4}, saved), "TF2306");  // another head size
}
