// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Asking before running, and the wording of what is refused.
#include "twofold/schedule/can_run.hpp"

#include <gtest/gtest.h>

#include "schedule/test_operators.hpp"
#include "twofold/schedule/stream.hpp"
#include "twofold/schedule/window.hpp"

namespace testing_schedules {

namespace {
template <class F>
std::string refusal_of(const F& f) {
  try {
    f();
  } catch (const tf::error& e) {
    EXPECT_FALSE(e.asked().empty());
    EXPECT_FALSE(e.limit().empty());
    EXPECT_FALSE(e.works().empty());
    return e.code();
  }
  return "";
}
}  // namespace

TEST(CanRun, SaysYes) {
  std::vector<float> x(10), out(10), one(1);
  const std::vector<int> offsets{0, 10};
  EXPECT_TRUE(tf::can_run(tf::reduce_problem{x}));
  EXPECT_TRUE(tf::can_run(tf::reduce_problem{x, tf::tiles{4} | tf::threads{}}));
  EXPECT_TRUE(tf::can_run(tf::scan_problem{x, out, tf::tiles{4}}));
  EXPECT_TRUE(tf::can_run(tf::scan_problem{x, x}));
  EXPECT_TRUE(tf::can_run(tf::segmented_problem{x, offsets, one}));
  EXPECT_STREQ(tf::can_run(tf::reduce_problem{x}).reason(), "");
}

TEST(CanRun, SaysWhyNot) {
  std::vector<float> x(10), shorter(9);
  const std::vector<int> offsets{0, 11};
  const auto no = tf::can_run(tf::scan_problem{x, shorter});
  EXPECT_FALSE(no);
  EXPECT_STREQ(no.reason(),
               "TF2206: a scan's output of length 9 where 10 are needed: every result is written, and nothing besides; "
               "what would work: an output of exactly 10 elements");
  EXPECT_EQ(tf::can_run(tf::reduce_problem{x, tf::reproducible{} | tf::lanes{4}}).refusal()->code(), "TF2203");
  EXPECT_EQ(tf::can_run(tf::segmented_problem{x, offsets, shorter}).refusal()->code(), "TF2208");
}

TEST(Errors, HaveACodeAReasonAndAWayOut) {
  std::vector<float> x(10), out(10), shorter(9);
  EXPECT_EQ(refusal_of([] { (void)tf::schedule(tf::split{0}); }), "TF2201");
  EXPECT_EQ(refusal_of([] { (void)(tf::split{2} | tf::split{3}); }), "TF2202");
  EXPECT_EQ(refusal_of([] { (void)(tf::tree{} | tf::reproducible{}); }), "TF2202");
  EXPECT_EQ(refusal_of([] { (void)tf::plan_of(9, tf::reproducible{} | tf::lanes{2}); }), "TF2203");
  EXPECT_EQ(refusal_of([] { (void)tf::plan_of(-9, tf::schedule{}); }), "TF2204");
  EXPECT_EQ(refusal_of([] { (void)tf::parse_schedule("spliit=2"); }), "TF2205");
  EXPECT_EQ(refusal_of([&] { tf::scan(plus<float>{}, x, shorter); }), "TF2206");
  EXPECT_EQ(refusal_of([&] {
              tf::scan(plus<float>{}, tf::array_source<float>{x.data(), 9}, tf::array_output<float>{x.data() + 1, 9});
            }),
            "TF2207");
  EXPECT_EQ(refusal_of([&] { tf::segmented_reduce(plus<float>{}, x, std::vector<int>{4, 3}, out); }), "TF2208");
  EXPECT_EQ(refusal_of([] {
              tf::stream a(plus<float>{}, tf::reproducible{}), b(plus<float>{}, tf::reproducible{}, 5);
              a.push(1.0f), b.push(1.0f), a.merge(b);
            }),
            "TF2209");
  EXPECT_EQ(refusal_of([] { tf::stream a(plus<float>{}, tf::reproducible{} | tf::tiles{4}, 5); }), "TF2210");
  EXPECT_EQ(refusal_of([] { tf::window<plus<float>>(plus<float>{}, 0); }), "TF2211");
}

}  // namespace testing_schedules
