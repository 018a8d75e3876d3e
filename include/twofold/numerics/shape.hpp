// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file What a schedule means for rounding: how many additions, and how many changes of reference, lie on the longest
//! path from an element to the result. shape_of is arithmetic on (n, schedule): usable at compile time.
#pragma once

#include "twofold/schedule/plan.hpp"

TWOFOLD_BEGIN_NAMESPACE
namespace numerics {

//! Tiles of `leaf` elements, each computed at one reference; pieces of `pushed` elements walked one by one; and at most
//! `levels` merges on the way from any of these to the root. One pass over everything is leaf n; a fold is pushed n (or,
//! for rounding the same, leaf 1 with n − 1 levels).
struct tree_shape {
  double leaf = 1;
  double levels = 0;
  double pushed = 1;
  //! Roundings that one element's summand can meet: the additions on its path.
  [[nodiscard]] constexpr double additions() const { return leaf - 1 + steps(); }
  //! Changes of reference that it can meet: one per merge or push.
  [[nodiscard]] constexpr double steps() const { return levels + pushed - 1; }
};

//! ⌈log2 pieces⌉: levels of a balanced tree.
constexpr double balanced_levels(double pieces) {
  double levels = 0;
  for (double reach = 1; reach < pieces; reach *= 2) ++levels;
  return levels;
}

//! Neighbouring states that are merged into one: lanes into a tile, tiles into a part, parts into the whole.
struct merge_stage {
  const char* what = "";
  double pieces = 1;    //!< at most so many states …
  double elements = 1;  //!< … of at most so many elements each
  bool tree = false;    //!< by tree, else from left to right
  [[nodiscard]] constexpr double levels() const { return tree ? balanced_levels(pieces) : pieces > 0 ? pieces - 1 : 0; }
};

//! A schedule applied to n elements, for rounding.
struct schedule_shape : tree_shape {
  double size = 0;
  merge_stage stages[3];  //!< lanes, tiles, parts: innermost first
};

namespace detail {
constexpr schedule_shape shape_of_plan(const plan& p) {
  schedule_shape s;
  s.size = static_cast<double>(p.size);
  if (p.size == 0) return s;
  const extent part = p.part(0), tile = p.tile_of(part, 0);  // the first of either is the longest
  const index lanes = p.lanes < tile.size() ? p.lanes : tile.size();
  const double piece = static_cast<double>(cut(tile.size(), lanes, 0).size());
  (p.leaf ? s.leaf : s.pushed) = piece;
  s.stages[0] = {"lanes", static_cast<double>(lanes), piece, p.tree};
  s.stages[1] = {"tiles", static_cast<double>(p.tiles_in(part)), static_cast<double>(tile.size()), p.tree};
  s.stages[2] = {"parts", static_cast<double>(p.parts), static_cast<double>(part.size()), p.tree};
  for (const merge_stage& m : s.stages) s.levels += m.levels();
  return s;
}
}  // namespace detail

//! @brief  The shape of reduce(op, n elements, schedule).
//! @errors TF2203, TF2204 (plan.hpp)
constexpr schedule_shape shape_of(index n, const schedule& s) { return detail::shape_of_plan(plan_of(n, s)); }

//! @brief  The worst shape over the answers of scan(op, n elements, schedule): the carry is merged as a reduction, parts and tiles
//!         are joined, and elements of the last tile are pushed on.
constexpr schedule_shape scan_shape_of(index n, const schedule& s) {
  const plan p = plan_of(n, s);
  schedule_shape shape = detail::shape_of_plan(p);
  if (n == 0) return shape;
  if (p.parts == 1 && p.tiles_in(p.part(0)) == 1) {  // one tile is walked
    shape.leaf = 1, shape.levels = 0, shape.pushed = shape.size;
    return shape;
  }
  shape.pushed += shape.stages[1].elements;
  if (p.tree && p.parts > 1) shape.levels += 1;  // the parts before, then the tiles before
  return shape;
}

}  // namespace numerics
TWOFOLD_END_NAMESPACE
