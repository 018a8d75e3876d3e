// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Which tile comes next. Heads come in groups whose keys and values stay in L2; within a group the longest tiles come first, and
//! neighbours in time share K and V.
#pragma once

#include "twofold/cuda/attention/arguments.cuh"
#include "twofold/cuda/ptx/sync.cuh"

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
  work.key_base = work.skipped = 0;
  if (a.key_offsets) work.key_base = a.key_offsets[work.batch], work.keys = a.key_offsets[work.batch + 1] - work.key_base;
  if (a.key_starts) {
    work.skipped = min(max(a.key_starts[work.batch], 0), work.keys);
    work.key_base += work.skipped, work.keys -= work.skipped;
  }
  if (a.key_lengths) work.keys = min(work.keys, a.key_lengths[work.batch]);
  work.slope = a.alibi_slopes ? a.alibi_slopes[work.head] * 1.4426950408889634f : 0.0f;
  if (work.row >= work.queries) return false;
  asm volatile("" ::: "memory");  // registers are short: what is known lies in the record
  const sequence_mask<Mask> mask(a.mask, work.queries, work.keys);
  const tile_range range = touched<Shape.keys>(mask, work.row, min(rows, work.queries - work.row));
  work.first = range.first, work.last = range.last;
  asm volatile("" ::: "memory");
  work.out_at = work.batch * a.out_stride.batch + work.head * a.out_stride.head +
                (static_cast<std::int64_t>(work.query_base) + work.row) * a.out_stride.row;
  work.dense_at =
      (static_cast<std::int64_t>(a.query_offsets ? 0 : work.batch) * a.heads + work.head) * a.dense_rows + work.query_base + work.row;
  return true;
}

//! The tiles of `Keys` keys that the 64 rows from `row` see; where they see none, an empty range at the block's first.
template <int Keys, mask_kind Mask>
__device__ key_range part_of(const sequence_mask<Mask>& mask, int row, int queries, int block_first) {
  const int count = min(64, queries - row);
  const tile_range range = touched<Keys>(mask, row, count);
  const int none = Mask == mask_kind::band ? block_first : 0;
  if (range.last <= range.first) return {none, none, 0};
  // Few, since rows differ by few keys.
  const int behind = range.last - mask.end(row) / Keys, before = (mask.begin(row + count - 1) + Keys - 1) / Keys - range.first;
  return {range.first, range.last, static_cast<unsigned>(min(max(behind, 0), 15) | min(max(before, 0), 15) << 4)};
}

//! Numbers of tiles in the order in which this block works on them. Dealt: whoever is free takes the next; the request is in flight while
//! the present tile is worked on. Whatever the workspace held before, block 0 clears the counter and says so by the number of the launch;
//! nobody asks before it has said so, which is after the first tile was begun. Every block asks until it is told that there is no more, so
//! that the last request is known: it leaves the counter and the mark 0.
template <bool Dealt>
class tile_source {
 public:
  __device__ explicit tile_source(const arguments& a) : a_(a), present_(blockIdx.x) {}
  //! Called by the one thread that takes.
  __device__ void start() const {
    if (!Dealt || blockIdx.x != 0) return;
    *a_.counter = 0;
    __threadfence();
    ptx::store_relaxed(mark(), a_.launch);
  }
  //! The next number: the first is the block's own.
  __device__ int take() {
    if (takes_++ == 0) return present_;
    if constexpr (!Dealt) return present_ += gridDim.x;
    if (takes_ == 2) {
      while (ptx::load_relaxed(mark()) != a_.launch) {
      }
      __threadfence();
    }
    return present_ = static_cast<int>(gridDim.x + atomicInc(a_.counter, limit()));
  }
  //! Called once, after a number behind the last tile was taken.
  __device__ void finish() const {
    if (Dealt && present_ == static_cast<int>(gridDim.x + limit())) ptx::store_relaxed(mark(), 0);
  }

 private:
  __device__ unsigned limit() const { return a_.tiles - 1; }  // as many requests as tiles: the first are nobody's, the last find nothing
  __device__ std::uint64_t* mark() const { return reinterpret_cast<std::uint64_t*>(a_.counter) + 1; }

  const arguments& a_;
  int present_, takes_ = 0;
};

//! The next tile with queries into a record, or a record that says there is none.
template <tile_shape Shape, mask_kind Mask>
__device__ __forceinline__ void next_tile(const arguments& a, tile_source<Shape.dealt>& tiles, block_shared<Shape>& block, int slot) {
  assignment& work = block.work[slot];
  int tile;
  do {
    tile = tiles.take();
    work.last = -1;
  } while (tile < a.tiles && !assign<Shape, Mask>(a, tile, work));
  if (tile >= a.tiles) {
    work.last = -1;
    tiles.finish();
    return;
  }
  const sequence_mask<Mask> mask(a.mask, work.queries, work.keys);
#pragma unroll 1
  for (int g = 0; g < Shape.groups; ++g) block.parts[slot][g] = part_of<Shape.keys>(mask, work.row + 64 * g, work.queries, work.first);
}

}  // namespace twofold::cuda::attention
