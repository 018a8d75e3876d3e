// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Named barriers, one lane of a warp, register reallocation (sm_90a), kernels that follow each other, and ordered flags in global
//! memory.
#pragma once

#include <cstdint>

namespace twofold::cuda::ptx {

__device__ __forceinline__ void named_sync(int id, int threads) { asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory"); }
__device__ __forceinline__ void named_arrive(int id, int threads) { asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(threads) : "memory"); }

//! Waits as named_sync; true where every thread said so.
__device__ __forceinline__ bool named_all(int id, int threads, bool mine) {
  std::uint32_t all;
  asm volatile("{\n .reg .pred p, q;\n setp.ne.u32 p, %3, 0;\n barrier.cta.red.and.pred q, %1, %2, p;\n selp.u32 %0, 1, 0, q;\n}"
               : "=r"(all)
               : "r"(id), "r"(threads), "r"(static_cast<std::uint32_t>(mine))
               : "memory");
  return all != 0;
}

//! True for one lane of the warp, which all lanes must call together.
__device__ __forceinline__ bool elect_one() {
  std::uint32_t mine;
  asm volatile("{\n .reg .pred p;\n elect.sync _|p, 0xffffffff;\n selp.u32 %0, 1, 0, p;\n}" : "=r"(mine));
  return mine != 0;
}

//! @name Two kernels that follow each other in a stream: the first lets the second be brought to the processors, the second waits until
//! the first has ended and what it wrote is seen. Both do nothing where the second was launched without asking for it.
//! @{
__device__ __forceinline__ void let_next_kernel_begin() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}
__device__ __forceinline__ void wait_for_kernel_before() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}
//! @}

//! A word that will be read soon is in the first cache by then; nothing waits for it here.
template <class T>
__device__ __forceinline__ void bring_near(const T* p) {
  static_assert(sizeof(T) >= 4);
  std::uint32_t v;
  asm volatile("ld.global.u32 %0, [%1];" : "=r"(v) : "l"(p));
}

template <int Registers>
__device__ __forceinline__ void registers_release() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(Registers));
}
template <int Registers>
__device__ __forceinline__ void registers_claim() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(Registers));
}

__device__ __forceinline__ std::uint32_t load_acquire(const std::uint32_t* p) {
  std::uint32_t v;
  asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
  return v;
}
__device__ __forceinline__ void store_release(std::uint32_t* p, std::uint32_t v) {
  asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(p), "r"(v) : "memory");
}
//! One 8-byte word written and read whole: a value and its flag travel together, no fence needed.
__device__ __forceinline__ std::uint64_t load_relaxed(const std::uint64_t* p) {
  std::uint64_t v;
  asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(v) : "l"(p) : "memory");
  return v;
}
__device__ __forceinline__ void store_relaxed(std::uint64_t* p, std::uint64_t v) {
  asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(p), "l"(v) : "memory");
}

}  // namespace twofold::cuda::ptx
