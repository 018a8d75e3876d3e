// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Work under limits: each limit is met and named, and a crash stays where it happened.
#include "limits.hpp"

#include <unistd.h>

#include <chrono>
#include <csignal>
#include <memory>
#include <stdexcept>

#include "support.hpp"

namespace twofold::tests {
namespace {
using cli::ending;

TEST(limits, hands_the_answer_over) {
  const auto r = cli::run_limited({5, 512, 1}, [](const cli::answer_sink& answer) {
    answer("one ");
    answer(std::string(300000, 'x'));
  });
  EXPECT_EQ(r.how, ending::finished);
  EXPECT_EQ(r.answer, "one " + std::string(300000, 'x'));
}

TEST(limits, time) {
  const auto start = std::chrono::steady_clock::now();
  const auto r = cli::run_limited({0.2, 512, 0.1}, [](const cli::answer_sink& answer) {
    answer("begun");
    for (;;) pause();
  });
  EXPECT_EQ(r.how, ending::out_of_time);
  EXPECT_EQ(r.answer, "begun");
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
}

TEST(limits, every_part_renews_the_time) {
  const auto r = cli::run_limited({0.5, 512, 0.5}, [](const cli::answer_sink& answer) {
    for (int i = 0; i < 6; ++i) {
      usleep(300000);
      answer(".");
    }
  });
  EXPECT_EQ(r.how, ending::finished);
}

#if !defined(__SANITIZE_ADDRESS__)  // the sanitizer has an allocator and ideas of its own about memory
TEST(limits, memory) {
  const auto r = cli::run_limited({20, 64, 1}, [](const cli::answer_sink& answer) {
    std::vector<std::unique_ptr<char[]>> held;
    for (int i = 0; i < 1000; ++i) {
      held.push_back(std::make_unique<char[]>(1 << 20));
      std::memset(held.back().get(), i, 1 << 20);
    }
    answer("a thousand MiB");
  });
  EXPECT_EQ(r.how, ending::out_of_memory);
}
#endif

TEST(limits, a_crash_is_told_from_a_limit) {
  const auto killed = cli::run_limited({5, 512, 1}, [](const cli::answer_sink&) { raise(SIGKILL); });
  EXPECT_EQ(killed.how, ending::crashed);
  EXPECT_EQ(killed.signal, SIGKILL);
  const auto thrown = cli::run_limited({5, 512, 1}, [](const cli::answer_sink&) { throw std::logic_error("on purpose"); });
  EXPECT_EQ(thrown.how, ending::crashed);
}

TEST(limits, nest) {
  const auto r = cli::run_limited({5, 512, 1}, [](const cli::answer_sink& answer) {
    const auto inner = cli::run_limited({5, 512, 1}, [](const cli::answer_sink& a) { a("inner"); });
    answer(inner.answer + " and outer");
  });
  EXPECT_EQ(r.answer, "inner and outer");
}

}  // namespace
}  // namespace twofold::tests
