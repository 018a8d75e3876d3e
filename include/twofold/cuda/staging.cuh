// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file A dense piece of global memory, at whatever element it begins, copied to and from shared memory in aligned vectors.
#pragma once

#include "twofold/cuda/element.cuh"
#include "twofold/cuda/ptx/async.cuh"

namespace twofold::cuda::kernels {

//! Elements from the last multiple of 16 bytes to p.
template <class T>
__device__ __forceinline__ int misalignment(const T* p) {
  return static_cast<int>((reinterpret_cast<std::uintptr_t>(p) & 15) / sizeof(T));
}

//! The vectors of `count` elements at `global`, of which the first begins `head` elements earlier, to or from shared memory.
template <class T>
__device__ __forceinline__ void stage_in(uint4* memory, const T* global, int head, int count) {
  constexpr int E = per_vector<T>;
  const std::uint32_t to = ptx::shared_address(memory);
  for (int slot = threadIdx.x; slot * E < head + count; slot += blockDim.x) {
    const int at = slot * E - head;
    if (at >= 0 && at + E <= count) {
      ptx::async_copy<16>(to + slot * 16, global + at);
    } else {
      for (int e = 0; e < E; ++e)
        if (at + e >= 0 && at + e < count) reinterpret_cast<T*>(memory)[slot * E + e] = global[at + e];
    }
  }
  ptx::async_commit();
  ptx::async_wait<0>();
  __syncthreads();
}
template <class T>
__device__ __forceinline__ void stage_out(T* global, const uint4* memory, int head, int count) {
  constexpr int E = per_vector<T>;
  __syncthreads();
  if (misalignment(global) != head) {
    for (int i = threadIdx.x; i < count; i += blockDim.x) global[i] = reinterpret_cast<const T*>(memory)[head + i];
    return;
  }
  for (int slot = threadIdx.x; slot * E < head + count; slot += blockDim.x) {
    const int at = slot * E - head;
    if (at >= 0 && at + E <= count) {
      *reinterpret_cast<uint4*>(global + at) = memory[slot];
    } else {
      for (int e = 0; e < E; ++e)
        if (at + e >= 0 && at + e < count) global[at + e] = reinterpret_cast<const T*>(memory)[slot * E + e];
    }
  }
}

}  // namespace twofold::cuda::kernels
