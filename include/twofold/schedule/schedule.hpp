// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file A schedule is a value: it says how n neighbouring elements are bracketed, and knows neither data nor
//! hardware. `tf::threads{} | tf::tiles{512} | tf::tree{}`. What each word means exactly: plan.hpp, and
//! docs/design/schedules.md.
#pragma once

#include "twofold/algebra/error.hpp"
#include "twofold/algebra/reduction.hpp"

TWOFOLD_BEGIN_NAMESPACE

//! @name The words. Each is a small value; `|` puts them together in any order.
//! @{
struct fold {};          //!< neighbouring states are merged from left to right (what holds when nothing is said)
struct tree {};          //!< neighbouring states are merged in a binary tree whose left subtrees are full
struct reproducible {};  //!< that tree over global positions: the same bits for all splits, threads, appends and ranks
//! Each tile is cut into `count` contiguous pieces that advance side by side.
struct lanes {
  index count = 8;
};
//! Each part is cut into tiles of `size` elements, each reduced by `leaf`.
struct tiles {
  index size = 128;
};
//! The range is cut into `count` contiguous parts, as even as can be.
struct split {
  index count = 8;
};
//! Pieces may run at the same time, on at most `limit` threads (0: all there are).
struct threads {
  index limit = 0;
};
//! @}

enum class merging : unsigned char { fold, tree, reproducible };

namespace detail {

//! A count that a schedule cannot hold, or two words that contradict each other: built cold, so that callers stay
//! small.
[[noreturn]] inline void refuse_count(const char* which, index count) {
  throw error("TF2201", std::string("a schedule with ") + which + "=" + std::to_string(count),
              "a count of pieces or elements is at least 1", std::string(which) + "=1 or more; leave the word out for the default");
}
[[noreturn]] inline void refuse_twice(const char* which) {
  throw error("TF2202", std::string("a schedule that says ") + which + " twice", "each word says one thing about the bracketing",
              "keep one of the two");
}
[[noreturn]] inline void refuse_merging() {
  throw error("TF2202", "a schedule with two of fold, tree and reproducible", "states are merged in one way at a time",
              "keep one of the three");
}

}  // namespace detail

//! @brief  How n elements are bracketed, and whether the pieces may run at the same time.
//! @laws   The bracketing depends on (n, schedule) alone: never on timing, nor on how many threads there are.
//! @errors TF2201 a count below 1 · TF2202 a word said twice, or two of fold, tree, reproducible
//!         (both stop the compilation where the schedule is a constant).
//! @cost   48 bytes, no allocation; usable in constant expressions.
class schedule {
 public:
  constexpr schedule() = default;
  constexpr schedule(fold) : merging_(merging::fold), merging_said_(true) {}
  constexpr schedule(tree) : merging_(merging::tree), merging_said_(true) {}
  constexpr schedule(reproducible) : merging_(merging::reproducible), merging_said_(true) {}
  constexpr schedule(lanes w) : lanes_(at_least_one("lanes", w.count)) {}
  constexpr schedule(tiles w) : tiles_(at_least_one("tiles", w.size)) {}
  constexpr schedule(split w) : split_(at_least_one("split", w.count)) {}
  constexpr schedule(threads w) : threads_(w.limit == 0 ? 0 : at_least_one("threads", w.limit)) {}

  //! 0 where the word was not said.
  [[nodiscard]] constexpr index lanes_per_tile() const { return lanes_; }
  [[nodiscard]] constexpr index tile_size() const { return tiles_; }
  [[nodiscard]] constexpr index parts() const { return split_; }
  [[nodiscard]] constexpr merging merged_by() const { return merging_; }
  [[nodiscard]] constexpr bool threaded() const { return threads_ >= 0; }
  [[nodiscard]] constexpr index thread_limit() const { return threads_ < 0 ? 1 : threads_; }  //!< 0: all there are
  //! True where fold, tree or reproducible was named; without, states are merged as by fold.
  [[nodiscard]] constexpr bool merging_said() const { return merging_said_; }

  friend constexpr schedule operator|(const schedule& a, const schedule& b) {
    schedule s = a;
    join("lanes", s.lanes_, b.lanes_, 0);
    join("tiles", s.tiles_, b.tiles_, 0);
    join("split", s.split_, b.split_, 0);
    join("threads", s.threads_, b.threads_, -1);
    if (a.merging_said_ && b.merging_said_) detail::refuse_merging();
    if (b.merging_said_) s.merging_ = b.merging_, s.merging_said_ = true;
    return s;
  }
  //! Equal schedules bracket and run equally: `fold` said or unsaid is the same.
  friend constexpr bool operator==(const schedule& a, const schedule& b) {
    return a.lanes_ == b.lanes_ && a.tiles_ == b.tiles_ && a.split_ == b.split_ && a.threads_ == b.threads_ && a.merging_ == b.merging_;
  }

 private:
  static constexpr index at_least_one(const char* which, index n) {
    if (n < 1) detail::refuse_count(which, n);
    return n;
  }
  static constexpr void join(const char* which, index& mine, index other, index unsaid) {
    if (other == unsaid) return;
    if (mine != unsaid) detail::refuse_twice(which);
    mine = other;
  }

  index lanes_ = 0, tiles_ = 0, split_ = 0, threads_ = -1;
  merging merging_ = merging::fold;
  bool merging_said_ = false;
};

//! Words join words (`tf::threads{} | tf::tree{}`): the friend above is not found from two words alone.
template <class A, class B>
requires(!std::same_as<A, schedule> && !std::same_as<B, schedule> && std::convertible_to<A, schedule> &&
         std::convertible_to<B, schedule>) constexpr schedule
operator|(const A& a, const B& b) {
  return schedule(a) | schedule(b);
}

TWOFOLD_END_NAMESPACE
