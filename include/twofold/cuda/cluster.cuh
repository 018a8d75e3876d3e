// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The level of a cluster: neighbouring blocks on one part of the chip merge their states in order, each writing into the shared
//! memory of all others (sm_90).
#pragma once

#include "twofold/cuda/block.cuh"
#include "twofold/cuda/ptx/mbarrier.cuh"

namespace twofold::cuda {

__device__ __forceinline__ int cluster_rank() {
  std::uint32_t r;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(r));
  return static_cast<int>(r);
}
//! What was written before is seen by all blocks of the cluster after they have waited.
__device__ __forceinline__ void cluster_arrive() { asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory"); }
__device__ __forceinline__ void cluster_wait() { asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory"); }

//! room[i] of block `block` = s; seen there after a cluster barrier.
template <class S>
__device__ __forceinline__ void put_remote(const shared_states<S>& room, int block, int i, const S& s) {
  const words<S> x = to_words(s);
  const std::uint32_t here = ptx::shared_address(room.memory + i);
  std::uint32_t there;
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(here), "r"(block));
#pragma unroll
  for (int k = 0; k < words<S>::count; ++k)
    asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(there + 4 * k * room.pitch), "r"(x.w[k]) : "memory");
}

//! Words of shared memory that one merge of a cluster takes: states of 16 blocks, and a barrier that counts their bytes.
template <class S>
inline constexpr int cluster_room = words<S>::count * 16 + 4;

//! The barrier of a room; one thread prepares it before the cluster barrier that says every block has begun.
template <class S>
__device__ __forceinline__ std::uint64_t* cluster_room_barrier(std::uint32_t* memory) {
  return reinterpret_cast<std::uint64_t*>(memory + words<S>::count * 16);
}
template <class S>
__device__ __forceinline__ void prepare_cluster_room(std::uint32_t* memory) {
  ptx::mbarrier_init(cluster_room_barrier<S>(memory), 1);
  ptx::fence_mbarrier_init();
}

//! @brief  Every thread gets the states of all `blocks` blocks merged in order; s is read in the first warp of each block only.
//! @pre    blocks is a power of two up to 16; memory: 16-byte aligned, cluster_room words, prepared, and not used again before every block
//!         has sent once more through another room; parity: 0, 1, 0 … from use to use
//! @cost   one store a block and its barrier: nobody waits for stores to global memory, as a cluster barrier would; nobody reads another
//!         block's memory, so a block may end as soon as it has its answer
template <class S, class Op>
__device__ __forceinline__ S merge_blocks(const S& s, int blocks, std::uint32_t* memory, std::uint32_t parity, const Op& op) {
  constexpr int each = words<S>::count;
  const shared_states<S> room{memory, 16};
  std::uint64_t* const barrier = cluster_room_barrier<S>(memory);
  if (threadIdx.x == 0) ptx::mbarrier_arrive_expect(barrier, blocks * each * 4);
  if (static_cast<int>(threadIdx.x) < blocks) {
    const words<S> x = to_words(s);
    const std::uint32_t mine = ptx::shared_address(memory + cluster_rank()), count = ptx::shared_address(barrier);
    std::uint32_t there, count_there;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(mine), "r"(threadIdx.x));
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(count_there) : "r"(count), "r"(threadIdx.x));
#pragma unroll
    for (int k = 0; k < each; ++k)
      asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1, [%2];" ::"r"(there + 64 * k), "r"(x.w[k]),
                   "r"(count_there)
                   : "memory");
  }
  ptx::mbarrier_wait(barrier, parity);
  return merge_lanes(room.get((threadIdx.x & 31) & (blocks - 1)), blocks, op);
}

}  // namespace twofold::cuda
