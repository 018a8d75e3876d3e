// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Input that arrives in pieces, here or elsewhere: append, merge with the neighbour, look at any time.
#pragma once

#include "twofold/schedule/reduce.hpp"

TWOFOLD_BEGIN_NAMESPACE

namespace detail {
[[noreturn]] inline void refuse_neighbour(index have, index need) {
  throw error("TF2209",
              "a merge of reproducible streams that are not neighbours: the right one begins at position " + std::to_string(have) +
                  ", the left one ends at " + std::to_string(need),
              "their bits are fixed by positions in the whole input",
              "give the right stream its first position: stream(op, reproducible{}, " + std::to_string(need) + ")");
}
[[noreturn]] inline void refuse_other_schedule() {
  throw error("TF2209", "a merge of streams with different schedules, one of them reproducible", "their leaves are not the same",
              "streams with the same schedule");
}
[[noreturn]] inline void refuse_unaligned(index position, index tile) {
  throw error("TF2210", "a reproducible stream with tiles=" + std::to_string(tile) + " that is cut at position " + std::to_string(position),
              "a tile is reduced as a whole, and only the last one may be shorter",
              "pieces that begin at multiples of " + std::to_string(tile) + ", or `reproducible` without tiles");
}
}  // namespace detail

//! @brief  The state of a sequence that grows on the right, element by element or chunk by chunk.
//! @laws   s.append(a); s.append(b)  gives the state of a followed by b; merge(s, t) that of s followed by t.
//!         Commutativity is not used.
//! @order  fold: the plain loop's bits, however the input is cut. reproducible: the bits of reduce(…, reproducible)
//!         on the whole input, for all chunks, threads, ranks and merges (each stream knows its first position).
//!         Other schedules: a chunk's state is that of reduce_state on the chunk, merged on the right, so the bits
//!         depend on the chunks.
//! @errors TF2209 merge of streams that do not fit together · TF2210 reproducible with tiles, cut inside a tile
//! @cost   one state (reproducible: at most 2·log2(n)); append as reduce. If an operator throws, the stream is as
//!         before.
//! @example stream s{welford<double>{}}; s.append(monday); s.append(tuesday); auto week = merge(s, other_site);
//!         week.result();
template <reduction R>
class stream {
 public:
  //! `first`: the position of the first element in the whole input; it matters for reproducible only.
  explicit stream(R r, const schedule& s = {}, index first = 0)
      : r_(std::move(r)), schedule_(s), folded_(r_.identity()), forest_(first / tile_of(s)), first_(first), last_(first) {
    (void)plan_of(0, s);
    if (aligned() && first % tile_of(s) != 0) detail::refuse_unaligned(first, tile_of(s));
  }

  //! The elements of `chunk`, anything as_source accepts, follow those there are.
  template <class Data>
  void append(const Data& chunk, const executor& ex = default_executor()) {
    const auto src = as_source(chunk);
    if (src.size() == 0) return;
    if (aligned()) append_leaves(src, ex);
    else if (schedule_ == schedule(fold{})) append_pushed(src);
    else folded_ = r_.combine(folded_, reduce_state(r_, src, schedule_, ex));
    last_ += src.size();
  }

  //! One element, given as its inputs.
  template <class... X>
  requires reduces<R, X...>
  void push(const X&... x) {
    if (aligned()) append_leaves(zip(array_source<X>{&x, 1, 1}...), serial);
    else folded_ = twofold::push(r_, folded_, x...);
    ++last_;
  }

  //! The elements of `right`, wherever they were met, follow those there are. `right` is left as it is.
  void merge(const stream& right) {
    if (aligned() != right.aligned() || (aligned() && tile_of(schedule_) != tile_of(right.schedule_))) detail::refuse_other_schedule();
    if (right.count() == 0) return;
    if (!aligned()) {
      folded_ = r_.combine(folded_, right.folded_);
    } else if (count() == 0) {
      forest_ = right.forest_;
      first_ = last_ = right.first_;
    } else {
      if (last_ != right.first_) detail::refuse_neighbour(right.first_, last_);
      refuse_open_tile();
      forest_.append(r_, right.forest_);
    }
    last_ += right.count();
  }

  //! The state so far, and the answer from it. Both leave the stream as it is; a copy of the stream is a snapshot
  //! too.
  [[nodiscard]] state_of<R> state() const {
    if (!aligned()) return folded_;
    return forest_.empty() ? r_.identity() : forest_.collapse(r_);
  }
  [[nodiscard]] auto result() const { return r_.finalize(state()); }

  [[nodiscard]] index count() const { return last_ - first_; }
  [[nodiscard]] index first() const { return first_; }
  [[nodiscard]] index last() const { return last_; }
  [[nodiscard]] const R& operation() const { return r_; }

  //! Nothing was appended; the next element is at first().
  void clear() {
    folded_ = r_.identity();
    forest_ = forest<state_of<R>>(first_ / tile_of(schedule_));
    last_ = first_;
  }

 private:
  static constexpr index tile_of(const schedule& s) { return s.tile_size() > 0 ? s.tile_size() : 1; }
  [[nodiscard]] bool aligned() const { return schedule_.merged_by() == merging::reproducible; }
  void refuse_open_tile() const {
    if (last_ % tile_of(schedule_) != 0) detail::refuse_unaligned(last_, tile_of(schedule_));
  }
  template <class S>
  void append_leaves(const S& src, const executor& ex) {
    refuse_open_tile();
    const index leaf = last_ / tile_of(schedule_);
    forest<state_of<R>> chunk(leaf);
    detail::for_each_state(r_, src, plan_of(src.size(), schedule_), leaf, ex,
                           [&](index, int level, state_of<R>&& s) { chunk.add(r_, level, std::move(s)); });
    forest_.append(r_, chunk);
  }
  template <class S>
  void append_pushed(const S& src) {
    state_of<R> s = folded_;
    for (index i = 0, n = src.size(); i < n; ++i) push_at(r_, s, src, i);
    folded_ = std::move(s);
  }

  R r_;
  schedule schedule_;
  state_of<R> folded_;          // the state, for every schedule but reproducible …
  forest<state_of<R>> forest_;  // … whose blocks these are
  index first_, last_;
};

//! @brief The stream of `left`'s elements followed by `right`'s; both stay as they are. @see stream
template <reduction R>
[[nodiscard]] stream<R> merge(const stream<R>& left, const stream<R>& right) {
  stream<R> both = left;
  both.merge(right);
  return both;
}

TWOFOLD_END_NAMESPACE
