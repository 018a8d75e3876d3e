// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The aligned dyadic forest: the states of a run of leaves, merged wherever two of them are the halves of an
//! aligned block. It is what makes a bracketing independent of how the leaves arrived: its blocks depend on the
//! positions alone.
#pragma once

#include <utility>
#include <vector>

#include "twofold/algebra/reduction.hpp"

TWOFOLD_BEGIN_NAMESPACE

//! One block of a forest: the state of 2^level leaves that start at a multiple of 2^level.
template <class State>
struct forest_node {
  State state;
  int level = 0;
};

//! @brief  The maximal aligned blocks that make up the leaves [first, last), at most two of each size.
//! @math   A block of level k covers leaves [j·2^k, (j+1)·2^k) and its state is (left half) • (right half).
//!         `collapse` merges the blocks from the right: for first = 0 that is the tree whose left subtrees are full.
//! @laws   The blocks of [first, last) are unique, hence so are all bits: one leaf at a time, in blocks, or by
//!         merging neighbouring forests in any bracketing. Order is kept; commutativity is not used.
//! @cost   one combine per leaf, amortised; at most 2·log2(n) states.
template <class State>
class forest {
 public:
  explicit forest(index first = 0) : first_(first), last_(first) {}

  [[nodiscard]] index first() const { return first_; }
  [[nodiscard]] index last() const { return last_; }
  [[nodiscard]] bool empty() const { return nodes_.empty(); }
  [[nodiscard]] const std::vector<forest_node<State>>& nodes() const { return nodes_; }

  //! Appends the block of 2^level leaves that starts at last(), which must be a multiple of 2^level.
  //! If an operator throws, the forest is as it was.
  template <class R>
  void add(const R& r, int level, State state) {
    const index leaves = index{1} << level;
    std::size_t kept = nodes_.size();
    // Where last() is an odd multiple of 2^level, its left half is either the last node or was never all here (cut
    // off by first()).
    for (; kept > 0 && nodes_[kept - 1].level == level && ((last_ >> level) & 1) != 0; --kept, ++level) {
      State left = nodes_[kept - 1].state;
      combine_into(r, left, state);
      state = std::move(left);
    }
    add_after(kept, level, std::move(state));
    last_ += leaves;
  }

  //! Appends the neighbour on the right, block by block. Its first() must be last().
  template <class R>
  void append(const R& r, const forest& right) {
    if (right.empty()) return;
    if (empty()) {
      *this = right;
      return;
    }
    forest next = *this;
    for (const auto& node : right.nodes_) next.add(r, node.level, node.state);
    *this = std::move(next);
  }

  //! The state of all leaves. Not empty.
  template <class R>
  [[nodiscard]] State collapse(const R& r) const {
    State all = nodes_.back().state;
    for (std::size_t k = nodes_.size() - 1; k-- > 0;) {
      State left = nodes_[k].state;
      combine_into(r, left, all);
      all = std::move(left);
    }
    return all;
  }

 private:
  void add_after(std::size_t kept, int level, State&& state) {
    if (kept == nodes_.size()) {
      nodes_.push_back({std::move(state), level});
      return;
    }
    nodes_[kept] = {std::move(state), level};
    nodes_.erase(nodes_.begin() + static_cast<std::ptrdiff_t>(kept) + 1, nodes_.end());
  }

  std::vector<forest_node<State>> nodes_;
  index first_;
  index last_;
};

TWOFOLD_END_NAMESPACE
