// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The level of a block: all its threads merge their states in order through shared memory. One warp does the work, so that a merge
//! costs the others two words moved and two barriers, however dear the operator is.
#pragma once

#include "twofold/cuda/warp.cuh"

namespace twofold::cuda {

//! States in shared memory, word by word: word k of state i at memory[k·pitch + i], so that neighbouring threads meet no bank conflict.
template <class S>
struct shared_states {
  std::uint32_t* memory;
  int pitch;
  static constexpr int each = words<S>::count;
  __device__ __forceinline__ void put(int i, const S& s) const {
    const words<S> x = to_words(s);
#pragma unroll
    for (int k = 0; k < each; ++k) memory[k * pitch + i] = x.w[k];
  }
  __device__ __forceinline__ S get(int i) const {
    words<S> x;
#pragma unroll
    for (int k = 0; k < each; ++k) x.w[k] = memory[k * pitch + i];
    return from_words<S>(x);
  }
};

//! Words of shared memory that one merge of a block takes.
template <class S>
__host__ __device__ constexpr int block_room(int threads) {
  return words<S>::count * (threads + 32);
}

//! @brief  The states of all threads merged in the order of threads, in every lane of the first warp; the other warps get nothing of use.
//! @math   lane l of the first warp folds the states of threads [l·warps, (l+1)·warps), then a tree over lanes
//! @pre    all threads take part; warps is 2, 4, 8, 16 or 32; memory: block_room words that nobody reads any more
//! @cost   one barrier
template <class S, class Op>
__device__ __forceinline__ S merge_threads_in_first_warp(S s, int warps, std::uint32_t* memory, const Op& op) {
  const int threads = warps * 32, shift = 31 - __clz(warps), t = threadIdx.x;
  const shared_states<S> room{memory, threads + 32};
  room.put(t + (t >> shift), s);  // a gap after every `warps` states: lanes then read different banks
  __syncthreads();
  if (t < 32) {
    const int first = t * (warps + 1);
    s = room.get(first);
#pragma unroll 4
    for (int i = 1; i < warps; ++i) s = op(s, room.get(first + i));
    s = merge_lanes(s, 32, op);
  }
  return s;
}

//! @brief  Every thread gets the states of all threads of the block merged in order. @see merge_threads_in_first_warp
//! @cost   two barriers
template <class S, class Op>
__device__ __forceinline__ S merge_threads(S s, int warps, std::uint32_t* memory, const Op& op) {
  s = merge_threads_in_first_warp(s, warps, memory, op);
  const shared_states<S> room{memory, 1};
  __syncwarp();
  if (threadIdx.x == 0) room.put(0, s);  // the first state's place: only the first warp has read it, and it has done
  __syncthreads();
  return room.get(0);
}

}  // namespace twofold::cuda
