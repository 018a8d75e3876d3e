// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file What the host hands to an attention kernel, and what the warpgroups of a block share.
#pragma once

#include <cuda.h>

#include <cstdint>

#include "twofold/cuda/attention/cap.hpp"
#include "twofold/cuda/attention/mask.cuh"
#include "twofold/cuda/attention/problem.hpp"
#include "twofold/cuda/attention/softmax.cuh"
#include "twofold/cuda/attention/tiles.cuh"
#include "twofold/cuda/ptx/mbarrier.cuh"

namespace twofold::cuda::attention {

//! A kernel parameter: maps of the copy engine, then the problem in the kernel's own words.
struct arguments {
  CUtensorMap q, k, v;
  const void *q_data, *k_data, *v_data;
  attention_strides q_stride, k_stride, v_stride;
  void* out;
  attention_strides out_stride;
  float *lse_ln, *lse_log2, *state_at, *state_l, *state_o;
  const std::int32_t *key_lengths, *key_starts, *query_offsets, *key_offsets;
  const float *sinks, *alibi_slopes, *bias;
  attention_strides bias_stride;
  std::int64_t bias_column;
  mask_rule mask;
  score_scale scale;
  float factor;  //!< log2(e)·score_factor, where scores are changed
  soft_cap cap;
  int batch, heads, share;  //!< query heads, and how many of them read one kv head
  int queries, keys, head_size, value_size;
  std::int64_t dense_rows;        //!< rows of a head in the dense outputs
  int blocks, head_group, tiles;  //!< row blocks of a head; heads whose keys stay in L2 together; all tiles
  std::uint32_t* counter;         //!< deals tiles; 8 bytes behind it the mark that it is clear
  std::uint64_t launch;           //!< no other launch has this number
};

//! The tiles of keys that a warpgroup's rows see: [first, last); of them the last `edges & 15` and the first `edges >> 4` need a look at
//! elements.
struct alignas(16) key_range {
  int first, last;
  unsigned edges;

  __device__ bool any() const { return last > first; }
  __device__ bool crosses_end(int tile) const { return tile >= last - static_cast<int>(edges & 15); }
  __device__ bool crosses_begin(int tile) const { return tile < first + static_cast<int>(edges >> 4); }
};

//! One tile as its producer describes it: query rows from `row`, key tiles [first, last) of the block; last < 0: no more work.
struct alignas(16) assignment {
  int batch, head, row, queries, keys, query_base, key_base, first, last, tile;
  int skipped;                    // keys before the first in use
  float slope;                    // of ALiBi, in log2 units
  std::int64_t out_at, dense_at;  // elements before the first row in `out`; rows before it in the dense outputs
};

//! The tiles that a warp must visit again, as a list through the spoilt outputs themselves: no memory, no limit (repair.cuh).
struct repair_list {
  int tile, row;  // the last noted, or −1: its row holds the one before

  //! Rows are aligned to their elements only.
  __device__ void put(void* memory) const {
    auto* words = static_cast<std::uint16_t*>(memory);
    words[0] = static_cast<std::uint16_t>(tile), words[1] = static_cast<std::uint16_t>(tile >> 16);
    words[2] = static_cast<std::uint16_t>(row), words[3] = static_cast<std::uint16_t>(row >> 16);
  }
  __device__ static repair_list at(const void* memory) {
    const auto* words = static_cast<const std::uint16_t*>(memory);
    return {words[0] | words[1] << 16, words[2] | words[3] << 16};
  }
};

template <tile_shape Shape>
struct block_shared {
  static constexpr int queries = Shape.q_slots * Shape.groups;
  // Record t + 1 is written once the queries of tile t − q_slots are released. Their output is yet to be written then, and where a softmax
  // goes ahead of outputs, that of the tile before it as well.
  static constexpr int records = Shape.q_slots == 1 ? 4 : 8;
  static_assert(records >= Shape.q_slots + 2 + (Shape.q_slots > 1 && Shape.ahead));
  std::uint64_t full_q[queries], empty_q[queries], told[records], wanted;
  std::uint64_t full_k[Shape.stages], empty_k[Shape.stages], full_v[tiling<Shape>::v_stages], empty_v[tiling<Shape>::v_stages];
  assignment work[records];
  key_range parts[records][Shape.groups];  // of each warpgroup
  repair_list spoilt[4 * Shape.groups];

  //! Called by one thread. Every warp of a reader says itself that it is done.
  __device__ void initialise() {
    constexpr int writers = Shape.gathered ? 4 : 1;
    for (int i = 0; i < queries; ++i) ptx::mbarrier_init(&full_q[i], writers), ptx::mbarrier_init(&empty_q[i], 4);
    for (int i = 0; i < records; ++i) ptx::mbarrier_init(&told[i], 1);
    ptx::mbarrier_init(&wanted, 1);
    for (int i = 0; i < Shape.stages; ++i) ptx::mbarrier_init(&full_k[i], writers), ptx::mbarrier_init(&empty_k[i], 4 * Shape.groups);
    for (int i = 0; i < tiling<Shape>::v_stages; ++i)
      ptx::mbarrier_init(&full_v[i], writers), ptx::mbarrier_init(&empty_v[i], 4 * Shape.groups);
    for (repair_list& list : spoilt) list.tile = -1;
    ptx::fence_mbarrier_init();
  }
};

//! All dynamic shared memory of a block; the tiles begin at a multiple of 1024 bytes.
template <tile_shape Shape>
constexpr int shared_bytes = tiling<Shape>::block_at + static_cast<int>(sizeof(block_shared<Shape>)) + 1024;

//! A place in a ring of barriers: which slot, and the parity of its current phase. A power of two of slots needs one register.
template <int Slots>
class ring {
  static constexpr bool power = (Slots & (Slots - 1)) == 0;
  unsigned count_ = 0, turns_ = 0;

 public:
  __device__ int slot() const { return static_cast<int>(power ? count_ % Slots : count_); }
  __device__ std::uint32_t phase() const { return power ? count_ / Slots & 1 : turns_; }
  __device__ void advance() {
    ++count_;
    if (!power && count_ == Slots) count_ = 0, turns_ ^= 1;
  }
};

}  // namespace twofold::cuda::attention
