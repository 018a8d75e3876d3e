// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Longest paths of a plan: the first part is a longest one, its first tile a full one.
#include "numerics/shape.hpp"

#include "twofold/numerics/bounds.hpp"

namespace twofold::cli::accuracy {
namespace {

level merged(const char* where, const char* count, double pieces, bool by_tree) {
  const std::string formula = by_tree ? std::string("ceil(log2 ") + count + ")" : std::string(count) + "-1";
  return {where, formula, by_tree ? numerics::balanced_levels(pieces) : pieces - 1};
}

}  // namespace

double tree::merges() const {
  double all = 0;
  for (const level& l : levels) all += l.merges;
  return all;
}

tree tree_of(const plan& p) {
  tree t;
  if (p.size == 0) return t;
  const extent part = p.part(0);
  const index tiles = p.tiles_in(part), tile = p.tile_of(part, 0).size(), lanes = p.lanes < tile ? p.lanes : tile;
  const auto piece = static_cast<double>(cut(tile, lanes, 0).size());
  if (p.leaf) t.leaf = piece;
  else if (piece > 1) t.levels.push_back({"elements, one by one", lanes > 1 ? "n/W-1" : "n-1", piece - 1});
  if (lanes > 1) t.levels.push_back(merged("lanes of a tile", "W", static_cast<double>(lanes), p.tree));
  if (tiles > 1) t.levels.push_back(merged("tiles of a part", p.parts > 1 ? "T/K" : "T", static_cast<double>(tiles), p.tree));
  if (p.parts > 1) t.levels.push_back(merged("parts", "K", static_cast<double>(p.parts), p.tree));
  return t;
}

}  // namespace twofold::cli::accuracy
