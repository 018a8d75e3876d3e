// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The state of a whole array, for operators that come as text and commute: vectors are dealt round the threads, straight into
//! registers.
#pragma once

#include "twofold/cuda/fold_runs.cuh"

namespace twofold::cuda {

//! Elements of X that a thread takes at a time, with what is seen beside them.
template <class X, int C>
struct strided_part : window<X, C> {
  using base = window<X, C>;
  using T = typename base::element;
  static constexpr int vectors = C * static_cast<int>(sizeof(T)) / 16;

  __device__ static __forceinline__ bool on_vector(const T* data, index at) {
    return reinterpret_cast<std::uintptr_t>(data + base::low + at) % 16 == 0;
  }
  //! Those from position `at` on. @pre Whole: on_vector
  template <bool Whole>
  __device__ __forceinline__ void load(const T* data, index at) {
    const T* const from = data + base::low + at;
    if constexpr (Whole) {
      uint4 v[vectors];
#pragma unroll
      for (int k = 0; k < vectors; ++k) v[k] = reinterpret_cast<const uint4*>(from)[k];
      memcpy(base::x, v, sizeof v);
    } else {
#pragma unroll
      for (int k = 0; k < C; ++k) base::x[k] = from[k];
    }
#pragma unroll
    for (int k = C; k < base::seen; ++k) base::x[k] = from[k];
  }
};

//! The same of several arrays.
template <int C, class... X>
struct strided_parts {
  template <bool Whole>
  __device__ __forceinline__ void load(const arrays<>&, index) {}
  __device__ static __forceinline__ bool on_vectors(const arrays<>&, index) { return true; }
  template <class F, class... Before>
  __device__ __forceinline__ auto apply(int, F&& f, const Before&... before) const {
    return f(before...);
  }
  template <class F, class... Before>
  __device__ static __forceinline__ auto one(const arrays<>&, index, F&& f, const Before&... before) {
    return f(before...);
  }
};
template <int C, class Head, class... Tail>
struct strided_parts<C, Head, Tail...> {
  using mine = strided_part<Head, C>;
  using In = arrays<const Head, const Tail...>;
  mine here;
  strided_parts<C, Tail...> rest;

  __device__ static __forceinline__ const typename mine::T* data(const In& in) {
    return reinterpret_cast<const typename mine::T*>(in.data);
  }
  //! Elements before the first one that lies on 16 bytes.
  __device__ static __forceinline__ index head(const In& in) {
    constexpr int size = static_cast<int>(sizeof(typename mine::T));
    return (16 - static_cast<int>(reinterpret_cast<std::uintptr_t>(data(in) + mine::low) % 16)) % 16 / size;
  }
  __device__ static __forceinline__ bool on_vectors(const In& in, index at) {
    return mine::on_vector(data(in), at) && strided_parts<C, Tail...>::on_vectors(in.rest, at);
  }
  template <bool Whole>
  __device__ __forceinline__ void load(const In& in, index at) {
    here.template load<Whole>(data(in), at);
    rest.template load<Whole>(in.rest, at);
  }
  template <class F, class... Before>
  __device__ __forceinline__ auto apply(int k, F&& f, const Before&... before) const {
    return here.apply(
        k, [&](const auto&... x) { return rest.apply(k, static_cast<F&&>(f), x...); }, before...);
  }
  //! f(what is seen from position i).
  template <class F, class... Before>
  __device__ static __forceinline__ auto one(const In& in, index i, F&& f, const Before&... before) {
    return mine::from(
        data(in) + i, [&](const auto&... x) { return strided_parts<C, Tail...>::one(in.rest, i, static_cast<F&&>(f), x...); }, before...);
  }
};

//! Sizes that the compiler knows.
template <class R, class In>
struct strided_shape;
template <class R, class... X>
struct strided_shape<R, arrays<const X...>> {
  static constexpr int smallest = [] {
    int s = 16;
    ((s = static_cast<int>(sizeof(X)) < s ? static_cast<int>(sizeof(X)) : s), ...);
    return s;
  }();
  //! Every element size divides 16 bytes: else vectors hold no whole elements.
  static constexpr bool fits = sizeof...(X) > 0 && ((sizeof(X) <= 16 && 16 % sizeof(X) == 0) && ...);
  static constexpr int C = 16 / smallest, bytes = total_size(1 + 0 * sizeof(X)...) > 0 ? total_size(sizeof(X)...) * C : 1;
  static constexpr int in_flight = 128 / bytes > 1 ? 128 / bytes : 1, few = 32 / C > 1 ? 32 / C : 1;
  static constexpr int U = in_flight < few ? in_flight : few, E = U * C;  //!< chunks and elements of a thread and tile
  static constexpr int threads = 256, tile = threads * E;
  //! Of a multiprocessor: at one time; in all. Short blocks fill gaps, where merging their states costs little.
  static constexpr int resident = 3, blocks = sizeof(state_of<R>) <= 16 ? 32 : 3;
  static constexpr bool indexed = !reduces<R, X...>;
  using parts = strided_parts<C, X...>;
};

//! A thread's elements of a tile: C neighbours, then C neighbours a block's chunk further on …
template <class Shape>
struct strided_tile {
  typename Shape::parts x[Shape::U];
  __device__ static constexpr index size() { return Shape::E; }
  //! Positions between element i and element 0.
  __device__ static constexpr index offset(index i) { return i / Shape::C * (Shape::threads * Shape::C) + i % Shape::C; }
  template <class F>
  __device__ __forceinline__ auto apply(index i, F&& f) const {
    return x[i / Shape::C].apply(static_cast<int>(i % Shape::C), f);
  }
};

namespace detail {
//! s ⊙ lift(element k of a tile).
template <class Shape, class R>
__device__ __forceinline__ void strided_push(const R& r, state_of<R>& s, const strided_tile<Shape>& t, int k, index at) {
  t.apply(k, [&](const auto&... x) {
    if constexpr (Shape::indexed) push_into(r, s, at + t.offset(k), x...);
    else push_into(r, s, x...);
  });
}
template <class Shape, class R>
__device__ __forceinline__ state_of<R> strided_lift(const R& r, const strided_tile<Shape>& t, int k, index at) {
  return t.apply(k, [&](const auto&... x) {
    if constexpr (Shape::indexed) return r.lift(at + t.offset(k), x...);
    else return r.lift(x...);
  });
}
}  // namespace detail

//! The states of all blocks, one a block.
//! @pre   the operator commutes
//! @cost  one read of the arrays; a merge of two chains a thread and tile, unless the operator has a leaf
template <class R, class In>
__device__ __forceinline__ void fold_strided(const fold_job<R, In>& job) {
  using shape = strided_shape<R, In>;
  using tile = strided_tile<shape>;
  constexpr int threads = shape::threads, warps = threads / 32, E = shape::E;
  const R& r = job.r;
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  const index head = shape::parts::head(job.in) < job.n ? shape::parts::head(job.in) : job.n;
  const index tiles = (job.n - head) / shape::tile, tail = head + tiles * shape::tile;
  const bool on_vectors = shape::parts::on_vectors(job.in, head);
  state_of<R> s = r.identity();
  const index each = tiles / gridDim.x, longer = tiles % gridDim.x, b = blockIdx.x;
  const index begin = b * each + (b < longer ? b : longer), end = begin + each + (b < longer);
#pragma unroll 1
  for (index k = begin; k < end; ++k) {
    const index at = head + k * shape::tile + static_cast<int>(threadIdx.x) * shape::C;
    tile x;
    const auto load = [&](auto whole) {
#pragma unroll
      for (int u = 0; u < shape::U; ++u) x.x[u].template load<decltype(whole)::value>(job.in, at + u * (threads * shape::C));
    };
    if (on_vectors) load(std::true_type{});
    else load(std::false_type{});
    if constexpr (shape::indexed && detail::has_leaf_at<R, tile>) {
      r.leaf_into(s, at, x);
    } else if constexpr (!shape::indexed && twofold::detail::has_leaf<R, tile>) {
      leaf_into(r, s, x);
    } else {
      constexpr int half = E / 2;
      state_of<R> a = detail::strided_lift<shape>(r, x, 0, at), b = detail::strided_lift<shape>(r, x, half, at);
#pragma unroll
      for (int i = 1; i < half; ++i) detail::strided_push<shape>(r, a, x, i, at), detail::strided_push<shape>(r, b, x, half + i, at);
      combine_into(r, s, r.combine(a, b));
    }
  }
  const index ends = head + job.n - tail, all = static_cast<index>(gridDim.x) * threads;  // what no tile has
#pragma unroll 1
  for (index k = static_cast<index>(blockIdx.x) * threads + threadIdx.x; k < ends; k += all) {
    const index i = k < head ? k : tail + k - head;
    shape::parts::one(job.in, i, [&](const auto&... x) {
      if constexpr (shape::indexed) push_into(r, s, i, x...);
      else push_into(r, s, x...);
    });
  }
  __shared__ __align__(16) unsigned char room[warps * sizeof(state_of<R>)];
  auto* const warp_state = reinterpret_cast<state_of<R>*>(room);
  __syncwarp();
#pragma unroll 1
  for (int turn = 0; turn < 2; ++turn) {  // lanes, then warps
    if (turn == 1 && warp > 0) return;
    if (turn == 1) s = lane < warps ? warp_state[lane] : r.identity();
    s = warp_inclusive(r, s, lane);
    if (lane == 31) (turn == 0 ? warp_state[warp] : job.states[blockIdx.x]) = s;
    if (turn == 0) __syncthreads();
  }
}

}  // namespace twofold::cuda
