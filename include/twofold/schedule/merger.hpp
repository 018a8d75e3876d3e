// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Merging a sequence of neighbouring states as a plan says: by fold, or by tree.
#pragma once

#include <optional>

#include "twofold/schedule/forest.hpp"

TWOFOLD_BEGIN_NAMESPACE
namespace detail {

//! Takes states from left to right; `result` is the merge of those taken so far, so that it also yields every prefix.
template <class R>
class merger {
 public:
  using state = state_of<R>;
  merger(const R& r, bool tree) : r_(&r), tree_(tree) {}

  //! The state of the next 2^level leaves (fold: level is 0).
  void add(int level, state s) {
    if (tree_) forest_.add(*r_, level, std::move(s));
    else if (folded_) combine_into(*r_, *folded_, s);
    else folded_.emplace(std::move(s));
  }
  [[nodiscard]] bool empty() const { return tree_ ? forest_.empty() : !folded_; }
  [[nodiscard]] state result() const { return tree_ ? forest_.collapse(*r_) : *folded_; }

 private:
  const R* r_;
  bool tree_;
  forest<state> forest_;
  std::optional<state> folded_;
};

//! The state of `Count` = 2^k leaves from `first` on, by halves: left half • right half. Unrolled: the calls would
//! cost more than the merges.
template <int Count, class R, class Leaf>
state_of<R> unrolled_block(const R& r, const Leaf& leaf_state, index first) {
  if constexpr (Count == 1) {
    return leaf_state(first);
  } else {
    state_of<R> left = unrolled_block<Count / 2>(r, leaf_state, first);
    combine_into(r, left, unrolled_block<Count / 2>(r, leaf_state, first + Count / 2));
    return left;
  }
}
//! The same for any power of two.
template <class R, class Leaf>
state_of<R> block_state(const R& r, const Leaf& leaf_state, index first, index count) {
  if (count == 1) return leaf_state(first);
  if (count == 8) return unrolled_block<8>(r, leaf_state, first);
  const index half = count / 2;
  state_of<R> left = block_state(r, leaf_state, first, half);
  combine_into(r, left, block_state(r, leaf_state, first + half, half));
  return left;
}

//! 2^log2(count) == count.
constexpr int log2_of(index count) {
  int k = 0;
  while ((index{1} << k) < count) ++k;
  return k;
}

}  // namespace detail
TWOFOLD_END_NAMESPACE
