// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The producer: one thread that keeps the rings of Q, K and V full, tile after tile without a pause. Another finds out which tile is
//! next, while the copies of the present one are on their way: that takes a microsecond.
#pragma once

#include "twofold/cuda/attention/scheduler.cuh"
#include "twofold/cuda/ptx/copy.cuh"

namespace twofold::cuda::attention {

//! Writes record after record; the first lies there before anybody could wait for it.
template <tile_shape Shape, mask_kind Mask>
__device__ __forceinline__ void plan_tiles(const arguments& a, tile_source<Shape.dealt>& tiles, block_shared<Shape>& block) {
  ring<block_shared<Shape>::records> record;
  for (std::uint32_t phase = 0;; phase ^= 1) {
    const bool more = block.work[record.slot()].last >= 0;
    ptx::mbarrier_arrive(&block.told[record.slot()]);
    if (!more) return;
    record.advance();
    ptx::mbarrier_wait(&block.wanted, phase);
    next_tile<Shape, Mask>(a, tiles, block, record.slot());
  }
}

template <tile_shape Shape, mask_kind Mask>
__device__ __forceinline__ void produce(const arguments& a, block_shared<Shape>& block, unsigned char* memory) {
  using T = tiling<Shape>;
  ring<Shape.stages> k;
  ring<T::v_stages> v;
  ring<Shape.q_slots> q;
  ring<block_shared<Shape>::records> record;
  for (;;) {
    ptx::mbarrier_wait(&block.told[record.slot()], record.phase());
    const assignment& work = block.work[record.slot()];
    if (work.last < 0) return;
    record.advance();
    const bool any = work.last > work.first;
    const int head = work.head / a.share, k_batch = a.key_offsets ? 0 : work.batch, first = work.first;
    int n = work.last - 1, key = work.key_base + n * Shape.keys;
    const auto load = [&](const CUtensorMap& map, int panels, int at, int bytes, std::uint64_t& full) {
      ptx::mbarrier_arrive_expect(&full, bytes);
      for (int i = 0; i < panels; ++i) ptx::tensor_load(memory + at + i * Shape.keys * 128, &map, i * 64, key, head, k_batch, &full);
    };
    const auto load_k = [&] {
      ptx::mbarrier_wait(&block.empty_k[k.slot()], k.phase() ^ 1);
      load(a.k, T::head_panels, T::k_at + k.slot() * T::k_bytes, T::k_bytes, block.full_k[k.slot()]);
      k.advance();
    };
    const int q_batch = a.query_offsets ? 0 : work.batch;
    if (any) load_k();  // before Q: nobody waits for a slot of K for long
    for (int g = 0; g < Shape.groups; ++g) {
      const int slot = q.slot() * Shape.groups + g;
      ptx::mbarrier_wait(&block.empty_q[slot], q.phase() ^ 1);
      if (!any) {
        ptx::mbarrier_arrive(&block.full_q[slot]);
        continue;
      }
      ptx::mbarrier_arrive_expect(&block.full_q[slot], T::q_bytes);
      for (int i = 0; i < T::head_panels; ++i)
        ptx::tensor_load(memory + slot * T::q_bytes + i * 64 * 128, &a.q, i * 64, work.query_base + work.row + g * 64, work.head, q_batch,
                         &block.full_q[slot]);
    }
    q.advance();
    ptx::mbarrier_arrive(&block.wanted);  // the outputs before this tile's queries are written: their record is free
    if (!any) continue;
    for (;; --n) {
      ptx::mbarrier_wait(&block.empty_v[v.slot()], v.phase() ^ 1);
      load(a.v, T::value_panels, T::v_at + v.slot() * T::v_bytes, T::v_bytes, block.full_v[v.slot()]);
      v.advance();
      if (n == first) break;
      key -= Shape.keys;
      load_k();
    }
  }
}

}  // namespace twofold::cuda::attention
