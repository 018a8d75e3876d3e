// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The level of a cluster: neighbouring blocks on one part of the chip merge their states in order, each writing into the shared
//! memory of all others (sm_90).
#pragma once

#include "twofold/cuda/block.cuh"

namespace twofold::cuda {

__device__ __forceinline__ int cluster_rank() {
  std::uint32_t r;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(r));
  return static_cast<int>(r);
}
//! What was written before is seen by all blocks of the cluster after they have waited.
__device__ __forceinline__ void cluster_arrive() { asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory"); }
__device__ __forceinline__ void cluster_wait() { asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory"); }

//! room[i] of block `block` = s.
template <class S, int N>
__device__ __forceinline__ void put_remote(shared_states<S, N>& room, int block, int i, const S& s) {
  constexpr int each = words<S>::count;
  const words<S> x = to_words(s);
  const std::uint32_t here = static_cast<std::uint32_t>(__cvta_generic_to_shared(room.memory + i * each));
  std::uint32_t there;
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(here), "r"(block));
#pragma unroll
  for (int k = 0; k < each; ++k) asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(there + 4 * k), "r"(x.w[k]) : "memory");
}

//! @brief  Every thread gets the states of all `blocks` blocks merged in order; s is the same in all threads of a block.
//! @pre    all threads of the cluster take part and have passed a cluster barrier before the first call (so that every block has begun);
//!         blocks is a power of two up to 16; `room` is used once
//! @cost   one cluster barrier; nobody reads another block's memory, so a block may end at once
template <class S, int N, class Op>
__device__ __forceinline__ S merge_blocks(const S& s, int blocks, shared_states<S, N>& room, const Op& op) {
  if (static_cast<int>(threadIdx.x) < blocks) put_remote(room, static_cast<int>(threadIdx.x), cluster_rank(), s);
  cluster_arrive();
  cluster_wait();
  return merge_lanes(room.get((threadIdx.x & 31) & (blocks - 1)), blocks, op);
}

}  // namespace twofold::cuda
