// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file How the reduction of an array is cut for the warps of a device. No CUDA in here.
#pragma once

#include "twofold/algebra/reduction.hpp"

namespace twofold::cuda {

//! Parts of 32 runs of `depth` rows, the last one shorter, and what is less than a row of every lane. The number of parts follows from n
//! and a fixed width, not from the number of multiprocessors: so bits are portable.
struct fold_parts {
  index rows, depth, full, last, all;
  static constexpr index width = 132 * 16, longest = 128;
  static constexpr index most = 4096;  //!< rows that a plan may ask for

  //! Runs for about one part a warp of the width, at most `longest` rows.
  //! @param row  elements that all lanes of a warp have at a time
  TWOFOLD_HD static constexpr index depth_of(index n, index row) {
    const index rows = n / row, turns = (rows + width * longest - 1) / (width * longest);
    return rows == 0 ? 1 : (rows + width * turns - 1) / (width * turns);
  }
  TWOFOLD_HD constexpr fold_parts(index n, index row, index depth_)
      : rows(n / row), depth(depth_), full((rows + depth - 1) / depth), last(rows - (full - 1) * depth), all(full + (n % row != 0)) {}
  TWOFOLD_HD constexpr index depth_of_part(index p) const { return p < full - 1 ? depth : p == full - 1 ? last : 1; }
  //! The first row of a part.
  TWOFOLD_HD constexpr index begin(index p) const { return p < full ? p * depth : rows; }
};

}  // namespace twofold::cuda
