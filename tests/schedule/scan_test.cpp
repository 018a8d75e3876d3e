// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Scans: every kind, schedule and order against the definition; init once; in place; the values of public
//! bugs.
#include <gtest/gtest.h>

#include <numeric>

#include "schedule/test_operators.hpp"
#include "twofold/schedule/scan.hpp"

namespace testing_schedules {

namespace {

constexpr tf::bounds both_bounds[] = {tf::bounds::inclusive, tf::bounds::exclusive};
constexpr tf::walk all_walks[] = {tf::walk::forward, tf::walk::suffix, tf::walk::backward};

//! The definition: answer i computed on its own.
template <class R, class S>
tf::state_of<R> by_definition(const R& r, const S& src, index i, tf::scan_kind kind, const tf::state_of<R>* init) {
  const index n = src.size(), skip = kind.ends == tf::bounds::exclusive ? 1 : 0;
  auto s = r.identity();
  if (kind.order == tf::walk::forward) {
    for (index k = 0; k <= i - skip; ++k) s = r.combine(s, tf::lift_at(r, src, k));
  } else if (kind.order == tf::walk::suffix) {
    for (index k = i + skip; k < n; ++k) s = r.combine(s, tf::lift_at(r, src, k));
    return init ? r.combine(s, *init) : s;  // order kept: what lies before the scan's start lies to the right
  } else {
    for (index k = n - 1; k >= i + skip; --k) s = r.combine(s, tf::lift_at(r, src, k));
  }
  return init ? r.combine(*init, s) : s;
}

template <class R>
void expect_every_kind(const R& r, const tf::state_of<R>& init) {
  const auto x = random_words(64);
  std::mt19937 random(2);
  for (const index n : {0, 1, 2, 9, 40, 64}) {
    const tf::array_source<std::uint32_t> src{x.data(), n};
    for (const auto order : all_walks)
      for (const auto ends : both_bounds)
        for (const bool with_init : {false, true}) {
          const tf::scan_kind kind{ends, order};
          std::vector<tf::state_of<R>> expected;
          for (index i = 0; i < n; ++i) expected.push_back(by_definition(r, src, i, kind, with_init ? &init : nullptr));
          for (const auto& s : all_schedules()) {
            std::vector<tf::state_of<R>> out(static_cast<std::size_t>(n));
            if (with_init) tf::scan_from(r, init, src, out, kind, s, shuffled(random));
            else tf::scan(r, src, out, kind, s, shuffled(random));
            ASSERT_EQ(out, expected) << tf::to_text(s).view() << " n=" << n << " walk " << int(order) << " bounds " << int(ends);
          }
        }
  }
}

}  // namespace

TEST(Scan, EveryKindForPermutations) { expect_every_kind(permutations{}, permutations{}.lift(77)); }
TEST(Scan, EveryKindForMatrices) { expect_every_kind(matrices{}, matrices{}.lift(12345)); }
TEST(Scan, EveryKindForBrackets) { expect_every_kind(bicyclic{}, bicyclic::state{2, 3}); }
TEST(Scan, EveryKindForLast) { expect_every_kind(last_with_value{}, std::optional<std::uint32_t>(9)); }

TEST(Scan, WitnessAtAllSizes) {
  for (const char* text : {"fold", "tree", "lanes=3", "tiles=7", "tiles=7,tree", "split=5", "lanes=2,tiles=16,split=3,tree,threads",
                           "threads", "tiles=4,reproducible"}) {
    const auto s = tf::parse_schedule(text);
    for (index n = 0; n <= 257; ++n) {
      std::vector<witness::state> out(static_cast<std::size_t>(n));
      tf::scan(witness{}, counting{0, n}, out, s);
      for (index i = 0; i < n; ++i) ASSERT_EQ(out[static_cast<std::size_t>(i)], (witness::state{0, i + 1, true})) << text;
      tf::scan(witness{}, counting{0, n}, out, tf::suffix, s);
      for (index i = 0; i < n; ++i) ASSERT_EQ(out[static_cast<std::size_t>(i)], (witness::state{i, n, true})) << text;
    }
  }
}

TEST(Scan, WitnessAcrossWaves) {  // more elements than one wave holds, more parts than tiles, threads out of order
  for (const char* text :
       {"fold", "tiles=1000", "threads", "tiles=77,tree,threads", "split=3,tiles=999,threads", "reproducible,tiles=64,threads"}) {
    const index n = 700001;
    std::vector<witness::state> out(static_cast<std::size_t>(n));
    index workers = 3;
    tf::scan(witness{}, counting{0, n}, out, tf::parse_schedule(text), scrambled(workers));
    for (index i = 0; i < n; ++i) ASSERT_EQ(out[static_cast<std::size_t>(i)], (witness::state{0, i + 1, true})) << text;
  }
}

TEST(Scan, SameBitsWhoeverRunsIt) {
  const auto x = cancelling_floats(30011);
  std::vector<float> alone(x.size()), out(x.size());
  for (const char* text :
       {"threads", "threads,tree", "threads,tiles=37", "threads,tiles=64,tree", "threads,split=9,tiles=5", "threads,tiles=16,reproducible"})
    for (const auto order : all_walks) {
      const auto s = tf::parse_schedule(text);
      tf::scan(plus<float>{}, x, alone, {tf::bounds::inclusive, order}, s, tf::serial);
      for (index workers = 1; workers <= 6; ++workers) {
        tf::scan(plus<float>{}, x, out, {tf::bounds::inclusive, order}, s, scrambled(workers));
        ASSERT_EQ(out, alone) << text;
      }
    }
}

TEST(Scan, ReproducibleIgnoresSplit) {
  const auto x = cancelling_floats(5000);
  std::vector<float> whole(x.size()), out(x.size());
  tf::scan(plus<float>{}, x, whole, tf::parse_schedule("tiles=8,reproducible"));
  for (const char* text : {"tiles=8,reproducible,split=7", "tiles=8,reproducible,threads=3", "tiles=8,tree"}) {
    tf::scan(plus<float>{}, x, out, tf::parse_schedule(text));
    ASSERT_EQ(out, whole) << text;
  }
}

TEST(Scan, InPlace) {
  const auto x = random_words(500);
  struct adding {
    using state = std::uint32_t;
    state identity() const { return 0; }
    state lift(std::uint32_t v) const { return v; }
    state combine(state a, state b) const { return a + b; }
    state finalize(state s) const { return s; }
  };
  for (const auto& s : all_schedules())
    for (const auto order : all_walks)
      for (const auto ends : both_bounds) {
        std::vector<std::uint32_t> apart(x.size()), same = x;
        tf::scan(adding{}, x, apart, {ends, order}, s);
        tf::scan(adding{}, same, same, {ends, order}, s);
        ASSERT_EQ(apart, same) << tf::to_text(s).view();
      }
}

TEST(Scan, RefusesOutputsThatDoNotFit) {
  std::vector<float> x(10, 1.0f), shorter(9), longer(11);
  EXPECT_THROW(tf::scan(plus<float>{}, x, shorter), tf::error);
  EXPECT_THROW(tf::scan(plus<float>{}, x, longer), tf::error);
  const tf::array_source<float> first{x.data(), 9};
  EXPECT_THROW(tf::scan(plus<float>{}, first, tf::array_output<float>{x.data() + 1, 9}), tf::error);
  EXPECT_THROW(tf::scan(plus<float>{}, first, tf::array_output<float>{x.data() + 8, 9, -1}), tf::error);
  EXPECT_THROW(tf::scan(affine_map{}, tf::zip(std::vector<double>(4), std::vector<double>(4)), std::vector<double>(3)), tf::error);
  std::vector<double> both(8, 1.0);
  const tf::array_source<double> even{both.data(), 4, 2}, odd{both.data() + 1, 4, 2};
  EXPECT_NO_THROW(tf::scan(affine_map{}, tf::zip(even, odd), std::vector<double>(4)));
  EXPECT_THROW(tf::scan(affine_map{}, tf::zip(even, odd), tf::array_output<double>{both.data() + 2, 4, 1}), tf::error);
}

TEST(Scan, P36Recurrence) {  // operands swapped between levels: right up to 64, wrong from 128
  const index n = 256;
  std::vector<double> gate, x, y(static_cast<std::size_t>(n));
  for (index i = 0; i < n; ++i) gate.push_back(static_cast<double>((37 * i) % 101) / 101), x.push_back(static_cast<double>(i));
  for (const auto& s : all_schedules()) {
    tf::scan(affine_map{}, tf::zip(gate, x), y, s);
    EXPECT_NEAR(y[63], 74.74881959925433, 1e-12);
    EXPECT_NEAR(y[64], 97.30392952442024, 1e-12);
    EXPECT_NEAR(y[127], 215.59299419357382, 1e-12);
    EXPECT_NEAR(y[255], 372.48449538462376, 1e-12);
  }
}

TEST(Scan, P38CountingUp) {
  for (index n = 1; n <= 260; ++n) {
    const std::vector<double> ones(static_cast<std::size_t>(n), 1.0);
    std::vector<double> out(ones.size());
    tf::scan(plus<double>{}, ones, out, tf::threads{} | tf::tiles{32});
    for (index i = 0; i < n; ++i) ASSERT_EQ(out[static_cast<std::size_t>(i)], static_cast<double>(i + 1));
  }
}

TEST(Scan, P39Reverse) {
  std::vector<double> x(18), out(9);
  std::iota(x.begin(), x.end(), 0.0);
  for (const auto kind : {tf::suffix, tf::backward})
    for (const auto& s : all_schedules()) {
      tf::scan(plus<double>{}, tf::array_source<double>{x.data(), 9}, out, kind, s);
      EXPECT_EQ(out, (std::vector<double>{36, 36, 35, 33, 30, 26, 21, 15, 8}));
      tf::scan(plus<double>{}, tf::array_source<double>{x.data() + 9, 9}, out, kind, s);
      EXPECT_EQ(out, (std::vector<double>{117, 108, 98, 87, 75, 62, 48, 33, 17}));
    }
}

TEST(Scan, P39BothConventionsAreTold) {
  const index n = 3;
  std::vector<std::string> out(3);
  tf::scan(bracketing{}, counting{0, n}, out, tf::suffix, tf::tree{});
  EXPECT_EQ(out[0], "(0 (1 2))");
  struct concatenate : bracketing {
    state combine(const state& a, const state& b) const { return a == "e" ? b : b == "e" ? a : a + b; }
    state push(const state& a, index i) const { return combine(a, lift(i)); }
  };
  tf::scan(concatenate{}, counting{0, n}, out, tf::suffix);
  EXPECT_EQ(out, (std::vector<std::string>{"012", "12", "2"}));
  tf::scan(concatenate{}, counting{0, n}, out, tf::backward);
  EXPECT_EQ(out, (std::vector<std::string>{"210", "21", "2"}));
}

TEST(Scan, P40InitOnce) {
  const std::vector<double> x{1, 1, 2, 2, 3, 3, 4, 4};
  std::vector<double> out(8);
  for (const auto& s : all_schedules()) {
    tf::scan_from(plus<double>{}, 100.0, x, out, {}, s);
    ASSERT_EQ(out, (std::vector<double>{101, 102, 104, 106, 109, 112, 116, 120})) << tf::to_text(s).view();
    tf::scan_from(plus<double>{}, 100.0, x, out, tf::exclusive, s);
    ASSERT_EQ(out, (std::vector<double>{100, 101, 102, 104, 106, 109, 112, 116})) << tf::to_text(s).view();
  }
}

TEST(Scan, P41DomainRestricted) {  // associative on increasing powers only: op(b, a) gives −10000
  struct rising {
    using state = std::optional<double>;
    state identity() const { return std::nullopt; }
    state lift(double x) const { return x; }
    state combine(const state& a, const state& b) const {
      if (!a) return b;
      if (!b) return a;
      return *a < *b ? *a + *b : -10000;
    }
    double finalize(const state& s) const { return s.value_or(0); }
  };
  const std::vector<double> x{1, 10, 100, 1000};
  std::vector<double> out(4);
  for (const auto& s : all_schedules()) {
    tf::scan(rising{}, x, out, s);
    ASSERT_EQ(out, (std::vector<double>{1, 11, 111, 1111})) << tf::to_text(s).view();
  }
}

TEST(Scan, MaskedElementsPassTheStateOn) {
  const std::vector<double> x{1, NAN, 3, NAN, 5};
  std::vector<double> out(5);
  for (const auto& s : all_schedules()) {
    tf::scan(plus<double>{}, tf::masked(x, [](index i) { return i % 2 == 0; }), out, s);
    ASSERT_EQ(out, (std::vector<double>{1, 1, 4, 4, 9}));
  }
}

TEST(Scan, OperatorsMayThrow) {
  std::vector<index> x(100);
  std::iota(x.begin(), x.end(), index{0});
  x[60] = 61;
  std::vector<witness::state> out(100);
  for (const auto& s : all_schedules()) EXPECT_THROW(tf::scan(witness{}, x, out, s), std::logic_error);
}

}  // namespace testing_schedules
