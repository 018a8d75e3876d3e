// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The merge tree of a plan as rounding sees it: how many additions and merges lie on the longest path, level by level.
#pragma once

#include <string>
#include <vector>

#include "twofold/schedule/plan.hpp"

namespace twofold::cli::accuracy {

//! Merges of one kind on the way to the root.
struct level {
  std::string where;    // "tiles of a part", "parts"
  std::string formula;  // "T/K-1", "ceil(log2 K)"
  double merges = 0;
};

struct tree {
  double leaf = 1;  // elements that are summed at one reference, without merges
  std::vector<level> levels;
  [[nodiscard]] double merges() const;
  [[nodiscard]] double additions() const { return leaf - 1 + merges(); }
};

tree tree_of(const plan& p);

}  // namespace twofold::cli::accuracy
