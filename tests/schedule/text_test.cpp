// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Schedules as values and as text.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "schedule/test_operators.hpp"

namespace testing_schedules {

static_assert(tf::to_text(tf::threads{} | tf::tiles{512} | tf::tree{}) == "tiles=512,tree,threads");
static_assert(tf::parse_schedule("tiles=128,split=8,tree,threads=2") == (tf::tiles{128} | tf::split{8} | tf::tree{} | tf::threads{2}));
static_assert(tf::schedule{} == tf::schedule(tf::fold{}));
static_assert(sizeof(tf::schedule) <= 48);

namespace {
std::string refusal(std::string_view text) {
  try {
    (void)tf::parse_schedule(text);
  } catch (const tf::error& e) {
    return e.what();
  }
  return "";
}
}  // namespace

TEST(ScheduleText, PrintsInOneOrder) {
  EXPECT_EQ(tf::to_text(tf::schedule{}).view(), "fold");
  EXPECT_EQ(tf::to_text(tf::parse_schedule("threads=2,tree,split=8,tiles=128,lanes=4")).view(), "lanes=4,tiles=128,split=8,tree,threads=2");
  EXPECT_EQ(tf::to_text(tf::parse_schedule("fold,threads")).view(), "threads");
  EXPECT_EQ(tf::to_text(tf::parse_schedule("reproducible,tiles=1")).view(), "tiles=1,reproducible");
  const std::string longest =
      "lanes=9223372036854775807,tiles=9223372036854775807,split=9223372036854775807,reproducible,threads="
      "9223372036854775807";
  EXPECT_EQ(tf::to_text(tf::parse_schedule(longest)).view(), longest);
}

TEST(ScheduleText, RoundTrip) {
  rc::check("parse(print(s)) == s, whatever the order of the words", [] {
    const auto count = [] { return *rc::gen::inRange<index>(1, PTRDIFF_MAX); };
    std::vector<tf::schedule> words;
    if (*rc::gen::arbitrary<bool>()) words.push_back(tf::tiles{count()});
    if (*rc::gen::arbitrary<bool>() && !words.empty()) words.push_back(tf::lanes{count()});
    if (*rc::gen::arbitrary<bool>()) words.push_back(tf::split{count()});
    if (*rc::gen::arbitrary<bool>()) words.push_back(*rc::gen::arbitrary<bool>() ? tf::threads{} : tf::threads{count()});
    switch (*rc::gen::inRange(0, 4)) {
      case 0:
        words.push_back(tf::fold{});
        break;
      case 1:
        words.push_back(tf::tree{});
        break;
      case 2:
        words.push_back(tf::reproducible{});
        break;
      default:
        break;
    }
    tf::schedule s;
    std::string text;
    while (!words.empty()) {
      const auto k = *rc::gen::inRange<std::size_t>(0, words.size());
      s = s | words[k];
      text += std::string(text.empty() ? "" : ",") + std::string(tf::to_text(words[k]).view());
      words.erase(words.begin() + static_cast<std::ptrdiff_t>(k));
    }
    RC_ASSERT(tf::parse_schedule(tf::to_text(s)) == s);
    if (!text.empty()) RC_ASSERT(tf::parse_schedule(text) == s);
  });
}

TEST(ScheduleText, ArbitraryTextIsRefusedOrReadBack) {
  rc::check([](const std::string& noise) {
    try {
      const auto s = tf::parse_schedule(noise);
      RC_ASSERT(tf::parse_schedule(tf::to_text(s)) == s);
    } catch (const tf::error&) {
    }
  });
  rc::check([] {  // the same letters as schedules have
    const auto noise = *rc::gen::container<std::string>(rc::gen::elementOf(std::string("tresplitlanfodhucbi=,0129 -+")));
    try {
      (void)tf::parse_schedule(noise);
    } catch (const tf::error&) {
    }
  });
}

TEST(ScheduleText, SaysWhatIsWrongAndWhere) {
  const std::string words = "words are fold, tree, reproducible, threads[=N], lanes=N, tiles=N, split=N";
  const auto expect = [&](std::string_view text, int at, const char* why) {
    const std::string said = refusal(text);
    EXPECT_NE(said.find("TF2205"), std::string::npos) << text << " → " << said;
    EXPECT_NE(said.find("at character " + std::to_string(at) + ":"), std::string::npos) << said;
    EXPECT_NE(said.find(why), std::string::npos) << said;
    EXPECT_NE(said.find(words), std::string::npos) << said;
  };
  expect("", 1, "a word is missing");
  expect("tiles=128,", 11, "a word is missing");
  expect(",tree", 1, "a word is missing");
  expect("tiles=128,trees", 11, "no such word");
  expect("Tree", 1, "no such word");
  expect(" tree", 1, "no such word");
  expect("tree ", 1, "no such word");
  expect("tree=2", 1, "takes no count");
  expect("fold=", 1, "takes no count");
  expect("tiles", 1, "needs a count");
  expect("split,tree", 1, "needs a count");
  for (const char* bad : {"tiles=", "tiles=0", "tiles=-1", "tiles=+1", "tiles=1.5", "tiles=0x10", "tiles= 1", "tiles=1=2",
                          "tiles=9223372036854775808", "threads=", "threads=0", "tiles=99999999999999999999999999"})
    expect(bad, 1, "a decimal number from 1 to 9223372036854775807");
  expect("tree,tree", 6, "only one of fold, tree and reproducible");
  expect("fold,tree", 6, "only one of");
  expect("tiles=2,split=3,tiles=2", 17, "said before");
  expect("threads,threads=4", 9, "said before");
  EXPECT_NE(refusal("reproducible,lanes=4").find("TF2203"), std::string::npos);
}

TEST(ScheduleValue, RefusesContradictions) {
  EXPECT_THROW((void)(tf::tiles{4} | tf::tiles{4}), tf::error);
  EXPECT_THROW((void)(tf::fold{} | tf::tree{}), tf::error);
  EXPECT_THROW((void)(tf::threads{} | tf::threads{2}), tf::error);
  EXPECT_THROW((void)tf::schedule(tf::tiles{0}), tf::error);
  EXPECT_THROW((void)tf::schedule(tf::lanes{-3}), tf::error);
  EXPECT_THROW((void)tf::schedule(tf::threads{-1}), tf::error);
}

}  // namespace testing_schedules
