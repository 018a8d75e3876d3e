// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The producer for tensors that the copy engine cannot read: any strides, any alignment, rows of any number of elements. A warpgroup
//! copies element by element into the same swizzled tiles; nobody else knows the difference.
#pragma once

#include "twofold/cuda/attention/scheduler.cuh"
#include "twofold/cuda/ptx/copy.cuh"
#include "twofold/cuda/ptx/sync.cuh"

namespace twofold::cuda::attention {

//! Rows [0, rows) of `columns` elements, of which [0, inside) exist, into panels of 64 columns; what does not exist becomes 0.
template <int Rows, int Panels>
__device__ __forceinline__ void copy_rows(unsigned char* target, const std::uint16_t* from, std::int64_t row_stride, int inside,
                                          int columns, std::uint64_t& full) {
#pragma unroll 1
  for (int i = threadIdx.x; i < Rows * Panels * 8; i += 128) {
    const int row = i / (Panels * 8), chunk = i % (Panels * 8), column = 8 * chunk;
    const std::uint16_t* at = from + row * row_stride + column;
    std::uint32_t words[4];
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      const std::uint32_t low = row < inside && column + 2 * e < columns ? at[2 * e] : 0;
      const std::uint32_t high = row < inside && column + 2 * e + 1 < columns ? at[2 * e + 1] : 0;
      words[e] = low | high << 16;
    }
    *reinterpret_cast<uint4*>(target + chunk / 8 * Rows * 128 + row * 128 + ((chunk % 8) ^ (row % 8)) * 16) =
        uint4{words[0], words[1], words[2], words[3]};
  }
  ptx::fence_proxy_async();
  __syncwarp();
  if (threadIdx.x % 32 == 0) ptx::mbarrier_arrive(&full);
}

template <tile_shape Shape, mask_kind Mask>
__device__ __forceinline__ void gather(const arguments& a, block_shared<Shape>& block, unsigned char* memory) {
  using T = tiling<Shape>;
  ring<Shape.stages> k;
  ring<T::v_stages> v;
  ring<Shape.q_slots> q;
  ring<block_shared<Shape>::records> record;
  tile_source<Shape.dealt> tiles(a);
  if (threadIdx.x == 0) tiles.start();
  for (;;) {
    if (threadIdx.x == 0) {
      next_tile<Shape, Mask>(a, tiles, block, record.slot());
      ptx::mbarrier_arrive(&block.told[record.slot()]);
    }
    ptx::named_sync(1, 128);
    const assignment& work = block.work[record.slot()];
    record.advance();
    if (work.last < 0) return;
    const std::int64_t head = work.head / a.share, k_batch = a.key_offsets ? 0 : work.batch;
    const auto* keys = static_cast<const std::uint16_t*>(a.k_data) + k_batch * a.k_stride.batch + head * a.k_stride.head;
    const auto* values = static_cast<const std::uint16_t*>(a.v_data) + k_batch * a.v_stride.batch + head * a.v_stride.head;
    const auto load_k = [&](int n) {
      ptx::mbarrier_wait(&block.empty_k[k.slot()], k.phase() ^ 1);
      const std::int64_t row = static_cast<std::int64_t>(work.key_base) + n * Shape.keys;
      copy_rows<Shape.keys, T::head_panels>(memory + T::k_at + k.slot() * T::k_bytes, keys + row * a.k_stride.row, a.k_stride.row,
                                            work.keys - n * Shape.keys, a.head_size, block.full_k[k.slot()]);
      k.advance();
    };
    const auto load_v = [&](int n) {
      ptx::mbarrier_wait(&block.empty_v[v.slot()], v.phase() ^ 1);
      const std::int64_t row = static_cast<std::int64_t>(work.key_base) + n * Shape.keys;
      copy_rows<Shape.keys, T::value_panels>(memory + T::v_at + v.slot() * T::v_bytes, values + row * a.v_stride.row, a.v_stride.row,
                                             work.keys - n * Shape.keys, a.value_size, block.full_v[v.slot()]);
      v.advance();
    };
    if (work.last > work.first) load_k(work.last - 1);
    const auto* queries =
        static_cast<const std::uint16_t*>(a.q_data) + (a.query_offsets ? 0 : work.batch * a.q_stride.batch) + work.head * a.q_stride.head;
    for (int g = 0; g < Shape.groups; ++g) {
      const int slot = q.slot() * Shape.groups + g, row = work.row + 64 * g;
      ptx::mbarrier_wait(&block.empty_q[slot], q.phase() ^ 1);
      copy_rows<64, T::head_panels>(memory + slot * T::q_bytes,
                                    queries + (static_cast<std::int64_t>(work.query_base) + row) * a.q_stride.row, a.q_stride.row,
                                    work.queries - row, a.head_size, block.full_q[slot]);
    }
    q.advance();
    for (int n = work.last - 1; n >= work.first; --n) {
      load_v(n);
      if (n > work.first) load_k(n - 1);
    }
  }
}

}  // namespace twofold::cuda::attention
