// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The last elements of a sequence, by two stacks. Nothing is ever subtracted: what leaves the window leaves no
//! debris, and a monoid is enough (a group is not needed).
#pragma once

#include <utility>
#include <vector>

#include "twofold/algebra/error.hpp"
#include "twofold/schedule/output.hpp"

TWOFOLD_BEGIN_NAMESPACE

namespace detail {
[[noreturn]] inline void refuse_width(index width) {
  throw error("TF2211", "a window of width " + std::to_string(width), "a window holds at least one element", "a width of 1 or more");
}
[[noreturn]] inline void refuse_pop() {
  throw error("TF2211", "an element taken from an empty window", "nothing is in it", "a look at size() before");
}
}  // namespace detail

//! @brief  The state of the elements between the oldest and the newest, while both ends move to the right.
//! @math   The older elements lie on a stack that holds, for each, the state from it to the end of that stack; the
//!         newer ones as lifted states beside their running state. state() = (older) • (newer). When the older ones
//!         are used up, the newer ones are moved over, from the right: suffix_i = lift(x_i) • suffix_{i+1}.
//! @laws   needs: combine associative. Order is kept; no inverse, no commutativity.
//! @order  the bits depend on the calls since the last clear(), not on timing
//! @errors TF2211 width below 1, pop of an empty window. If an operator throws, the window is as before.
//! @cost   amortised 3 combines per element (one push, one suffix, one look); `width` states held. The move costs
//!         `width` at once.
//! @source the two-stack queue; Tangwongsan, Hirzel, Schneider 2017 (DABA bounds the worst case as well)
template <reduction R>
class window {
 public:
  //! `width`: push drops the oldest element beyond it.
  window(R r, index width) : r_(std::move(r)), width_(width), newer_state_(r_.identity()) {
    if (width < 1) detail::refuse_width(width);
  }

  //! One element, given as its inputs, enters on the right; the oldest leaves where the window is full.
  template <class... X>
  requires reduces<R, X...>
  void push(const X&... x) { push_state(r_.lift(x...)); }
  //! The same for an element that is a state already (a bucket, a tile, a day).
  void push_state(state_of<R> s) {
    if (size() == width_ && older_.empty()) move_over();
    state_of<R> grown = newer_.empty() ? s : r_.combine(newer_state_, s);
    newer_.push_back(std::move(s));
    newer_state_ = std::move(grown);
    if (size() > width_) older_.pop_back();
  }
  //! The oldest element leaves.
  void pop() {
    if (size() == 0) detail::refuse_pop();
    if (older_.empty()) move_over();
    older_.pop_back();
  }

  [[nodiscard]] index size() const { return static_cast<index>(older_.size() + newer_.size()); }
  [[nodiscard]] index width() const { return width_; }
  [[nodiscard]] state_of<R> state() const {
    if (older_.empty()) return newer_state_;
    return newer_.empty() ? older_.back() : r_.combine(older_.back(), newer_state_);
  }
  [[nodiscard]] auto result() const { return r_.finalize(state()); }
  void clear() {
    older_.clear();
    newer_.clear();
    newer_state_ = r_.identity();
  }

 private:
  void move_over() {
    std::vector<state_of<R>> suffixes;
    suffixes.reserve(newer_.size());
    for (std::size_t k = newer_.size(); k-- > 0;) suffixes.push_back(suffixes.empty() ? newer_[k] : r_.combine(newer_[k], suffixes.back()));
    state_of<R> none = r_.identity();
    older_ = std::move(suffixes);
    newer_.clear();
    newer_state_ = std::move(none);
  }

  R r_;
  index width_;
  std::vector<state_of<R>> older_;  // back(): from the oldest element to the last of these
  std::vector<state_of<R>> newer_;
  state_of<R> newer_state_;
};

//! @brief  out[i] = the answer for the last `width` elements up to and including element i (fewer at the start).
//! @shape  in: n elements; out: exactly n, and may be the input itself
//! @errors TF2206, TF2207 (as scan) · TF2211 width below 1
template <reduction R, class In, class Out>
void slide(const R& r, const In& in, Out&& out, index width) {
  const auto src = as_source(in);
  const auto to = as_output(out);
  if (to.size() != src.size()) detail::refuse_length("a sliding window's output", to.size(), src.size());
  detail::refuse_overlap_of(to, src, detail::in_place::allowed);
  window<R> w(r, width);
  for (index i = 0, n = src.size(); i < n; ++i) {
    w.push_state(lift_at(r, src, i));  // a masked element takes its place and has no influence
    to[i] = w.result();
  }
}

TWOFOLD_END_NAMESPACE
