// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Ways of bracketing n elements: every kind of schedule, and a tree drawn at random. What bounds are put to.
#pragma once

#include <cstddef>
#include <utility>

#include "twofold/algebra/laws/generate.hpp"
#include "twofold/schedule/schedule.hpp"

TWOFOLD_BEGIN_NAMESPACE
namespace numerics {

inline constexpr const char* ways[] = {
    "fold",         "one tile",    "tiles",           "tiles, tree", "lanes=32, tree", "split=8, tiles", "split=4, tiles, tree",
    "reproducible", "random tree", "tree of elements"};
inline constexpr int way_count = 10;
inline constexpr int random_tree = 8;  //!< the way that no schedule describes

//! The schedule of a way other than random_tree; n ≥ 1.
inline schedule schedule_of_way(int way, index n, index tile) {
  switch (way) {
    case 1:
      return tiles{n};
    case 2:
      return tiles{tile};
    case 3:
      return tiles{tile} | tree{};
    case 4:
      return lanes{32} | tree{};
    case 5:
      return split{8} | tiles{tile};
    case 6:
      return split{4} | tiles{tile} | tree{};
    case 7:
      return tiles{tile} | reproducible{};
    case 9:
      return tree{};
    default:
      return fold{};
  }
}

//! Sizes of tiles: often a few elements, where merges dominate.
inline index draw_tile(laws::random& g) {
  const auto tile = 1 + static_cast<index>(g.next() % 128);
  return g.next() % 4 == 0 ? 1 + static_cast<index>(g.next() % 4) : tile;
}

//! A random binary tree over pieces [first, last): `join(left, right)` of the results of both sides, `leaf(piece)` of one.
template <class Leaf, class Join>
auto over_random_tree(laws::random& g, std::size_t first, std::size_t last, const Leaf& leaf, const Join& join) -> decltype(leaf(first)) {
  if (last - first == 1) return leaf(first);
  const std::size_t middle = first + 1 + static_cast<std::size_t>(g.next() % (last - first - 1));
  auto left = over_random_tree(g, first, middle, leaf, join);
  return join(std::move(left), over_random_tree(g, middle, last, leaf, join));
}

}  // namespace numerics
TWOFOLD_END_NAMESPACE
