// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Two matrices of one shape reduced and mapped row by row together: what backward passes are made of.
#pragma once

#include "twofold/cuda/rows.cuh"

namespace twofold::cuda {

namespace kernels {

//! Vectors of a row that need not begin on 16 bytes: vector k begins at element k·E.
template <class In, int V>
__device__ __forceinline__ void load_pairs(uint4 (&raw)[V], const In* row, const slots_of_thread& s, int count, bool aligned) {
  constexpr int E = per_vector<In>;
  if (aligned) return load_slots(raw, row, s, count);
#pragma unroll
  for (int v = 0; v < V; ++v) {
    const int at = (s.first + v * s.step) * E;
    bundle<In, E> some{};
#pragma unroll
    for (int e = 0; e < E; ++e)
      if (at + e < count) some.x[e] = row[at + e];
    memcpy(&raw[v], &some, 16);
  }
}

//! Elements of both rows as a source: `before(row, column, x, y, then)` hands the inputs of R to `then`.
template <class X, class Y, int V, class Before>
struct pair_tile {
  static constexpr int E = per_vector<X>;
  const uint4 (&x)[V];
  const uint4 (&y)[V];
  slots_of_thread slots;
  int count;
  index row, origin;
  const Before& before;
  __device__ __forceinline__ static constexpr index size() { return V * E; }
  template <class F>
  __device__ __forceinline__ void apply(index i, F&& f) const {
    const int k = static_cast<int>(i), v = k / E, column = (slots.first + v * slots.step) * E + k % E;
    if (column >= count) return;
    before(row, origin + column, element<X, computed_of<X>>(x[v], k % E), element<Y, computed_of<Y>>(y[v], k % E), f);
  }
};

//! @brief  out(row, column) = f(answer of the row, row, column, x, y), both inputs read once. A team of lanes, warps or blocks has a row,
//! as in rows_on_chip.
template <int V, class R, class X, class Y, class Out, class Before, class F>
__global__ void __launch_bounds__(512, 2)
    rows_of_two(const R r, const row_source<X> in, const Y* const second, const index second_pitch, const team t, Out* const out,
                const index out_pitch, const Before before, const F f, const bool aligned, const index first_row) {
  static_assert(sizeof(X) == sizeof(Y));
  constexpr int E = per_vector<X>;
  using tile = pair_tile<X, Y, V, Before>;
  extern __shared__ uint4 shared[];  // row_room words
  std::uint32_t* const memory = reinterpret_cast<std::uint32_t*>(shared);
  int rank = threadIdx.x;
  index row = first_row;
  if (t.warps * t.blocks == 1) {
    const int shift = 31 - __clz(t.lanes);
    rank = threadIdx.x & (t.lanes - 1);
    row += static_cast<index>(blockIdx.x) * (blockDim.x >> shift) + (threadIdx.x >> shift);
  } else if (t.blocks == 1) {
    row += blockIdx.x;
  } else {
#if __CUDA_ARCH__ >= 900
    if (threadIdx.x == 0) prepare_row_room<R>(memory);
    cluster_arrive();
    rank += cluster_rank() * static_cast<int>(blockDim.x);
#endif
    row += blockIdx.x / t.blocks;
  }
  const int threads = t.lanes * t.warps * t.blocks;
  const bool there = row < in.rows;
  const index from = there ? row : 0;
  const int count = there ? static_cast<int>(in.columns) : 0;
  const slots_of_thread slots = is_commutative<R> ? slots_of_thread{rank, threads, 0} : slots_of_thread{rank * V, 1, 0};
  uint4 x[V], y[V];
  load_pairs(x, in.data + from * in.pitch, slots, count, aligned);
  load_pairs(y, second + from * second_pitch, slots, count, aligned);
#if __CUDA_ARCH__ >= 900
  if (t.blocks > 1) cluster_wait();
#endif
  const tile part{x, y, slots, count, from, 0, before};
  const state_of<R> s = row_state<R, tile>(
      r, [&](const auto& g) { return g(part); }, t, memory);
  if (!there) return;
  const auto answer = r.finalize(s);
  Out* const to = out + row * out_pitch;
#pragma unroll
  for (int v = 0; v < V; ++v) {
    const int at = (slots.first + v * slots.step) * E;
    computed_of<X> z[E];
#pragma unroll
    for (int e = 0; e < E; ++e)
      z[e] = f(answer, row, static_cast<index>(min(at + e, count - 1)), element<X, computed_of<X>>(x[v], e),
               element<Y, computed_of<Y>>(y[v], e));
    if (aligned && at + E <= count) {
      store_bundle(to + at, z);
    } else {
#pragma unroll
      for (int e = 0; e < E; ++e)
        if (at + e < count) to[at + e] = narrowed<Out>(z[e]);
    }
  }
}
}  // namespace kernels

//! Hands on x·y: the reduction of a softmax's backward pass.
struct product_of_two {
  template <class A, class B, class F>
  __device__ __forceinline__ void operator()(index, index, const A& x, const B& y, const F& then) const {
    then(x * y);
  }
};

namespace detail {
//! 16 elements a thread of either matrix; blocks of a cluster where one is too small.
template <class X>
row_plan plan_pairs(const row_source<X>& in, const card& c) {
  const index vectors = rounded_up_division(in.columns > 0 ? in.columns : 1, per_vector<X>);
  row_plan p;
  const int most = sizeof(X) <= 2 ? 2 : 4;
  p.vectors = most;
  if (vectors <= 32 * most) {
    p.vectors = vectors <= 32 ? 2 : most;
    p.lanes = static_cast<int>(power_of_two_from(rounded_up_division(vectors, p.vectors)));
    p.teams = 128 / p.lanes;
    return p;
  }
  index threads = power_of_two_from(rounded_up_division(vectors, most)), blocks = 1;
  while (threads / blocks > 512 && blocks < c.largest_cluster) blocks *= 2;
  p.blocks = static_cast<int>(blocks), p.warps = static_cast<int>(threads / blocks / 32);
  return p;
}
}  // namespace detail

//! @brief  out(row, column) = f(answer, row, column, x, y), where the answer of a row is R's of what `before` hands on for its pairs.
//! @shape  in: [rows, columns], row k at data + k·pitch; second: row k at second + k·second_pitch; elements of equal size. out may be
//! either input
//! @order  as reduce_rows_into
//! @errors TF3201 … TF3207, before anything is launched; rows of more than 16·512·16 (2^17) elements are refused (TF3205)
//! @cost   one read of either input, one write
template <class R, class X, class Y, class Out, class Before, class F>
void map_row_pairs(const R& r, const row_source<X>& in, const Y* second, index second_pitch, Out* out, index out_pitch,
                   const Before& before, const F& f, cudaStream_t stream = nullptr) {
  detail::check_rows(in, second);
  detail::check_rows(in, out);
  const card here = current_card();
  const row_plan p = detail::plan_pairs(in, here);
  if (p.warps > 16)
    throw error("TF3205", detail::shape_text(in.rows, in.columns), "two rows of this length do not fit on the chip",
                "rows of up to " + std::to_string(index(here.largest_cluster) * 512 * p.vectors * per_vector<X>) + " elements");
  if (in.rows == 0 || in.columns == 0) return;
  const auto starts = [&](const void* data, index pitch) {
    return reinterpret_cast<std::uintptr_t>(data) % 16 == 0 && (in.rows <= 1 || pitch * static_cast<index>(sizeof(X)) % 16 == 0);
  };
  const bool aligned = starts(in.data, in.pitch) && starts(second, second_pitch) &&
                       reinterpret_cast<std::uintptr_t>(out) % (16 / sizeof(X) * sizeof(Out)) == 0 &&
                       (in.rows <= 1 || out_pitch * static_cast<index>(sizeof(X)) % 16 == 0);
  const team t{p.lanes, p.warps, p.blocks};
  const index per_block = p.warps * p.blocks == 1 ? p.teams : 1, limit = (index(1) << 30) / p.blocks;
  detail::with_vectors<2, 4>(p.vectors, [&](auto v) {
    constexpr int vectors = decltype(v)::value;
    using tile = kernels::pair_tile<X, Y, vectors, Before>;
    for (index first = 0; first < in.rows; first += limit * per_block) {
      const index left = in.rows - first, rows = left < limit * per_block ? left : limit * per_block;
      detail::launch_with(kernels::rows_of_two<vectors, R, X, Y, Out, Before, F>, detail::rounded_up_division(rows, per_block) * p.blocks,
                          p.threads_per_block(), p.blocks, 4 * row_room<R, tile>(p.warps, p.blocks), stream, r, in, second, second_pitch, t,
                          out, out_pitch, before, f, aligned, first);
    }
  });
}

}  // namespace twofold::cuda
