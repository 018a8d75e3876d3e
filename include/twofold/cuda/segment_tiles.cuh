// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The reduction of ragged rows: every tile answers for the segments that begin and end in it, whatever their lengths; one block then
//! joins those that reach over tiles. Nobody waits for anybody.
#pragma once

#include "twofold/cuda/block.cuh"
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
  state* sums = nullptr;           //!< [tile]: what is still open at its end, and the number of that piece plus one
  state_of<R>* ends = nullptr;     //!< [tile]: what the piece that runs into the tile gets from it, where it ends there:
  std::uint32_t* ended = nullptr;  //!< [tile]: 1
  bool in_vectors = false;
};

namespace detail {

inline constexpr std::uint32_t no_piece = 0xffffffffu;  // the mark of elements outside of all segments

//! starts[t] = the first k in [0, pieces] with offsets[k] >= t·tile, pieces + 1 if there is none (and for the last entry).
template <class Job>
__global__ void find_starts(const __grid_constant__ Job job, int tile, index tiles) {
  const index t = static_cast<index>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (t > tiles) return;
  index low = 0, high = t == tiles ? 0 : job.pieces + 1;
  if (t == tiles) low = high = job.pieces + 1;
  while (low < high) {
    const index middle = low + (high - low) / 2;
    if (job.offsets[middle] < t * tile) low = middle + 1;
    else high = middle;
  }
  job.starts[t] = low;
}

//! Where pieces begin in a tile: a bit an element, and their numbers counted from the tile's first.
template <int Tile>
struct tile_marks {
  std::uint32_t bits[Tile / 32 + 1];
  std::uint16_t numbers[Tile];
  static constexpr std::uint16_t none = 0xffff, far = 0xfffe;  // outside of all segments; too many empty ones before it: search

  //! All threads. Empty pieces are answered here. Follow with a barrier.
  template <class Job>
  __device__ __forceinline__ void set(const Job& job, index t, index from, index past) {
    const index at = t * Tile;
    for (index k = from + threadIdx.x; k < past; k += blockDim.x) {
      const index here = job.offsets[k];
      if (k < job.pieces && job.offsets[k + 1] <= here) {
        keep_one(job.out, k, job.r.finalize(job.init));
      } else if (const index p = here - at; p >= 0 && p < Tile && here < job.n) {
        numbers[p] = k == job.pieces ? none : k - from < far ? static_cast<std::uint16_t>(k - from) : far;
        atomicOr(&bits[p / 32], 1u << p % 32);
      }
    }
    if (threadIdx.x == 0) bits[Tile / 32] = past <= job.pieces && job.offsets[past] == at + Tile;
  }
  //! The number plus one of the piece that begins at element p of the tile.
  template <class Job>
  __device__ __forceinline__ std::uint32_t number(const Job& job, index t, index from, int p) const {
    if (numbers[p] == none) return no_piece;
    return static_cast<std::uint32_t>(numbers[p] == far ? piece_at(job, t * Tile + p) : from + numbers[p]) + 1;
  }
};

//! Bytes of shared memory of a tile.
template <class Shape>
inline constexpr int segment_shared = Shape::slot::bytes* Shape::warps + static_cast<int>(sizeof(tile_marks<Shape::tile>));

}  // namespace detail

//! One block a tile.
template <class Shape, class Job>
__global__ void __launch_bounds__(Shape::threads, 1536 / Shape::threads) segment_tiles(const __grid_constant__ Job job) {
  using state = typename Shape::state;
  using slot = typename Shape::slot;
  constexpr int E = Shape::E, warps = Shape::warps, tile = Shape::tile;
  extern __shared__ __align__(128) unsigned char memory[];
  auto& marks = *reinterpret_cast<detail::tile_marks<tile>*>(memory + warps * slot::bytes);
  __shared__ std::uint32_t room[words<state>::count * 32];
  const shared_states<state> warp_total{room, 32};
  const auto& r = job.r;
  const typename Shape::merge m{r};
  const int t = static_cast<int>(threadIdx.x), lane = t % 32, warp = t / 32, row = t * E;
  const index number = blockIdx.x, at = number * tile, segment = at + warp * 32 * E;
  unsigned char* const mine = memory + warp * slot::bytes;
  if (job.in_vectors && segment + 32 * E <= job.n) slot::load(ptx::shared_address(mine), job.in, segment, lane);
  else slot::load_some(ptx::shared_address(mine), job.in, segment, 0, job.n - segment, lane);
  ptx::async_commit();
  for (int k = t; k < tile / 32; k += Shape::threads) marks.bits[k] = 0;
  if (t == 0) job.ended[number] = 0;
  const index from = job.starts[number], past = job.starts[number + 1];
  __syncthreads();
  marks.set(job, number, from, past);
  ptx::async_wait<0>();
  __syncthreads();
  const std::uint64_t two = marks.bits[row / 32] | static_cast<std::uint64_t>(marks.bits[row / 32 + 1]) << 32;
  const auto bits = static_cast<std::uint32_t>(two >> (row % 32)) & ((2u << E) - 1);  // of the row, and of what follows it
  const std::uint32_t heads_here = bits & ((1u << E) - 1);
  state v;
  if (segment + 32 * E <= job.n) {
    typename Shape::values x;
    slot::read(x, mine, lane);
    v = detail::fold_row<Shape>(r, job.init, x, heads_here, at + row);
  } else {
    v = detail::fold_tail<Shape>(r, job.init, mine, lane, heads_here, at + row, job.n);
  }
  v.head = heads_here ? static_cast<std::uint32_t>(row + 32 - __clz(static_cast<int>(heads_here))) : 0;  // place of the last head, plus one
  const state inclusive = warp_inclusive(m, v, lane);
  const state left = shuffle_up(inclusive, 1);
  if (lane == 31) warp_total.put(warp, inclusive);
  __syncthreads();
  const state all = warp_inclusive(m, warp_total.get(lane % warps), lane, warps);
  state into = shuffle_from(all, warp > 0 ? warp - 1 : 0);
  const state sum = shuffle_from(all, warps - 1);
  if (warp == 0) into.s = r.identity(), into.head = 0;
  if (lane > 0) into = warp > 0 ? m.combine(into, left) : left;
  const auto number_of = [&](std::uint32_t place) { return marks.number(job, number, from, static_cast<int>(place) - 1); };
  if (t == 0) job.sums[number] = {sum.s, sum.head ? number_of(sum.head) : 0};
  const index left_over = job.n - at - row;  // elements from the row's first on
  if (bits >> 1 == 0 && left_over > E) return;
  state_of<decltype(job.r)> s = into.s;
  std::uint32_t place = into.head;
  for (int k = 0; k < E && k < left_over; ++k) {
    if (bits >> k & 1) s = job.init, place = static_cast<std::uint32_t>(row + k + 1);
    detail::push_slot<Shape>(r, s, mine, lane * E + k, at + row + k);
    if (!(bits >> (k + 1) & 1) && k + 1 != left_over) continue;
    if (place == 0) {
      job.ends[number] = s, job.ended[number] = 1;
    } else if (const std::uint32_t piece = number_of(place); piece != detail::no_piece) {
      detail::keep_one(job.out, static_cast<index>(piece) - 1, r.finalize(s));
    }
  }
}

//! One block of 1024 threads: pieces that reach over tiles.
template <class Job>
__global__ void __launch_bounds__(1024, 1) join_segments(const __grid_constant__ Job job, index tiles) {
  using state = typename Job::state;
  __shared__ std::uint32_t room[words<state>::count * 32];
  const shared_states<state> warp_total{room, 32};
  const auto& r = job.r;
  const piece_merge<std::remove_cvref_t<decltype(job.r)>, true> m{r};
  const int t = static_cast<int>(threadIdx.x), lane = t % 32, warp = t / 32;
  const index each = (tiles + 1023) / 1024, first = each * t, last = first + each < tiles ? first + each : tiles;
  state v{r.identity(), 0};
  for (index k = first; k < last; ++k) v = m.combine(v, job.sums[k]);
  const state inclusive = warp_inclusive(m, v, lane);
  const state left = shuffle_up(inclusive, 1);
  if (lane == 31) warp_total.put(warp, inclusive);
  __syncthreads();
  const state all = warp_inclusive(m, warp_total.get(lane), lane);
  state into = shuffle_from(all, warp > 0 ? warp - 1 : 0);
  if (warp == 0) into.s = r.identity(), into.head = 0;
  if (lane > 0) into = warp > 0 ? m.combine(into, left) : left;
  for (index k = first; k < last; ++k) {
    if (job.ended[k] && into.head != 0 && into.head != detail::no_piece)
      detail::keep_one(job.out, static_cast<index>(into.head) - 1, r.finalize(r.combine(into.s, job.ends[k])));
    into = m.combine(into, job.sums[k]);
  }
}

}  // namespace twofold::cuda
