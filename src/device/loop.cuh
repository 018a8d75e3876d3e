// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The fixed part of the kernels that run a merged loop: compiled at run time behind the text of the loop. A Loop is a reduction over
//! positions; its staged inputs come as arguments, all others it reads itself.
#pragma once

#include "frame.hpp"
#include "twofold/cuda/fold_tiles.cuh"

namespace twofold_device {
using namespace twofold::cuda;

template <class T>
__device__ __forceinline__ T scalar(const frame& f, int k) {
  T v;
  memcpy(&v, &f.parameters[k], sizeof v);
  return v;
}
template <class T>
__device__ __forceinline__ T* array(const frame& f, int k) {
  return reinterpret_cast<T*>(f.parameters[k]);
}

inline bool aligned(const arrays<>&) { return true; }
template <class Head, class... Tail>
__device__ __forceinline__ bool aligned(const arrays<Head, Tail...>& a) {
  return reinterpret_cast<unsigned long long>(a.data) % 16 == 0 && aligned(a.rest);
}

template <class R, class In>
__device__ __forceinline__ void fold(const frame& f, const R& r, const In& in) {
  fold_tiles(fold_job<R, In>{r, in, f.last - f.first, reinterpret_cast<twofold::state_of<R>*>(f.states)});
}

//! True in the one thread that then holds the state of all elements, in *f.whole.
template <class R>
__device__ __forceinline__ bool whole(const frame& f, const R& r) {
  using state = twofold::state_of<R>;
  auto* const to = reinterpret_cast<state*>(f.whole);
  fold_states(r, reinterpret_cast<const state*>(f.states), f.count, to);
  return threadIdx.x == 31;
}

//! Shared memory that the kernels may ask for.
#ifndef TWOFOLD_SHARED
#define TWOFOLD_SHARED (227 << 10)
#endif
template <class R, class In, class Out, bool Reverse>
struct scanning {
  using shape = scan_shape<R, In, Out, true, Reverse, heads::none>;
  static constexpr int stages = shape::stages_in(TWOFOLD_SHARED), threads = shape::threads + 32;
  static_assert(stages >= 2, "the state of this loop is too large for a scan on this GPU");
};

template <bool Reverse, class R, class In, class Out>
__device__ __forceinline__ void scan(const frame& f, const R& r, const In& in, const Out& out) {
  using how = scanning<R, In, Out, Reverse>;
  scan_job<R, In, Out> job{r, in, out, f.last - f.first, r.identity()};
  job.waves = reinterpret_cast<packet*>(f.packets);
  job.launch = reinterpret_cast<std::uint64_t*>(f.launch);
  job.out_vectors = aligned(out);
  scan_by_waves<typename how::shape, how::stages>(job);
}

template <class F>
__device__ __forceinline__ void each(const frame& f, F&& write) {
  const long long step = static_cast<long long>(gridDim.x) * blockDim.x;
#pragma unroll 4
  for (long long i = f.first + static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; i < f.last; i += step) write(i);
}

}  // namespace twofold_device
