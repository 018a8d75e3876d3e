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

//! starts[t] = the first k in [0, pieces] with offsets[k] >= t·tile, pieces + 1 if there is none (and for the last entry). A warp a tile:
//! 32 places are looked at together.
template <class Job>
__global__ void find_starts(const __grid_constant__ Job job, int tile, index tiles) {
  const index t = (static_cast<index>(blockIdx.x) * blockDim.x + threadIdx.x) / 32;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  ptx::let_next_kernel_begin();
  if (t > tiles) return;
  index low = 0, high = job.pieces + 1;  // the answer is in [low, high]
  if (t == tiles) low = high;
  while (low < high) {
    const index step = (high - low + 32) / 33, at = low + step * (lane + 1) - 1;
    const int before = __popc(__ballot_sync(~0u, at < high && job.offsets[at] < t * tile));
    if (before < 32) high = min(high, low + step * (before + 1) - 1);
    low += step * before;
  }
  if (lane == 0) job.starts[t] = low;
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

//! f(k, place) for the offsets of a tile at which something begins or ends: offset k is the first one at element `place` of the tile, which
//! may be the first behind it. All threads. Empty pieces are answered where `answer` says so.
template <int Tile, class Job, class F>
__device__ __forceinline__ void each_boundary(const Job& job, index t, index from, index past, bool answer, const F& f) {
  for (index k = from + threadIdx.x; k <= past && k <= job.pieces; k += blockDim.x) {
    const index here = job.offsets[k], place = here - t * Tile, before = k > 0 ? job.offsets[k - 1] : -1;
    if (answer && k < past && k > 0 && before >= here) keep_one(job.out, k - 1, job.r.finalize(job.init));
    if (place >= 0 && place <= Tile && before < here) f(k, static_cast<int>(place));
  }
}

//! Shared memory of a tile: of every warp the elements, and in their place what ends at them, word by word; then a bit an element.
template <class Shape>
struct segment_room {
  using S = decltype(Shape::state::s);
  static constexpr int E = Shape::E, tile = Shape::tile;
  static constexpr int of_states = 128 * E * words<S>::count, of_warp = Shape::slot::bytes > of_states ? Shape::slot::bytes : of_states;
  static constexpr int bytes = of_warp * Shape::warps + tile / 8 + 4;
  static constexpr int blocks = 4 * bytes <= 220 * 1024 ? 4 : 2;  // of a multiprocessor
  unsigned char* memory;
  __device__ __forceinline__ unsigned char* slot(int warp) const { return memory + warp * of_warp; }
  __device__ __forceinline__ std::uint32_t* bits() const { return reinterpret_cast<std::uint32_t*>(memory + of_warp * Shape::warps); }
  //! What ended at element e of the tile.
  __device__ __forceinline__ shared_states<S> states(int e) const {
    return {reinterpret_cast<std::uint32_t*>(slot(e / (32 * E))) + e % E * 32 * words<S>::count + e / E % 32, 32};
  }
};

}  // namespace detail

//! One block a tile. A lane walks along its elements once and keeps what ends at each of them; where it began before the lane's elements,
//! the lanes before it are added when they are known. Then a thread an offset writes the answers, side by side.
template <class Shape, class Job>
__global__ void __launch_bounds__(Shape::threads, detail::segment_room<Shape>::blocks) segment_tiles(const __grid_constant__ Job job) {
  using state = typename Shape::state;
  using slot = typename Shape::slot;
  constexpr int E = Shape::E, warps = Shape::warps, tile = Shape::tile;
  extern __shared__ __align__(128) unsigned char memory[];
  const detail::segment_room<Shape> room{memory};
  std::uint32_t* const marks = room.bits();
  __shared__ std::uint32_t merging[words<state>::count * 32];
  const auto& r = job.r;
  const typename Shape::merge m{r};
  const int t = static_cast<int>(threadIdx.x), lane = t % 32, warp = t / 32, row = t * E;
  const index number = blockIdx.x, at = number * tile, segment = at + warp * 32 * E;
  unsigned char* const mine = room.slot(warp);
  if (segment + 32 * E <= job.n) slot::load(ptx::shared_address(mine), job.in, segment, lane);
  else slot::load_some(ptx::shared_address(mine), job.in, segment, 0, job.n - segment, lane);
  ptx::async_commit();
  ptx::let_next_kernel_begin();
  ptx::wait_for_kernel_before();
  const index from = job.starts[number], past = job.starts[number + 1];
  for (int k = t; k <= tile / 32; k += Shape::threads) marks[k] = 0;
  __syncthreads();
  detail::each_boundary<tile>(job, number, from, past, true, [&](index, int p) { atomicOr(&marks[p / 32], 1u << p % 32); });
  ptx::async_wait<0>();
  __syncthreads();
  const std::uint64_t two = marks[row / 32] | static_cast<std::uint64_t>(marks[row / 32 + 1]) << 32;
  const auto bits = static_cast<std::uint32_t>(two >> (row % 32)) & (~0u >> (32 - E));  // where pieces begin
  const auto ends = static_cast<std::uint32_t>(two >> (row % 32 + 1)) & (~0u >> (32 - E));
  typename Shape::values x;
  slot::read(x, mine, lane);
  __syncwarp();
  state_of<decltype(job.r)> s = r.identity();
  const auto walk = [&](bool all) {
#pragma unroll
    for (int k = 0; k < E; ++k) {
      if (bits >> k & 1) s = job.init;
      if (all || at + row + k < job.n) detail::scan_push<Shape>(r, s, x, k, at + row + k);
      if (ends >> k & 1) room.states(row + k).put(0, s);
    }
  };
  if (segment + 32 * E <= job.n) walk(true);
  else walk(false);
  const auto around = detail::scan_block(m, state{r.identity(), 0}, state{s, bits != 0}, merging, warps);
  if (t == 0) job.sums[number] = around.all;
  if (ends != 0)
    if (const int k = __ffs(static_cast<int>(ends)) - 1; (bits << (31 - k)) == 0) {  // it began before this row
      const auto end = room.states(row + k);
      end.put(0, r.combine(around.before.s, end.get(0)));
    }
  if (t == 0) job.ended[number] = 0;
  __syncthreads();
  detail::each_boundary<tile>(job, number, from, past, false, [&](index k, int p) {
    if (p == 0 || k == 0) return;  // answered by the tile before; nothing ends
    const auto whole = room.states(p - 1).get(0);
    if (k == from) job.ends[number] = whole, job.ended[number] = 1;  // it began before this tile
    else detail::keep_one(job.out, k - 1, r.finalize(whole));
  });
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
