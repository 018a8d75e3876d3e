// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Scans in one pass: order, every length around the blocks, in place, exclusive, special values, any number of threads.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <random>
#include <thread>

#include "twofold/algebra/witness.hpp"
#include "twofold/cpu/scan.hpp"
#include "twofold/cpu/threads.hpp"
#include "twofold/ops/ops.hpp"

namespace tf = twofold;
using tf::bounds;

namespace {

const std::vector<tf::index>& lengths() {
  static const std::vector<tf::index> all = [] {
    std::vector<tf::index> n{1000, 32767, 32768, 32769, 65536, 65537, 100000, 400001};
    for (tf::index k = 0; k < 70; ++k) n.push_back(k);
    return n;
  }();
  return all;
}
template <class T>
std::vector<T> small_integers(tf::index n) {
  std::mt19937 g(11);
  std::vector<T> x;
  for (tf::index i = 0; i < n; ++i) x.push_back(static_cast<T>(static_cast<int>(g() % 7) - 3));
  return x;
}
//! Composition of h ↦ a·h + b modulo 2^32: exact, not commutative, generic in the number.
template <class T>
struct steps {
  struct state {
    T scale, offset;
    friend constexpr bool operator==(const state&, const state&) = default;
  };
  template <template <class> class Lanes>
  using over = steps<Lanes<T>>;
  state identity() const { return {T(1), T(0)}; }
  state lift(const T& x) const { return {x + x + T(1), x}; }
  state combine(const state& a, const state& b) const { return {a.scale * b.scale, a.offset * b.scale + b.offset}; }
  T finalize(const state& s) const { return s.offset; }
};

}  // namespace

TEST(ScanInLanes, OrderAndLengths) {
  for (const tf::index n : lengths()) {
    SCOPED_TRACE(n);
    const auto x = small_integers<std::uint32_t>(n);
    std::vector<std::uint32_t> want, before, got(x.size());
    std::uint32_t h = 0;
    for (const auto v : x) before.push_back(h), want.push_back(h = (2 * v + 1) * h + v);
    tf::cpu::scan(steps<std::uint32_t>{}, x, got);
    EXPECT_EQ(got, want);
    tf::cpu::scan(steps<std::uint32_t>{}, x, got, bounds::exclusive);
    EXPECT_EQ(got, before);
    auto place = x;
    tf::cpu::scan(steps<std::uint32_t>{}, place, place, bounds::inclusive, tf::serial);
    EXPECT_EQ(place, want);
    place = x;
    tf::cpu::scan(steps<std::uint32_t>{}, place, place, bounds::exclusive);
    EXPECT_EQ(place, before);
    if (::testing::Test::HasFailure()) return;
  }
}

TEST(ScanInLanes, WitnessSeesEveryPrefix) {
  for (const tf::index n : lengths()) {
    std::vector<tf::index> positions;
    for (tf::index i = 0; i < n; ++i) positions.push_back(i);
    std::vector<tf::interval> got(positions.size());
    tf::cpu::scan(tf::witness{}, positions, got);
    for (tf::index i = 0; i < n; ++i) ASSERT_TRUE(got[static_cast<std::size_t>(i)].covers(i + 1)) << i << " of " << n;
  }
}

TEST(ScanInLanes, SumsAndRunningExtremes) {
  for (const tf::index n : lengths()) {
    const auto x = small_integers<float>(n);  // sums are exact
    std::vector<float> sums(x.size()), most(x.size()), strided(2 * x.size() + 1);
    tf::cpu::scan(tf::sum<float>{}, x, sums);
    tf::cpu::scan(tf::max<float>{}, x, most);
    tf::cpu::scan(tf::sum<float>{}, x, tf::array_output<float>{strided.data(), n, 2});
    float s = 0, m = -HUGE_VALF;
    for (std::size_t i = 0; i < x.size(); ++i) {
      s += x[i], m = std::max(m, x[i]);
      ASSERT_EQ(sums[i], s);
      ASSERT_EQ(strided[2 * i], s);
      ASSERT_EQ(most[i], m);
    }
    std::vector<std::int64_t> wide(x.size());
    tf::cpu::scan(tf::welford<float>{}, x, std::vector<tf::variance_result<double>>(x.size()));
    const auto whole = small_integers<std::int64_t>(n);
    tf::cpu::scan(tf::sum<std::int64_t>{}, whole, wide);
    if (n > 0) {
      EXPECT_EQ(wide.back(), static_cast<std::int64_t>(s));
    }
  }
}

TEST(ScanInLanes, RecurrenceOnTwoArrays) {
  const tf::index n = 100000;
  std::vector<double> a, b, got(static_cast<std::size_t>(n));
  std::mt19937 g(4);
  for (tf::index i = 0; i < n; ++i) a.push_back(0.5 + std::ldexp(g() % 256, -10)), b.push_back(std::ldexp(g() % 256, -8));
  tf::cpu::scan(tf::affine_recurrence<double>{2.0}, tf::zip(a, b), got);
  double h = 2;
  for (std::size_t i = 0; i < a.size(); ++i) {
    h = std::fma(a[i], h, b[i]);
    ASSERT_NEAR(got[i], h, 1e-13 * h) << i;
  }
}

TEST(ScanInLanes, NaNStaysFromWhereItIs) {
  std::vector<float> x(70000, 1.0f), got(x.size());
  x[40000] = NAN;
  tf::cpu::scan(tf::max<float>{}, x, got);
  EXPECT_EQ(got[39999], 1.0f);
  EXPECT_TRUE(std::isnan(got[40000]) && std::isnan(got.back()));
}

//! Stops at one element until that element has been lifted by somebody else.
struct slow_at {
  using state = std::int64_t;
  std::int64_t marker;
  std::atomic<int>* calls;
  [[nodiscard]] state identity() const { return 0; }
  [[nodiscard]] state lift(std::int64_t x) const {
    if (x == marker && calls->fetch_add(1) == 0)
      for (int k = 0; k < 5000 && *calls < 2; ++k) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return x;
  }
  [[nodiscard]] state combine(state a, state b) const { return a + b; }
  [[nodiscard]] std::int64_t finalize(state s) const { return s; }
};

TEST(ScanInLanes, AThreadThatDoesNotGetOnIsNotWaitedFor) {
  std::vector<std::int64_t> x(1500000), got(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<std::int64_t>(i);
  std::atomic<int> calls{0};
  tf::cpu::scan(slow_at{300000, &calls}, x, got);
  for (std::size_t i = 0; i < x.size(); ++i) ASSERT_EQ(got[i], static_cast<std::int64_t>(i * (i + 1) / 2));
  if (tf::cpu::threads_here().available > 1) {
    EXPECT_EQ(calls, 3);  // summarised by two threads, answered once
  }
  calls = 2;
  tf::cpu::scan(slow_at{300000, &calls}, x, x);  // in place nobody reads what may be written
  EXPECT_EQ(x, got);
  EXPECT_EQ(calls, 4);
}

TEST(ScanInLanes, ThreadsChangeNoBitAndFailuresArrive) {
  std::vector<float> x, a(300000), b(300000);
  std::mt19937 g(2);
  for (std::size_t i = 0; i < a.size(); ++i) x.push_back(std::ldexp(static_cast<float>(g() % 100000), -9));
  tf::cpu::scan(tf::sum<float>{}, x, a);
  tf::cpu::scan(tf::sum<float>{}, x, b, bounds::inclusive, tf::serial);
  EXPECT_EQ(a, b);
  struct thrower : tf::sum<float> {
    float combine(const float& p, const float& q) const {
      if (p + q > 1e6f) throw std::runtime_error("too much");
      return p + q;
    }
  };
  EXPECT_THROW(tf::cpu::scan(thrower{}, x, a), std::runtime_error);
  EXPECT_THROW(tf::cpu::scan(thrower{}, b, b), std::runtime_error);
  EXPECT_THROW(tf::cpu::scan(tf::sum<float>{}, x, std::vector<float>(3)), tf::error);
}
