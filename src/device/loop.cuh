// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The fixed part of the kernels that run a merged loop: compiled at run time behind the text of the loop. A Loop is a reduction over
//! positions; its staged inputs come as arguments, all others it reads itself.
#pragma once

#include "frame.hpp"
#include "twofold/cuda/fold_strided.cuh"
#include "twofold/cuda/scan_waves.cuh"

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

//! Which kernel folds, and its sizes. `tile`: elements that keep a block busy, or a warp where order matters.
template <class R, class In, bool Strided = twofold::is_commutative<R>&& strided_shape<R, In>::fits>
struct folding {
  using shape = strided_shape<R, In>;
  static constexpr int tile = shape::tile, threads = shape::threads, resident = shape::resident, blocks = shape::blocks, shared_bytes = 0,
                       in_order = 0;
  __device__ static __forceinline__ void fold(const fold_job<R, In>& job) { fold_strided(job); }
};
template <class R, class In>
struct folding<R, In, false> {
  using shape = fold_shape<R, In>;
  static constexpr bool in_order = !twofold::is_commutative<R>;
  static constexpr int tile = in_order ? shape::row : shape::row * shape::warps, threads = shape::threads, resident = shape::resident,
                       blocks = shape::blocks, shared_bytes = shape::shared_bytes;
  __device__ static __forceinline__ void fold(const fold_job<R, In>& job) { fold_runs(job); }
};
template <class R, class In>
__device__ __forceinline__ void fold(const frame& f, const R& r, const In& in) {
  folding<R, In>::fold(fold_job<R, In>{r, in, f.last - f.first, f.depth, reinterpret_cast<twofold::state_of<R>*>(f.states)});
}

//! True in the one thread that then holds the state of all elements, in *f.whole.
template <class R>
__device__ __forceinline__ bool whole(const frame& f, const R& r) {
  using state = twofold::state_of<R>;
  auto* const to = reinterpret_cast<state*>(f.whole);
  fold_states(r, reinterpret_cast<const state*>(f.states), f.count, to);
  return threadIdx.x == 31;
}

template <class R, class In, class Out, bool Reverse>
struct scanning {
  using shape = scan_shape<R, In, Out, true, Reverse, heads::none>;
  static constexpr int stages = shape::stages_in(fold_shared_memory), threads = shape::threads + 32;
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

//! to[i] = value(i, read(i)), a few elements a thread; the last ones first: what the fold read last may still be in the cache. All are read
//! before the first value is worked out (a branch in there, as divisions have, would hold back the next one's loads), and before one is
//! written, since the compiler does not know that the arrays differ.
inline constexpr int each_at_once = 8;
template <class T, class Read, class F>
__device__ __forceinline__ void each(const frame& f, T* to, Read&& read, F&& value) {
  const long long last = f.last - 1 - (static_cast<long long>(blockIdx.x) * blockDim.x * each_at_once + threadIdx.x);
  const int step = static_cast<int>(blockDim.x);
  if (last - (each_at_once - 1) * step >= f.first) {
    decltype(read(last)) x[each_at_once];
    T y[each_at_once];
#pragma unroll
    for (int k = 0; k < each_at_once; ++k) x[k] = read(last - k * step);
    asm volatile("" ::: "memory");  // compilers would take a load to where its value is used
#pragma unroll
    for (int k = 0; k < each_at_once; ++k) y[k] = value(last - k * step, x[k]);
#pragma unroll
    for (int k = 0; k < each_at_once; ++k) to[last - k * step] = y[k];
  } else {
#pragma unroll 1
    for (long long i = last; i >= f.first && i > last - each_at_once * step; i -= step) to[i] = value(i, read(i));
  }
}

}  // namespace twofold_device
