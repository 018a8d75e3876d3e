// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Segments and rows: each as if it stood alone.
#include <gtest/gtest.h>

#include <numeric>
#include <span>

#include "schedule/test_operators.hpp"
#include "twofold/schedule/can_run.hpp"

namespace testing_schedules {

namespace {

const std::vector<std::vector<int>> offset_cases = {
    {0}, {0, 0}, {0, 100}, {0, 0, 100, 100}, {0, 1, 2, 3, 50, 50, 50, 99}, {10, 20, 40}, {100, 100}, {0, 37, 37, 38, 64, 100}};

std::string refusal_of(const std::vector<std::int64_t>& offsets, std::size_t results) {
  const std::vector<float> x(10, 1.0f);
  std::vector<float> out(results);
  try {
    tf::segmented_reduce(plus<float>{}, x, offsets, out);
  } catch (const tf::error& e) {
    const auto answer = tf::can_run(tf::segmented_problem{x, offsets, out});
    EXPECT_FALSE(answer);
    EXPECT_STREQ(answer.reason(), e.what());
    return e.what();
  }
  EXPECT_TRUE(tf::can_run(tf::segmented_problem{x, offsets, out}));
  return "";
}

}  // namespace

TEST(Segmented, EachSegmentIsReducedAlone) {
  const auto x = random_words(100);
  std::mt19937 random(4);
  for (const auto& offsets : offset_cases)
    for (const auto& s : all_schedules()) {
      std::vector<matrices::state> out(offsets.size() - 1);
      tf::segmented_reduce(matrices{}, x, offsets, out, s, shuffled(random));
      for (std::size_t k = 0; k < out.size(); ++k)
        ASSERT_EQ(out[k], sequential(matrices{}, tf::array_source<std::uint32_t>{x.data() + offsets[k], offsets[k + 1] - offsets[k]}))
            << tf::to_text(s).view();
    }
}

TEST(Segmented, BitsAreThoseOfTheSegmentAlone) {
  const auto x = cancelling_floats(200000);
  const std::vector<std::uint64_t> offsets{0, 5, 5, 1000, 1003, 150000, 200000};  // two long ones, which threads share out
  index workers = 3;
  for (const char* text : {"fold", "threads", "tiles=64,tree,threads", "split=3,threads", "reproducible,threads"}) {
    const auto s = tf::parse_schedule(text);
    std::vector<float> out(6);
    tf::segmented_reduce(plus<float>{}, x, offsets, out, s, scrambled(workers));
    for (std::size_t k = 0; k < 6; ++k)
      ASSERT_EQ(out[k], tf::reduce(plus<float>{}, std::span(x).subspan(offsets[k], offsets[k + 1] - offsets[k]), s, tf::serial)) << text;
  }
}

TEST(Segmented, ScansRestartWithInitOnceEach) {
  const auto x = random_words(100);
  const auto init = matrices{}.lift(99);
  for (const auto& offsets : offset_cases)
    for (const auto& s : all_schedules())
      for (const auto kind : {tf::inclusive, tf::exclusive, tf::suffix, tf::backward}) {
        std::vector<matrices::state> out(100, matrices::state{7, 7, 7, 7}), expected = out;
        tf::segmented_scan_from(matrices{}, init, x, offsets, out, kind, s);
        for (std::size_t k = 0; k + 1 < offsets.size(); ++k)
          tf::scan_from(matrices{}, init, std::span(x).subspan(offsets[k], offsets[k + 1] - offsets[k]),
                        std::span(expected).subspan(offsets[k], offsets[k + 1] - offsets[k]), kind, s);
        ASSERT_EQ(out, expected) << tf::to_text(s).view();
      }
}

TEST(Segmented, RefusesOffsetsThatLie) {
  EXPECT_EQ(refusal_of({0, 3, 3, 10}, 3), "");
  EXPECT_EQ(refusal_of({0}, 0), "");
  EXPECT_NE(refusal_of({}, 0).find("no segment offsets"), std::string::npos);
  EXPECT_NE(refusal_of({0, 4, 3, 10}, 3).find("offsets[2] = 3: it is below the offset before it, 4"), std::string::npos)
      << refusal_of({0, 4, 3, 10}, 3);
  EXPECT_NE(refusal_of({-1, 4}, 1).find("offsets[0] = -1"), std::string::npos);
  EXPECT_NE(refusal_of({0, 11}, 1).find("the data has 10 elements"), std::string::npos);
  EXPECT_NE(refusal_of({0, 10}, 2).find("TF2206"), std::string::npos);
  const std::vector<float> x(10);
  std::vector<float> out(1);
  const std::vector<std::uint64_t> huge{0, ~std::uint64_t{0}};
  EXPECT_THROW(tf::segmented_reduce(plus<float>{}, x, huge, out), tf::error);
  std::vector<float> same(10);
  EXPECT_THROW(tf::segmented_reduce(plus<float>{}, same, std::vector<int>{0, 10}, std::span(same).first(1)), tf::error);
}

TEST(Segmented, NothingIsWrittenWhenRefused) {
  const std::vector<float> x(10, 1.0f);
  std::vector<float> out(3, -1.0f);
  EXPECT_THROW(tf::segmented_reduce(plus<float>{}, x, std::vector<int>{0, 3, 5, 99}, out), tf::error);
  EXPECT_EQ(out, std::vector<float>(3, -1.0f));
}

TEST(Rows, StridesAreHonoured) {
  const auto x = random_words(1000);
  const tf::row_source<std::uint32_t> views[] = {{x.data(), 10, 20, 20, 1}, {x.data(), 10, 20, 50, 2}, {x.data() + 999, 5, 7, -100, -3},
                                                 {x.data(), 4, 9, 0, 1},    {x.data(), 0, 5, 5, 1},    {x.data(), 3, 0, 0, 1}};
  for (const auto& m : views)
    for (const auto& s : all_schedules()) {
      std::vector<matrices::state> out(static_cast<std::size_t>(m.rows));
      tf::row_reduce(matrices{}, m, out, s);
      for (index k = 0; k < m.rows; ++k)
        ASSERT_EQ(out[static_cast<std::size_t>(k)],
                  sequential(matrices{}, tf::array_source<std::uint32_t>{m.data + k * m.pitch, m.columns, m.stride}));
    }
}

TEST(Rows, ColumnsAreRowsOfTheTransposed) {
  const std::vector<double> x{1, 2, 3, 4, 5, 6};
  std::vector<double> out(3);
  tf::row_reduce(plus<double>{}, tf::transposed(tf::row_source<double>{x.data(), 2, 3, 3}), out);
  EXPECT_EQ(out, (std::vector<double>{5, 7, 9}));
}

TEST(Rows, ScansInPlaceAndElsewhere) {
  std::vector<double> x(24, 1.0), y(24, -1.0);
  const tf::row_source<double> m{x.data(), 4, 5, 6};
  tf::row_scan(plus<double>{}, m, tf::matrix_output<double>{y.data(), 4, 5, 6}, {}, tf::tiles{2} | tf::threads{});
  for (std::size_t i = 0; i < 24; ++i) EXPECT_EQ(y[i], i % 6 == 5 ? -1.0 : static_cast<double>(i % 6 + 1));
  tf::row_scan(plus<double>{}, m, tf::matrix_output<double>{x.data(), 4, 5, 6});
  for (std::size_t i = 0; i < 24; ++i) EXPECT_EQ(x[i], i % 6 == 5 ? 1.0 : y[i]);
  EXPECT_THROW(tf::row_scan(plus<double>{}, m, tf::matrix_output<double>{x.data() + 1, 4, 5, 6}), tf::error);
  EXPECT_THROW(tf::row_scan(plus<double>{}, m, tf::matrix_output<double>{y.data(), 4, 4, 6}), tf::error);
  EXPECT_THROW(tf::row_reduce(plus<double>{}, tf::row_source<double>{x.data(), -1, 4, 4}, std::vector<double>(1)), tf::error);
  EXPECT_THROW(tf::row_reduce(plus<double>{}, m, std::span(x).first(4)), tf::error);
}

}  // namespace testing_schedules
