// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Operators that notice what a schedule does wrong: loss, repetition, reordering, another bracketing.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "twofold/schedule/reduce.hpp"
#include "twofold/schedule/text.hpp"

namespace testing_schedules {
namespace tf = twofold;
using tf::index;

//! Adjacent intervals [lo, hi): throws where two states that are not neighbours are merged. Knows loss, repetition,
//! reorder, overlap.
struct witness {
  struct state {
    index lo = 0, hi = 0;
    bool some = false;
    friend bool operator==(const state&, const state&) = default;
  };
  state identity() const { return {}; }
  state lift(index i) const { return {i, i + 1, true}; }
  state combine(const state& a, const state& b) const {
    if (!a.some) return b;
    if (!b.some) return a;
    if (a.hi != b.lo) throw std::logic_error("not neighbours");
    return {a.lo, b.hi, true};
  }
  state finalize(const state& s) const { return s; }
};

//! Composition of permutations of five, left to right.
struct permutations {
  using state = std::array<std::uint8_t, 5>;
  state identity() const { return {0, 1, 2, 3, 4}; }
  state lift(std::uint32_t x) const {  // the x-th of the 120, by swaps
    state s = identity();
    for (std::uint32_t k = 5; k > 1; --k, x /= k + 1) std::swap(s[k - 1], s[x % k]);
    return s;
  }
  state combine(const state& a, const state& b) const {
    state c{};
    for (std::size_t i = 0; i < 5; ++i) c[i] = b[a[i]];
    return c;
  }
  state finalize(const state& s) const { return s; }
};

//! Products of 2×2 matrices over the integers modulo 2^64.
struct matrices {
  using state = std::array<std::uint64_t, 4>;
  state identity() const { return {1, 0, 0, 1}; }
  state lift(std::uint32_t x) const { return {x % 7, x % 5 + 1, x % 3, x % 11}; }
  state combine(const state& a, const state& b) const {
    return {a[0] * b[0] + a[1] * b[2], a[0] * b[1] + a[1] * b[3], a[2] * b[0] + a[3] * b[2], a[2] * b[1] + a[3] * b[3]};
  }
  state finalize(const state& s) const { return s; }
};

//! Brackets: `close` unmatched closing ones, then `open` unmatched opening ones.
struct bicyclic {
  struct state {
    index close = 0, open = 0;
    friend bool operator==(const state&, const state&) = default;
  };
  state identity() const { return {}; }
  state lift(std::uint32_t x) const { return x % 2 == 0 ? state{0, 1} : state{1, 0}; }
  state combine(const state& a, const state& b) const {
    const index met = a.open < b.close ? a.open : b.close;
    return {a.close + b.close - met, a.open + b.open - met};
  }
  state finalize(const state& s) const { return s; }
};

//! The last element that is a multiple of three.
struct last_with_value {
  using state = std::optional<std::uint32_t>;
  state identity() const { return std::nullopt; }
  state lift(std::uint32_t x) const { return x % 3 == 0 ? state(x) : std::nullopt; }
  state combine(const state& a, const state& b) const { return b ? b : a; }
  state finalize(const state& s) const { return s; }
};

//! Floating-point addition: associative over the reals only, so its bits tell bracketings apart.
template <class T>
struct plus {
  using state = T;
  state identity() const { return T(0); }
  state lift(T x) const { return x; }
  state combine(T a, T b) const { return a + b; }
  state finalize(T s) const { return s; }
};

//! y ← g·y + x as the maps y ↦ a·y + b, earlier ones on the left (P36).
struct affine_map {
  struct state {
    double a = 1, b = 0;
    friend bool operator==(const state&, const state&) = default;
  };
  state identity() const { return {}; }
  state lift(double g, double x) const { return {g, x}; }
  state combine(const state& l, const state& r) const { return {l.a * r.a, r.a * l.b + r.b}; }
  double finalize(const state& s) const { return s.b; }
};

//! The bracketing itself, as text. Merging with the identity would show as (e·…).
struct bracketing {
  using state = std::string;
  state identity() const { return "e"; }
  state lift(index i) const { return std::to_string(i); }
  state combine(const state& a, const state& b) const { return "(" + a + " " + b + ")"; }
  state push(const state& a, index i) const { return a == "e" ? lift(i) : a + "," + lift(i); }  // pushes: 0,1,2
  template <class Tile>
  state leaf(const Tile& tile) const {  // leaves: [0..3]
    std::string first, last;
    tile.apply(0, [&](index i) { first = std::to_string(i); });
    tile.apply(tile.size() - 1, [&](index i) { last = std::to_string(i); });
    return "[" + first + (first == last ? "" : ".." + last) + "]";
  }
  state finalize(const state& s) const { return s; }
};

//! 0, 1, 2, … without memory.
struct counting {
  index first = 0, count = 0;
  index size() const { return count; }
  template <class F>
  decltype(auto) apply(index i, F&& f) const {
    return f(first + i);
  }
  counting sub(index a, index b) const { return {first + a, b - a}; }
};

inline std::vector<std::uint32_t> random_words(index n, std::uint32_t seed = 1) {
  std::mt19937 random(seed);
  std::vector<std::uint32_t> x(static_cast<std::size_t>(n));
  for (auto& v : x) v = static_cast<std::uint32_t>(random());
  return x;
}

//! Values of wildly different sizes that cancel: every other bracketing gives other bits.
inline std::vector<float> cancelling_floats(index n, std::uint32_t seed = 1) {
  std::mt19937 random(seed);
  std::vector<float> x(static_cast<std::size_t>(n));
  for (auto& v : x) v = std::ldexp(static_cast<float>(random()) / 4294967296.0f - 0.5f, static_cast<int>(random() % 60) - 30);
  return x;
}

template <class R, class S>
tf::state_of<R> sequential(const R& r, const S& src) {
  auto s = r.identity();
  for (index i = 0; i < src.size(); ++i) src.apply(i, [&](const auto&... x) { s = r.combine(s, r.lift(x...)); });
  return s;
}

//! Every combination of words, with counts small enough to force every path on small inputs.
inline std::vector<tf::schedule> all_schedules() {
  std::vector<tf::schedule> all;
  for (const char* merge : {"fold", "tree", "reproducible"})
    for (const char* tile : {"", ",tiles=1", ",tiles=3", ",tiles=8"})
      for (const char* lane : {"", ",lanes=1", ",lanes=4", ",lanes=5"})
        for (const char* part : {"", ",split=1", ",split=3", ",split=400"})
          for (const char* thread : {"", ",threads", ",threads=3"}) {
            const std::string text = std::string(merge) + lane + tile + part + thread;
            if (merge[0] == 'r' && *lane != 0 && *tile == 0) continue;  // refused, tested elsewhere
            all.push_back(tf::parse_schedule(text));
          }
  return all;
}

//! Fewer of them, every word still with every other: for what is dear to run.
inline std::vector<tf::schedule> some_schedules() {
  std::vector<tf::schedule> some;
  for (const auto& s : all_schedules())
    if (s.tile_size() != 1 && s.lanes_per_tile() != 1 && s.lanes_per_tile() != 5 && s.parts() != 1 && s.parts() != 400 &&
        (!s.threaded() || s.thread_limit() == 0))
      some.push_back(s);
  return some;
}

//! Runs the calls on real threads, the last ones first: as unlike the order of the data as can be.
inline void run_scrambled(void* threads, index n, index, const tf::task& t) {
  const index workers = *static_cast<index*>(threads);
  std::vector<std::thread> pool;
  for (index w = 0; w < workers; ++w)
    pool.emplace_back([=, &t] {
      for (index i = n - 1 - w; i >= 0; i -= workers) t(i);
    });
  for (auto& worker : pool) worker.join();
}
inline tf::executor scrambled(index& workers) { return {&workers, run_scrambled}; }

//! The calls one by one, in an order drawn by lot.
inline void run_shuffled(void* random, index n, index, const tf::task& t) {
  std::vector<index> order(static_cast<std::size_t>(n));
  for (index i = 0; i < n; ++i) order[static_cast<std::size_t>(i)] = i;
  std::shuffle(order.begin(), order.end(), *static_cast<std::mt19937*>(random));
  for (index i : order) t(i);
}
inline tf::executor shuffled(std::mt19937& random) { return {&random, run_shuffled}; }

}  // namespace testing_schedules
