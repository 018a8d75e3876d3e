// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Asynchronous copies of a thread's own making, global to shared memory (sm_80): any element alignment, any swizzle.
#pragma once

#include <cstdint>

#include "twofold/cuda/ptx/mbarrier.cuh"

namespace twofold::cuda::ptx {

//! Copies `Bytes` (4, 8 or 16; both addresses aligned to them). 16-byte copies bypass L1.
template <int Bytes>
__device__ __forceinline__ void async_copy(std::uint32_t shared, const void* global) {
  static_assert(Bytes == 4 || Bytes == 8 || Bytes == 16);
  if constexpr (Bytes == 16) asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared), "l"(global) : "memory");
  else asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(shared), "l"(global), "n"(Bytes) : "memory");
}
//! Sixteen bytes, for those that will read all of the 256 around them soon: memory then gives them at once, which pays where neighbours are
//! not asked for together.
__device__ __forceinline__ void async_copy_of_many(std::uint32_t shared, const void* global) {
  asm volatile("cp.async.cg.shared.global.L2::256B [%0], [%1], 16;" ::"r"(shared), "l"(global) : "memory");
}
__device__ __forceinline__ void async_commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
//! At most `Pending` of this thread's newest groups are still under way.
template <int Pending>
__device__ __forceinline__ void async_wait() {
  asm volatile("cp.async.wait_group %0;" ::"n"(Pending) : "memory");
}

}  // namespace twofold::cuda::ptx
