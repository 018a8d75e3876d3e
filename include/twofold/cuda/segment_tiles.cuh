// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The reduction of ragged rows: every tile answers for the segments that begin and end in it, whatever their lengths; blocks of
//! tiles then join those that reach over tiles. Nobody waits for anybody.
#pragma once

#include "twofold/cuda/block.cuh"
#include "twofold/cuda/ptx/sync.cuh"
#include "twofold/cuda/scan_row.cuh"

namespace twofold::cuda {

template <class R, class In, class Out>
struct segment_job {
  using state = piece<state_of<R>, true>;
  R r;
  In in;
  Out out;
  index n = 0;
  state_of<R> init;
  const index* offsets = nullptr;  //!< pieces + 1 of them
  index pieces = 0;
  index* starts = nullptr;         //!< [tile], and one more: the first offset that is not before the tile
  state* sums = nullptr;           //!< [tile]: what is still open at its end
  state* groups = nullptr;         //!< [group of tiles]: the same
  state_of<R>* ends = nullptr;     //!< [tile]: what the piece that runs into the tile gets from it, where it ends there:
  std::uint32_t* ended = nullptr;  //!< [tile]: 1
};

//! Tiles that one block joins.
inline constexpr int segment_group = 256;

namespace detail {

//! starts[t] = the first k in [0, pieces] with offsets[k] >= t·tile, pieces + 1 if there is none (and for the last entry). Every offset
//! answers for the tiles that begin behind the offset before it; where these are many, its warp does.
inline constexpr int starts_at_once = 4;  // offsets of a thread
template <class Shape, class Job>
__global__ void __launch_bounds__(256) find_starts(const __grid_constant__ Job job, index tiles) {
  constexpr int many = starts_at_once;
  const index base = static_cast<index>(blockIdx.x) * blockDim.x * many + threadIdx.x;
  const int lane = static_cast<int>(threadIdx.x) % 32, step = static_cast<int>(blockDim.x);
  ptx::let_next_kernel_begin();
  index before[many], here[many];
#pragma unroll
  for (int j = 0; j < many; ++j) {
    const index k = base + j * step;
    before[j] = k > 0 && k <= job.pieces + 1 ? job.offsets[k - 1] : -1;
    here[j] = k <= job.pieces ? job.offsets[k] : -1;
  }
#pragma unroll
  for (int j = 0; j < many; ++j) {
    const index k = base + j * step;
    index first = before[j] < 0 ? 0 : before[j] / Shape::tile + 1, last = -1;
    if (k <= job.pieces) last = min(here[j] / Shape::tile, tiles - 1);
    else if (k == job.pieces + 1) first = min(first, tiles), last = tiles;
    const bool together = last - first >= 4;
    if (!together)
      for (index t = first; t <= last; ++t) job.starts[t] = k;
    for (std::uint32_t busy = __ballot_sync(~0u, together); busy != 0; busy &= busy - 1) {
      const int who = __ffs(static_cast<int>(busy)) - 1;
      const index from = __shfl_sync(~0u, first, who), to = __shfl_sync(~0u, last, who), value = __shfl_sync(~0u, k, who);
      for (index t = from + lane; t <= to; t += 32) job.starts[t] = value;
    }
  }
}

//! What lies before a thread's state in its block, and all of the block: in the order of threads. One barrier.
template <class M>
struct block_scan {
  state_of<M> before, all;
};
template <class M>
__device__ __forceinline__ block_scan<M> scan_block(const M& m, const state_of<M>& none, const state_of<M>& v, std::uint32_t* room,
                                                    int warps) {
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  const shared_states<state_of<M>> warp_total{room, 32};
  const state_of<M> inclusive = warp_inclusive(m, v, lane);
  const state_of<M> left = shuffle_up(inclusive, 1);
  if (lane == 31) warp_total.put(warp, inclusive);
  __syncthreads();
  const state_of<M> totals = warp_inclusive(m, warp_total.get(lane % warps), lane);  // lanes from `warps` on: of no use
  state_of<M> before = shuffle_from(totals, warp > 0 ? warp - 1 : 0);
  if (warp == 0) before = none;
  if (lane > 0) before = warp > 0 ? m.combine(before, left) : left;
  return {before, shuffle_from(totals, warps - 1)};
}

//! Offset k and the one before it, as they were read: −1 for k where there is none. Nothing is computed of them before they are needed, so
//! that they may be on their way meanwhile.
struct two_offsets {
  index k = -1, before = -1, here = -1;
};
//! Offset k as a tile sees it: the first one at element `place` of the tile, which may be the first behind it; −1: nothing begins or ends
//! here.
struct boundary {
  index k;
  int place;
  bool empty;  //!< piece k − 1 has no elements, and the tile answers for it
};
//! Which offsets begin or end something in a tile: [from, past].
struct boundaries {
  index from = 0, past = -1;
  template <class Job>
  __device__ __forceinline__ void fetch(const Job& job, index t, index tiles) {
    if (t < tiles) from = max(job.starts[t], index{0}), past = job.starts[t + 1];
  }
  template <class Job>
  __device__ __forceinline__ two_offsets read(const Job& job, index i) const {
    two_offsets x;
    if (const index k = from + i; k <= past && k <= job.pieces) {
      x.k = k, x.here = job.offsets[k];
      if (k > 0) x.before = job.offsets[k - 1];
    }
    return x;
  }
  template <int Tile>
  __device__ __forceinline__ boundary of(const two_offsets& x, index t) const {
    const index place = x.here - t * Tile;
    return {x.k, x.k >= 0 && place >= 0 && place <= Tile && x.before < x.here ? static_cast<int>(place) : -1,
            x.k > 0 && x.k < past && x.before >= x.here};
  }
};

//! Shared memory of a block: of every warp the elements of two tiles, and in the place of one's elements what ends at them, word by word;
//! then a bit an element.
template <class Shape>
struct segment_room {
  using S = decltype(Shape::state::s);
  static constexpr int E = Shape::E, tile = Shape::tile;
  static constexpr int of_states = 128 * E * words<S>::count, of_warp = Shape::slot::bytes > of_states ? Shape::slot::bytes : of_states;
  static constexpr int bytes = 2 * of_warp * Shape::warps + tile / 8 + 4;
  static constexpr int blocks = 3 * (bytes + 1024) <= 227 * 1024 ? 3 : 1;  // of a multiprocessor
  unsigned char* memory;
  __device__ __forceinline__ unsigned char* slot(int stage, int warp) const { return memory + (stage * Shape::warps + warp) * of_warp; }
  __device__ __forceinline__ std::uint32_t* bits() const { return reinterpret_cast<std::uint32_t*>(memory + 2 * of_warp * Shape::warps); }
  //! What ended at element k of a lane's row.
  __device__ __forceinline__ shared_states<S> states(int stage, int warp, int lane, int k) const {
    return {reinterpret_cast<std::uint32_t*>(slot(stage, warp)) + lane + k * 32 * words<S>::count, 32};
  }
};

}  // namespace detail

//! Blocks take tiles round robin: the elements of the next tile, its offsets and where those of the one behind it begin are on their way
//! while a tile is worked on. A lane walks along its elements once and keeps what ends at each of them; where it began before the lane's
//! elements, the lanes before it are added when they are known. Then a thread an offset writes the answers, side by side.
template <class Shape, class Job>
__global__ void __launch_bounds__(Shape::threads, detail::segment_room<Shape>::blocks)
    segment_tiles(const __grid_constant__ Job job, index tiles) {
  using state = typename Shape::state;
  using slot = typename Shape::slot;
  constexpr int E = Shape::E, warps = Shape::warps, tile = Shape::tile, threads = Shape::threads;
  extern __shared__ __align__(128) unsigned char memory[];
  const detail::segment_room<Shape> room{memory};
  std::uint32_t* const marks = room.bits();
  __shared__ std::uint32_t merging[words<state>::count * 32];
  const auto& r = job.r;
  const typename Shape::merge m{r};
  const int t = static_cast<int>(threadIdx.x), lane = t % 32, warp = t / 32, row = t * E;
  const auto load = [&](index number, int stage) {
    if (number < tiles) {
      const index segment = number * tile + warp * 32 * E;
      const std::uint32_t to = ptx::shared_address(room.slot(stage, warp));
      if (segment + 32 * E <= job.n) slot::load(to, job.in, segment, lane);
      else slot::load_some(to, job.in, segment, 0, job.n - segment, lane);
    }
    ptx::async_commit();
  };
  index number = blockIdx.x;
  load(number, 0);
  for (int k = t; k <= tile / 32; k += threads) marks[k] = 0;
  ptx::let_next_kernel_begin();
  ptx::wait_for_kernel_before();
  detail::boundaries here, next;
  here.fetch(job, number, tiles), next.fetch(job, number + gridDim.x, tiles);
  detail::two_offsets mine = here.read(job, t);
  __syncthreads();
#pragma unroll 1
  for (int stage = 0; number < tiles; stage ^= 1) {
    const auto each = [&](const auto& f) {  // of the tile's offsets, those that this thread has
      f(here.template of<tile>(mine, number));
#pragma unroll 1
      for (index i = t + threads; i <= here.past - here.from; i += threads) f(here.template of<tile>(here.read(job, i), number));
    };
    each([&](const detail::boundary& b) {
      if (b.empty) detail::keep_one(job.out, b.k - 1, r.finalize(job.init));
      if (b.place >= 0) atomicOr(&marks[b.place / 32], 1u << b.place % 32);
    });
    __syncthreads();  // and nobody needs the elements of the tile before any more
    load(number + gridDim.x, stage ^ 1);
    const detail::two_offsets coming = next.read(job, t);
    detail::boundaries behind;
    behind.fetch(job, number + 2 * static_cast<index>(gridDim.x), tiles);
    const std::uint64_t two = marks[row / 32] | static_cast<std::uint64_t>(marks[row / 32 + 1]) << 32;
    const auto bits = static_cast<std::uint32_t>(two >> (row % 32)) & (~0u >> (32 - E));  // where pieces begin
    const auto ends = static_cast<std::uint32_t>(two >> (row % 32 + 1)) & (~0u >> (32 - E));
    ptx::async_wait<1>();
    __syncwarp();
    typename Shape::values x;
    slot::read(x, room.slot(stage, warp), lane);
    __syncwarp();
    state_of<decltype(job.r)> s = r.identity();
    const index at = number * tile + row;
    const auto walk = [&](bool all) {
#pragma unroll
      for (int k = 0; k < E; ++k) {
        if (bits >> k & 1) s = job.init;
        if (all || at + k < job.n) detail::scan_push<Shape>(r, s, x, k, at + k);
        if (ends >> k & 1) room.states(stage, warp, lane, k).put(0, s);
      }
    };
    if (at - lane * E + 32 * E <= job.n) walk(true);
    else walk(false);
    const auto around = detail::scan_block(m, state{r.identity(), 0}, state{s, bits != 0}, merging, warps);
    if (t == 0) job.sums[number] = around.all, job.ended[number] = 0;
    if (ends != 0)
      if (const int k = __ffs(static_cast<int>(ends)) - 1; (bits << (31 - k)) == 0) {  // it began before this row
        const auto end = room.states(stage, warp, lane, k);
        end.put(0, r.combine(around.before.s, end.get(0)));
      }
    for (int k = t; k <= tile / 32; k += threads) marks[k] = 0;
    __syncthreads();
    each([&](const detail::boundary& b) {
      if (b.place <= 0 || b.k == 0) return;  // answered by the tile before; nothing ends
      const int e = b.place - 1;
      const auto whole = room.states(stage, e / (32 * E), e / E % 32, e % E).get(0);
      if (b.k == here.from) job.ends[number] = whole, job.ended[number] = 1;  // it began before this tile
      else detail::keep_one(job.out, b.k - 1, r.finalize(whole));
    });
    here = next, next = behind, mine = coming, number += gridDim.x;
  }
}

//! What is open at the end of each group of tiles.
template <class Job>
__global__ void __launch_bounds__(segment_group) sum_tiles(const __grid_constant__ Job job, index tiles) {
  using state = typename Job::state;
  __shared__ std::uint32_t room[words<state>::count * 32];
  const piece_merge<std::remove_cvref_t<decltype(job.r)>, true> m{job.r};
  ptx::let_next_kernel_begin();
  ptx::wait_for_kernel_before();
  const index k = static_cast<index>(blockIdx.x) * segment_group + threadIdx.x;
  const state none{job.r.identity(), 0};
  const auto around = detail::scan_block(m, none, k < tiles ? job.sums[k] : none, room, segment_group / 32);
  if (threadIdx.x == 0) job.groups[blockIdx.x] = around.all;
}

//! Pieces that reach over tiles: a block answers for those that end in its group.
template <class Job>
__global__ void __launch_bounds__(segment_group) join_segments(const __grid_constant__ Job job, index tiles) {
  using state = typename Job::state;
  __shared__ std::uint32_t room[2][words<state>::count * 32];
  const auto& r = job.r;
  const piece_merge<std::remove_cvref_t<decltype(job.r)>, true> m{r};
  const state none{r.identity(), 0};
  ptx::wait_for_kernel_before();
  const index groups = blockIdx.x, each = (groups + segment_group - 1) / segment_group, first = each * threadIdx.x;
  state carry = none;  // of the groups before this one
  for (index g = first; g < first + each && g < groups; ++g) carry = m.combine(carry, job.groups[g]);
  carry = detail::scan_block(m, none, carry, room[0], segment_group / 32).all;
  const index k = groups * segment_group + threadIdx.x;
  const auto around = detail::scan_block(m, none, k < tiles ? job.sums[k] : none, room[1], segment_group / 32);
  if (k >= tiles || job.ended[k] == 0) return;
  const state into = threadIdx.x > 0 ? m.combine(carry, around.before) : carry;
  detail::keep_one(job.out, job.starts[k] - 1, r.finalize(r.combine(into.s, job.ends[k])));
}

}  // namespace twofold::cuda
