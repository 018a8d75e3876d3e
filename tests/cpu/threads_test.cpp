// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The library's threads: every call once, limits met, exceptions handed on, the same bits as alone. Run under
//! the thread sanitizer too.
#include "twofold/cpu/threads.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <numeric>
#include <set>

#include "schedule/test_operators.hpp"
#include "twofold/twofold.hpp"

namespace testing_schedules {

TEST(Threads, AreOfferedToEverySchedule) {
  EXPECT_NE(tf::default_executor().run, nullptr);
  const auto info = tf::cpu::threads_here();
  EXPECT_GE(info.available, 1);
  EXPECT_TRUE((*info.turn_on == 0) == (std::string(info.executes) == "oneTBB")) << info.executes;
}

TEST(Threads, CallEveryPieceOnce) {
  for (index limit : {0, 1, 2, 3, 64})
    for (index n : {0, 1, 2, 7, 1000, 20000}) {
      std::vector<std::atomic<int>> calls(static_cast<std::size_t>(n));
      const auto count = [&](index i) { ++calls[static_cast<std::size_t>(i)]; };
      tf::cpu::parallel_for(n, limit, tf::task(count));
      for (const auto& c : calls) ASSERT_EQ(c.load(), 1);
    }
}

TEST(Threads, KeepToTheLimit) {
  for (index limit : {1, 2, 3}) {
    std::mutex lock;
    std::set<std::thread::id> seen;
    const auto note = [&](index) {
      const std::lock_guard hold(lock);
      seen.insert(std::this_thread::get_id());
    };
    std::atomic<int> inside{0}, most{0};
    const auto nest = [&](index i) {
      const int now = ++inside;
      for (int m = most; now > m && !most.compare_exchange_weak(m, now);) {
      }
      note(i);
      --inside;
    };
    tf::cpu::parallel_for(5000, limit, tf::task(nest));
    EXPECT_LE(most.load(), limit);
    EXPECT_TRUE(limit > 1 || seen.size() == 1);
  }
}

TEST(Threads, HandOnWhatOperatorsThrow) {
  struct odd {};
  for (index limit : {0, 1, 2}) {
    const auto fail = [](index i) {
      if (i == 777) throw odd{};
    };
    EXPECT_THROW(tf::cpu::parallel_for(1000, limit, tf::task(fail)), odd);
  }
  std::vector<index> x(100000);
  std::iota(x.begin(), x.end(), index{0});
  x[77777] = 3;
  std::vector<witness::state> out(x.size());
  for (const char* text :
       {"threads", "threads,tree", "threads,tiles=100", "threads=2,split=9,tiles=10,tree", "threads,tiles=64,reproducible"}) {
    const auto s = tf::parse_schedule(text);
    EXPECT_THROW((void)tf::reduce(witness{}, x, s), std::logic_error);
    EXPECT_THROW(tf::scan(witness{}, x, out, s), std::logic_error);
    const std::vector<index> offsets{0, 50000, 100000};
    std::vector<witness::state> both(2);
    EXPECT_THROW(tf::segmented_reduce(witness{}, x, offsets, both, s), std::logic_error);
  }
}

TEST(Threads, SameBitsForAnyNumber) {
  const auto x = cancelling_floats(200003);
  std::vector<float> alone(x.size()), out(x.size());
  for (const char* words :
       {"", ",tree", ",tiles=100", ",tiles=128,split=8,tree", ",lanes=4,tiles=64,tree", ",reproducible", ",tiles=32,reproducible"}) {
    const auto of = [&](const char* threads) { return tf::parse_schedule(std::string(threads) + words); };
    const float one = tf::reduce(plus<float>{}, x, of("threads"), tf::serial);
    tf::scan(plus<float>{}, x, alone, of("threads"), tf::serial);
    for (const char* threads : {"threads", "threads=1", "threads=2", "threads=3", "threads=7", "threads=1000"})
      for (int repeat = 0; repeat < 5; ++repeat) {
        ASSERT_EQ(tf::reduce(plus<float>{}, x, of(threads)), one) << threads << words;
        if (repeat == 0) {
          tf::scan(plus<float>{}, x, out, of(threads));
          ASSERT_EQ(out, alone) << threads << words;
        }
      }
  }
}

TEST(Threads, WitnessAtSmallSizes) {
  for (const auto& s : all_schedules()) {
    if (!s.threaded()) continue;
    for (index n : {0, 1, 2, 3, 5, 17, 64, 257}) {
      ASSERT_EQ(tf::reduce(witness{}, counting{0, n}, s), n == 0 ? witness::state{} : (witness::state{0, n, true}));
      std::vector<witness::state> out(static_cast<std::size_t>(n));
      tf::scan(witness{}, counting{0, n}, out, s);
      for (index i = 0; i < n; ++i) ASSERT_EQ(out[static_cast<std::size_t>(i)], (witness::state{0, i + 1, true}));
    }
  }
}

TEST(Threads, SegmentsAndRowsAreSharedOut) {
  const auto x = random_words(300000);
  std::vector<int> offsets;
  for (int k = 0; k <= 300000; k += 3 + k % 97) offsets.push_back(k);
  offsets.push_back(100000 + offsets.back() > 300000 ? 300000 : offsets.back() + 100000);
  std::vector<matrices::state> alone(offsets.size() - 1), out(alone.size());
  tf::segmented_reduce(matrices{}, x, offsets, alone);
  tf::segmented_reduce(matrices{}, x, offsets, out, tf::threads{} | tf::tiles{16});
  EXPECT_EQ(out, alone);
  const tf::row_source<std::uint32_t> m{x.data(), 300, 1000, 1000};
  std::vector<matrices::state> rows_alone(300), rows(300);
  tf::row_reduce(matrices{}, m, rows_alone);
  tf::row_reduce(matrices{}, m, rows, tf::threads{} | tf::tree{});
  EXPECT_EQ(rows, rows_alone);
}

TEST(Threads, NestInsideEachOther) {  // an operator may itself reduce with threads
  const auto x = random_words(1000);
  struct outer {
    const std::vector<std::uint32_t>& x;
    using state = std::uint64_t;
    state identity() const { return 0; }
    state lift(index i) const { return tf::reduce(plus<std::uint64_t>{}, tf::as_source(x).sub(0, i % 1000), tf::threads{} | tf::tiles{8}); }
    state combine(state a, state b) const { return a + b; }
    state finalize(state s) const { return s; }
  };
  EXPECT_EQ(tf::reduce(outer{x}, counting{0, 200}, tf::threads{} | tf::tiles{1}), tf::reduce(outer{x}, counting{0, 200}));
}

}  // namespace testing_schedules
