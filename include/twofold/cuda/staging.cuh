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

//! The slots of 16 bytes that `count` elements fill wholly, where the first slot begins `head` elements before the first of them.
struct whole_slots {
  int first, last;
  __device__ __forceinline__ whole_slots(int head, int count, int per_slot)
      : first(head > 0), last((head + count) / per_slot > first ? (head + count) / per_slot : first) {}
};
//! f(place in the slots, element) for the elements of slots that are filled in part.
template <int E, class F>
__device__ __forceinline__ void ragged_elements(const whole_slots& s, int head, int count, const F& f) {
  const int t = static_cast<int>(threadIdx.x), behind = s.last * E + t;
  if (t >= E) return;
  if (s.first > 0 && t >= head && t - head < count) f(t, t - head);
  if (behind - head < count && behind >= head) f(behind, behind - head);
}

//! The vectors of `count` elements at `global`, of which the first begins `head` elements earlier, to or from shared memory. (The bulk copy
//! engine, one copy a block, was slower: 0.87 of read instead of 0.97 for rows of 17 floats.)
template <class T>
__device__ __forceinline__ void stage_in(uint4* memory, const T* global, int head, int count) {
  constexpr int E = per_vector<T>;
  const whole_slots s(head, count, E);
  const int step = static_cast<int>(blockDim.x), begin = s.first + static_cast<int>(threadIdx.x);
  std::uint32_t to = ptx::shared_address(memory + begin);
  const uint4* from = reinterpret_cast<const uint4*>(global - head) + begin;
  for (int left = s.last - begin; left > 0; left -= step, to += static_cast<std::uint32_t>(step) * 16, from += step)
    ptx::async_copy<16>(to, from);
  ragged_elements<E>(s, head, count, [&](int place, int k) { reinterpret_cast<T*>(memory)[place] = global[k]; });
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
  const whole_slots s(head, count, E);
  const int step = static_cast<int>(blockDim.x), begin = s.first + static_cast<int>(threadIdx.x);
  uint4* to = reinterpret_cast<uint4*>(global - head) + begin;
  for (int slot = begin; slot < s.last; slot += step, to += step) *to = memory[slot];
  ragged_elements<E>(s, head, count, [&](int place, int k) { global[k] = reinterpret_cast<const T*>(memory)[place]; });
}

}  // namespace twofold::cuda::kernels
