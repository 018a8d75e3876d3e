// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Long rows held by a block or a cluster that stays: the copy engine fetches the next rows into shared memory while this one is
//! reduced and mapped in registers, so that waiting for one another costs no bandwidth (sm_90).
#pragma once

#include "twofold/cuda/ptx/copy.cuh"
#include "twofold/cuda/row_kernels.cuh"

namespace twofold::cuda::kernels {

//! Bytes of shared memory besides the stages: their barriers, then what row_state exchanges (rows alternate between two rooms).
template <class R, class Tile>
__host__ __device__ constexpr int ring_room(int warps, int blocks) {
  return (128 + 4 * row_room<R, Tile>(warps, blocks, 2) + 127) / 128 * 128;
}

//! One block's slice of a row as a row of its own.
template <class In>
struct row_slice {
  typename row_walk<In>::tile piece;
  //! Slots of 16 bytes that lie wholly inside: [first, last) of the slice.
  int first, last;
  __device__ __forceinline__ row_slice(const row_source<In>& in, index row, int rank, int per_block) {
    constexpr int E = per_vector<In>;
    const In* const data = in.data + row * in.pitch;
    const row_walk<In> walk{data, misalignment(data), in.columns};
    piece = walk.at(rank, per_block * E);
    if (piece.count < 0) piece.count = 0;
    first = piece.head > 0;
    last = piece.count > 0 ? (piece.count + piece.head) / E : 0;
    if (last < first) last = first;
  }
};

//! @brief  Rows that a team of whole warps holds in registers, `stages` slices of 16·slice_slots bytes ahead.
//! The grid is as many clusters as are resident; cluster c has rows c, c + clusters, ….
template <int V, class R, class In, class Then>
__global__ void __launch_bounds__(1024, 1)
    rows_ring(const R r, const row_source<In> in, const team t, const int slice_slots, const int stages, const Then then) {
#if __CUDA_ARCH__ >= 900
  using tile = anchored_tile<R, In, V, absence::none>;
  constexpr int E = per_vector<In>;
  extern __shared__ __align__(128) uint4 ring_memory[];
  std::uint64_t* const full = reinterpret_cast<std::uint64_t*>(ring_memory);
  std::uint32_t* const exchange = reinterpret_cast<std::uint32_t*>(ring_memory + 8);
  uint4* const stage_memory = ring_memory + ring_room<R, tile>(t.warps, t.blocks) / 16;
  const int rank = t.blocks > 1 ? cluster_rank() : 0, threads = t.warps * 32, thread = threadIdx.x;
  const index clusters = gridDim.x / t.blocks, first_row = blockIdx.x / t.blocks;
  const auto fetch = [&](index k) {  // row number k of this cluster, by one thread
    const index row = first_row + k * clusters;
    if (row >= in.rows) return;
    const row_slice<In> s(in, row, rank, slice_slots);
    const int stage = static_cast<int>(k % stages), bytes = (s.last - s.first) * 16;
    ptx::mbarrier_arrive_expect(&full[stage], bytes);
    if (bytes > 0)
      ptx::bulk_load(stage_memory + stage * slice_slots + s.first, s.piece.data - s.piece.head + static_cast<index>(s.first) * E, bytes,
                     &full[stage]);
  };
  if (thread == 0) {
    for (int s = 0; s < stages; ++s) ptx::mbarrier_init(&full[s], 1);
    ptx::fence_mbarrier_init();
    if (t.blocks > 1) prepare_row_room<R>(exchange, 2);
  }
  __syncthreads();
  if (thread == 0)
    for (int s = 0; s < stages; ++s) fetch(s);
  if (t.blocks > 1) {
    cluster_arrive();
    cluster_wait();
  }
  index k = 0;
  for (index row = first_row; row < in.rows; row += clusters, ++k) {
    const row_slice<In> s(in, row, rank, slice_slots);
    const slots_of_thread slots =
        is_commutative<R> ? slots_of_thread{thread, threads, s.piece.head} : slots_of_thread{thread * V, 1, s.piece.head};
    const int stage = static_cast<int>(k % stages);
    const uint4* const from = stage_memory + stage * slice_slots;
    uint4 raw[V];
    const auto part = part_of_thread<R, V, In>(raw, slots, threads, s.piece.data, s.piece.count, s.piece.origin);
    const bool whole = s.first == 0 && s.piece.count == threads * V * E;
    if (!whole) {
      const uint4 absent = filler_behind<R, In>();
      int at = slots.first * E - s.piece.head;
#pragma unroll
      for (int v = 0; v < V; ++v) raw[v] = absent;
#pragma unroll
      for (int v = 0; v < V; ++v, at += slots.step * E)  // ragged ends come straight from the row, and are asked for before the wait
        if (at + E > 0 && at < s.piece.count && (at < 0 || at + E > s.piece.count)) {
          bundle<In, E> some;
          memcpy(&some, &absent, 16);
#pragma unroll
          for (int e = 0; e < E; ++e)
            if (at + e >= 0 && at + e < s.piece.count) some.x[e] = s.piece.data[at + e];
          memcpy(&raw[v], &some, 16);
        }
    }
    then.ask(row);
    ptx::mbarrier_wait(&full[stage], static_cast<std::uint32_t>(k / stages) & 1);
#pragma unroll
    for (int v = 0; v < V; ++v) {
      const int slot = slots.first + v * slots.step;
      if (whole || (slot >= s.first && slot < s.last)) raw[v] = from[slot];
    }
    __syncthreads();  // the stage is in registers: refill it
    if (thread == 0) fetch(k + stages);
    const state_of<R> state = row_state<R, tile>(r, part, t, exchange, 2, k);
    then.template on_chip<V, R, In>(r, state, row, rank == 0 && thread == 0, raw, slots, s.piece.count, s.piece.origin);
  }
#endif
}

}  // namespace twofold::cuda::kernels
