// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The level of a block: neighbouring warps merge their states in order through shared memory.
#pragma once

#include "twofold/cuda/warp.cuh"

namespace twofold::cuda {

//! Room in shared memory for up to N states, without constructors.
template <class S, int N>
struct shared_states {
  static constexpr int each = words<S>::count;
  alignas(16) std::uint32_t memory[N * each];
  __device__ __forceinline__ void put(int i, const S& s) {
    const words<S> x = to_words(s);
#pragma unroll
    for (int k = 0; k < each; ++k) memory[i * each + k] = x.w[k];
  }
  __device__ __forceinline__ S get(int i) const {
    words<S> x;
#pragma unroll
    for (int k = 0; k < each; ++k) x.w[k] = memory[i * each + k];
    return from_words<S>(x);
  }
};

//! @brief  Every thread gets the states of all `warps` warps merged in order; s is the same in all lanes of a warp.
//! @pre    all threads of the block take part; warps is a power of two up to 32; `room` is not being read by anyone
//! @cost   one barrier
template <class S, int N, class Op>
__device__ __forceinline__ S merge_warps(const S& s, int warps, shared_states<S, N>& room, const Op& op) {
  const int lane = threadIdx.x & 31;
  if (lane == 0) room.put(threadIdx.x / 32, s);
  __syncthreads();
  return merge_lanes(room.get(lane & (warps - 1)), warps, op);
}

}  // namespace twofold::cuda
