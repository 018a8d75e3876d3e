// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file What a schedule means for n elements: the range is cut into parts, parts into tiles, tiles into lanes.
//! Everything here is arithmetic on (n, schedule): the bracketing is fixed before the first element is read.
#pragma once

#include "twofold/schedule/schedule.hpp"

TWOFOLD_BEGIN_NAMESPACE

//! Positions [first, last).
struct extent {
  index first = 0;
  index last = 0;
  [[nodiscard]] constexpr index size() const { return last - first; }
  friend constexpr bool operator==(const extent&, const extent&) = default;
};

//! Piece k of n positions cut into `pieces` contiguous pieces, as even as can be: the first n mod pieces have one
//! more.
TWOFOLD_HD constexpr extent cut(index n, index pieces, index k) {
  const index each = n / pieces, longer = n % pieces;
  const index first = k * each + (k < longer ? k : longer);
  return {first, first + each + (k < longer ? 1 : 0)};
}

//! With `threads` alone there would be one piece and nothing to run side by side: it then means this split.
inline constexpr index implied_split = 256;

//! @brief  A schedule applied to n elements.
//! @math   range = part_0 … part_{K−1};  part = tile_0 … tile_{T−1};  tile = piece_0 … piece_{W−1}, all contiguous
//!         and in order.
//!         K  = split, else 1 (`threads` with neither tiles nor tree: 256; `reproducible`: always 1). Never more than
//!         n.
//!         tiles have N elements, the last of a part what is left. Without `tiles`: one element for tree and
//!         reproducible, the whole part for fold or where lanes are said.
//!         W  = lanes, else 1. Never more than the tile has elements.
//!         A piece is walked by push from the identity, or reduced by `leaf` where tiles are said.
//!         The states of pieces, then of tiles, then of parts are merged by fold (((a•b)•c)•d) or by tree: of m
//!         states, the left subtree takes the largest power of two below m. Empty pieces do not occur, so nothing is
//!         merged with the identity.
struct plan {
  index size = 0;
  index parts = 1;
  index tile = 0;  //!< elements per tile; 0: a part is one tile
  index lanes = 1;
  bool leaf = false;  //!< pieces are reduced by leaf rather than by push
  bool tree = false;  //!< states are merged by tree rather than by fold
  bool threaded = false;
  index thread_limit = 1;

  [[nodiscard]] constexpr extent part(index k) const { return cut(size, parts, k); }
  [[nodiscard]] constexpr index tiles_in(const extent& p) const {
    return tile == 0 ? (p.size() > 0 ? 1 : 0) : p.size() / tile + (p.size() % tile != 0 ? 1 : 0);
  }
  [[nodiscard]] constexpr extent tile_of(const extent& p, index t) const {
    if (tile == 0) return p;
    const index first = p.first + t * tile;
    return {first, p.last - first < tile ? p.last : first + tile};
  }
};

namespace detail {
[[noreturn]] inline void refuse_reproducible_lanes() {
  throw error("TF2203", "a reproducible schedule with lanes but without tiles",
              "without tiles there is nothing whose size is fixed for the lanes to cut", "tiles=128,lanes=8,reproducible");
}
[[noreturn]] inline void refuse_size() { throw error("TF2204", "a range of negative size", "sizes count elements", "a size of 0 or more"); }
}  // namespace detail

//! @errors TF2203 lanes with reproducible but without tiles · TF2204 n < 0
constexpr plan plan_of(index n, const schedule& s) {
  if (n < 0) detail::refuse_size();
  const bool reproducible = s.merged_by() == merging::reproducible;
  if (reproducible && s.lanes_per_tile() > 0 && s.tile_size() == 0) detail::refuse_reproducible_lanes();
  plan p;
  p.size = n;
  p.tree = s.merged_by() != merging::fold;
  p.leaf = s.tile_size() > 0;
  p.lanes = s.lanes_per_tile() > 0 ? s.lanes_per_tile() : 1;
  p.tile = s.tile_size() > 0 ? s.tile_size() : (p.tree && s.lanes_per_tile() == 0 ? 1 : 0);
  p.threaded = s.threaded();
  p.thread_limit = s.thread_limit();
  if (s.parts() > 0) p.parts = s.parts();
  else if (p.threaded && p.tile == 0) p.parts = implied_split;
  if (reproducible || n == 0) p.parts = 1;
  else if (p.parts > n) p.parts = n;
  return p;
}

TWOFOLD_END_NAMESPACE
