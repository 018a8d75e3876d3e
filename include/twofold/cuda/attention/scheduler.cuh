// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Which tile comes next. Heads come in groups whose keys and values stay in L2; within a group the longest tiles come first, and
//! neighbours in time share K and V.
#pragma once

#include "twofold/cuda/attention/arguments.cuh"

namespace twofold::cuda::attention {

//! The tile of a number in [0, a.tiles): sizes from the offsets where sequences are packed. False: no query lies there.
template <tile_shape Shape, mask_kind Mask>
__device__ bool assign(const arguments& a, int tile, assignment& work) {
  constexpr int rows = tiling<Shape>::rows;
  const int all = a.batch * a.heads, per_group = a.head_group * a.blocks, group = tile / per_group;
  const int width = min(a.head_group, all - group * a.head_group), rest = tile - group * per_group;
  int head, block;
  if constexpr (Mask == mask_kind::full) {
    head = group * a.head_group + rest / a.blocks;
    block = rest % a.blocks;
  } else {
    head = group * a.head_group + rest % width;
    block = a.blocks - 1 - rest / width;
  }
  work.batch = head / a.heads, work.head = head - work.batch * a.heads, work.row = block * rows;
  work.queries = a.queries, work.keys = a.keys, work.query_base = 0, work.tile = tile;
  if (a.query_offsets) {
    work.query_base = a.query_offsets[work.batch];
    work.queries = a.query_offsets[work.batch + 1] - work.query_base;
  }
  if (a.key_offsets) work.keys = a.key_offsets[work.batch + 1] - a.key_offsets[work.batch];
  if (a.key_lengths) work.keys = min(work.keys, a.key_lengths[work.batch]);
  if (work.row >= work.queries) return false;
  const sequence_mask<Mask> mask(a.mask, work.queries, work.keys);
  const tile_range range = touched<Shape.keys>(mask, work.row, min(rows, work.queries - work.row));
  work.first = range.first, work.last = range.last;
  return true;
}

//! Numbers of tiles in the order in which this block works on them. Dealt: whoever is free takes the next; the request is in flight while
//! the present tile is worked on. The counter wraps to 0 by itself: every block asks once more than it works.
template <bool Dealt>
class tile_source {
 public:
  __device__ explicit tile_source(const arguments& a) : counter_(a.counter), limit_(a.tiles + gridDim.x - 1), present_(blockIdx.x) {}
  //! Asks for the following number and returns the present one.
  __device__ int take() {
    const int tile = present_;
    present_ = gridDim.x + (Dealt ? static_cast<int>(atomicInc(counter_, limit_)) : tile);
    return tile;
  }

 private:
  std::uint32_t* counter_;
  unsigned limit_;
  int present_;
};

}  // namespace twofold::cuda::attention
