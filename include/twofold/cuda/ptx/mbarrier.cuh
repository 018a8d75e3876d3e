// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Barriers in shared memory that also count bytes of asynchronous copies (PTX mbarrier, sm_90).
#pragma once

#include <cstdint>

namespace twofold::cuda::ptx {

__device__ __forceinline__ std::uint32_t shared_address(const void* p) { return static_cast<std::uint32_t>(__cvta_generic_to_shared(p)); }

//! For tests (TWOFOLD_DELAYS): some of those that come to a barrier are late, by a hash of who and when. Orders that do not follow from
//! barriers then show.
__device__ __forceinline__ void put_off() {
#ifdef TWOFOLD_DELAYS
  std::uint32_t h = (static_cast<std::uint32_t>(clock64()) + blockIdx.x * 977 + threadIdx.x / 32 * 131) * 0x9E3779B1u;
  h ^= h >> 15, h *= 0x85EBCA77u;
  if (h >> 29 == 0) __nanosleep(h & 8191);
#endif
}

__device__ __forceinline__ void mbarrier_init(std::uint64_t* b, std::uint32_t arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(b)), "r"(arrivals) : "memory");
}
//! Makes initialised barriers visible to the copy engine; follow with __syncthreads().
__device__ __forceinline__ void fence_mbarrier_init() { asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); }

__device__ __forceinline__ void mbarrier_arrive(std::uint64_t* b) {
  put_off();
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(b)) : "memory");
}
//! One arrival that also announces `bytes` still to come from asynchronous copies.
__device__ __forceinline__ void mbarrier_arrive_expect(std::uint64_t* b, std::uint32_t bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(b)), "r"(bytes) : "memory");
}
__device__ __forceinline__ bool mbarrier_try_wait(std::uint64_t* b, std::uint32_t parity) {
  std::uint32_t done;
#if __CUDA_ARCH__ < 900  // only asks, where the hardware cannot wait
  asm volatile("{\n .reg .pred p;\n mbarrier.test_wait.parity.shared::cta.b64 p, [%1], %2;\n selp.u32 %0, 1, 0, p;\n}"
               : "=r"(done)
               : "r"(shared_address(b)), "r"(parity)
               : "memory");
  return done != 0;
#else
  asm volatile("{\n .reg .pred p;\n mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n selp.u32 %0, 1, 0, p;\n}"
               : "=r"(done)
               : "r"(shared_address(b)), "r"(parity)
               : "memory");
  return done != 0;
#endif
}
//! Waits until the phase with this parity has completed.
__device__ __forceinline__ void mbarrier_wait(std::uint64_t* b, std::uint32_t parity) {
  while (!mbarrier_try_wait(b, parity)) {
  }
  put_off();
}

}  // namespace twofold::cuda::ptx
