// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The state of a whole array, for operators that come as text: blocks fold tiles dealt round robin, then one block folds what they
//! leave. Nothing of the operator is assumed beyond its laws; its order is kept unless it says that it commutes.
#pragma once

#include "twofold/cuda/scan_waves.cuh"

namespace twofold::cuda {

template <class R, class In>
struct fold_job {
  R r;
  In in;
  index n = 0;
  state_of<R>* states = nullptr;  //!< one a tile, or one a block where the operator commutes
};

//! Sizes that the compiler knows.
template <class R, class In>
struct fold_shape;
template <class R, class... X>
struct fold_shape<R, arrays<const X...>> {
  static constexpr int element = total_size(sizeof(X)...);
  static constexpr int E = element <= 4 ? 32 : element <= 8 ? 16 : element <= 16 ? 8 : element <= 32 ? 4 : 2;
  static constexpr int warps = 16, threads = warps * 32, tile = threads * E, stages = 3;
  static constexpr bool indexed = !reduces<R, X...>, reverse = false, marked = false;
  using slot = rows_slot<E, const X...>;
  using values = row_values<E, X...>;
  static constexpr int shared_bytes = slot::bytes * warps * stages;
};

//! @cost one read of the arrays; a merge a lane and tile. 16 warps a block, one block a multiprocessor
template <class R, class In>
__device__ __forceinline__ void fold_tiles(const fold_job<R, In>& job) {
  using shape = fold_shape<R, In>;
  using slot = typename shape::slot;
  constexpr int E = shape::E, warps = shape::warps, stages = shape::stages;
  constexpr bool free = is_commutative<R>;
  extern __shared__ __align__(128) unsigned char memory[];
  __shared__ __align__(16) unsigned char room[2 * warps * sizeof(state_of<R>)];
  state_of<R>* warp_state = reinterpret_cast<state_of<R>*>(room);  // of even tiles, then of odd ones
  const R& r = job.r;
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  const index tiles = (job.n + shape::tile - 1) / shape::tile, step = gridDim.x;
  unsigned char* const mine = memory + warp * stages * slot::bytes;
  const auto load = [&](index tile, int stage) {
    const index at = tile * shape::tile + warp * 32 * E;
    const std::uint32_t to = ptx::shared_address(mine + stage * slot::bytes);
    if (tile < tiles) {
      if (at + 32 * E <= job.n) slot::load(to, job.in, at, lane);
      else slot::load_some(to, job.in, at, 0, job.n - at, lane);
    }
    ptx::async_commit();
  };
  for (int s = 0; s < stages - 1; ++s) load(blockIdx.x + s * step, s);
  state_of<R> v = r.identity();
  int stage = 0, turn = 0;
  for (index tile = blockIdx.x; tile < tiles; tile += step) {
    ptx::async_wait<stages - 2>();
    __syncwarp();
    load(tile + (stages - 1) * step, stage == 0 ? stages - 1 : stage - 1);
    const unsigned char* const here = mine + stage * slot::bytes;
    const index segment = tile * shape::tile + warp * 32 * E, at = segment + lane * E;
    state_of<R> s;
    if (segment + 32 * E <= job.n) {
      typename shape::values x;
      slot::read(x, here, lane);
      if constexpr (!shape::indexed && requires { r.leaf(detail::row_tile<typename shape::values, E>{x}); })
        s = r.leaf(detail::row_tile<typename shape::values, E>{x});
      else s = detail::fold_halves<shape>(r, x, at);
    } else {
      s = r.identity();
      for (int k = 0; k < E && at + k < job.n; ++k) detail::push_slot<shape>(r, s, here, lane * E + k, at + k);
    }
    __syncwarp();
    if constexpr (free) {
      v = r.combine(v, s);
    } else {
      s = warp_inclusive(r, s, lane);
      if (lane == 31) warp_state[warp] = s;
      __syncthreads();
      if (warp == turn) {  // one warp after the other merges a tile's warps, while the others go on
        s = warp_inclusive(r, warp_state[lane % warps], lane, warps);
        if (lane == warps - 1) job.states[tile] = s;
      }
      turn = turn == warps - 1 ? 0 : turn + 1;
      warp_state = reinterpret_cast<state_of<R>*>(room) + (turn % 2) * warps;
    }
    stage = stage == stages - 1 ? 0 : stage + 1;
  }
  if constexpr (free) {
    v = warp_inclusive(r, v, lane);
    if (lane == 31) warp_state[warp] = v;
    __syncthreads();
    if (warp == 0) {
      v = warp_inclusive(r, lane < warps ? warp_state[lane] : r.identity(), lane);
      if (lane == 31) job.states[blockIdx.x] = v;
    }
  }
}

//! One block of 1024 threads: the first `count` states, in order, into *to.
template <class R>
__device__ __forceinline__ void fold_states(const R& r, const state_of<R>* states, index count, state_of<R>* to) {
  __shared__ __align__(16) unsigned char room[32 * sizeof(state_of<R>)];
  state_of<R>* const warp_state = reinterpret_cast<state_of<R>*>(room);
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  const index each = (count + 1023) / 1024, first = each * static_cast<index>(threadIdx.x);
  state_of<R> s = r.identity();
  for (index i = first; i < first + each && i < count; ++i) s = r.combine(s, states[i]);
  s = warp_inclusive(r, s, lane);
  if (lane == 31) warp_state[warp] = s;
  __syncthreads();
  if (warp > 0) return;
  s = warp_inclusive(r, warp_state[lane], lane);
  if (lane == 31) *to = s;
}

}  // namespace twofold::cuda
