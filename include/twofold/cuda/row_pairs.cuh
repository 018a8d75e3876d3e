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

//! Two functions, given apart, of pairs: what is reduced and what is written. Maps that keep something of a row or of neighbouring columns
//! in registers bring an `of_row` of their own (backward.cuh).
template <class Before, class F>
struct pair_maps {
  Before before;
  F f;
  struct nothing {};
  struct bound {
    const pair_maps& how;
    index row;
    template <int E>
    __device__ __forceinline__ nothing beside(index, index) const {
      return {};
    }
    template <class X, class Y, class Then>
    __device__ __forceinline__ void reduce(nothing, int, index column, const X& x, const Y& y, const Then& then) const {
      how.before(row, column, x, y, then);
    }
    template <class Answer, class X, class Y>
    __device__ __forceinline__ auto map(const Answer& answer, nothing, int, index column, const X& x, const Y& y) const {
      return how.f(answer, row, column, x, y);
    }
  };
  __device__ __forceinline__ bound of_row(index row) const { return {*this, row}; }
};

//! Elements of both rows as a source of the inputs of R. Whole: none is absent.
template <class X, class Y, int V, class Bound, bool Whole = false>
struct pair_tile {
  static constexpr int E = per_vector<X>;
  using beside = decltype(std::declval<const Bound&>().template beside<E>(index{}, index{}));
  const uint4 (&x)[V];
  const uint4 (&y)[V];
  const beside (&more)[V];
  slots_of_thread slots;
  int count;
  const Bound& how;
  __device__ __forceinline__ static constexpr index size() { return V * E; }
  template <class F>
  __device__ __forceinline__ void apply(index i, F&& f) const {
    const int k = static_cast<int>(i), v = k / E, column = (slots.first + v * slots.step) * E + k % E;
    if (!Whole && column >= count) return;
    how.reduce(more[v], k % E, column, element<X, computed_of<X>>(x[v], k % E), element<Y, computed_of<Y>>(y[v], k % E), f);
  }
};

//! @brief  out(row, column) = f(answer of the row, row, column, x, y), both inputs read once. A team of lanes, warps or blocks has a row,
//! as in rows_on_chip. Blocks of up to 256 threads have more registers each.
template <int V, int Threads, class R, class X, class Y, class Out, class How>
__global__ void __launch_bounds__(Threads, Threads == 256 ? 3 : 2)
    rows_of_two(const R r, const row_source<X> in, const Y* const second, const index second_pitch, const team t, Out* const out,
                const index out_pitch, const How how, const bool aligned, const index first_row) {
  static_assert(sizeof(X) == sizeof(Y));
  constexpr int E = per_vector<X>;
  using bound = decltype(how.of_row(index{}));
  using tile = pair_tile<X, Y, V, bound>;
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
  const bound mine = how.of_row(from);
  typename tile::beside more[V];
#pragma unroll
  for (int v = 0; v < V; ++v) more[v] = mine.template beside<E>(static_cast<index>(slots.first + v * slots.step) * E, count);
  const bool whole = __all_sync(~0u, (slots.first + (V - 1) * slots.step + 1) * E <= count);
  const state_of<R> s = row_state<R, tile>(
      r,
      [&](const auto& g) {
        if (whole) return g(pair_tile<X, Y, V, bound, true>{x, y, more, slots, count, mine});
        return g(tile{x, y, more, slots, count, mine});
      },
      t, memory);
  if (!there) return;
  const auto answer = r.finalize(s);
  Out* const to = out + row * out_pitch;
#pragma unroll
  for (int v = 0; v < V; ++v) {
    const int at = (slots.first + v * slots.step) * E;
    if (V * E > 16) more[v] = mine.template beside<E>(at, count);  // fetched again rather than kept: registers are short
    computed_of<X> z[E];
    const auto map = [&](int e, int column) {
      z[e] = mine.map(answer, more[v], e, column, element<X, computed_of<X>>(x[v], e), element<Y, computed_of<Y>>(y[v], e));
    };
    if (aligned && at + E <= count) {
#pragma unroll
      for (int e = 0; e < E; ++e) map(e, at + e);
      store_bundle(to + at, z);
    } else {
#pragma unroll
      for (int e = 0; e < E; ++e)
        if (at + e < count) map(e, at + e), to[at + e] = narrowed<Out>(z[e]);
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
row_plan plan_pairs(const row_source<X>& in, const card& c, bool keeps_more) {
  const index vectors = rounded_up_division(in.columns > 0 ? in.columns : 1, per_vector<X>);
  row_plan p;
  // 128 bytes a thread where a row takes a cluster: of the half types, too, in smaller blocks where weights need the registers.
  const int most = sizeof(X) <= 2 && vectors <= 2 * 512 ? 2 : 4;
  p.vectors = most;
  if (vectors <= 32 * most) {
    p.vectors = vectors <= 32 ? 2 : most;
    p.lanes = static_cast<int>(power_of_two_from(rounded_up_division(vectors, p.vectors)));
    p.teams = 128 / p.lanes;
    return p;
  }
  index threads = power_of_two_from(rounded_up_division(vectors, most)), blocks = 1;
  const index fit = keeps_more && sizeof(X) <= 2 && most == 4 && threads <= static_cast<index>(256) * c.largest_cluster ? 256 : 512;
  while (threads / blocks > fit && blocks < c.largest_cluster) blocks *= 2;
  p.blocks = static_cast<int>(blocks), p.warps = static_cast<int>(threads / blocks / 32);
  return p;
}
}  // namespace detail

//! @brief  out(row, column) = how.of_row(row).map(answer, …, column, x, y), where the answer of a row is R's of what its `reduce` hands on
//! for its pairs. @see kernels::pair_maps
//! @shape  in: [rows, columns], row k at data + k·pitch; second: row k at second + k·second_pitch; elements of equal size. out may be
//! either input
//! @order  as reduce_rows_into
//! @errors TF3201 … TF3207, before anything is launched; rows of more than 16·512·16 (2^17) elements are refused (TF3205)
//! @cost   one read of either input, one write
template <class R, class X, class Y, class Out, class How>
void map_row_pairs(const R& r, const row_source<X>& in, const Y* second, index second_pitch, Out* out, index out_pitch, const How& how,
                   cudaStream_t stream = nullptr) {
  detail::check_rows(in, second);
  detail::check_rows(in, out);
  const card here = current_card();
  using beside = decltype(how.of_row(index{}).template beside<per_vector<X>>(index{}, index{}));
  const row_plan p = detail::plan_pairs(in, here, !std::is_empty_v<beside>);
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
  const auto run = [&](auto v, auto threads) {
    constexpr int vectors = decltype(v)::value, most = decltype(threads)::value;
    using tile = kernels::pair_tile<X, Y, vectors, decltype(how.of_row(index{}))>;
    for (index first = 0; first < in.rows; first += limit * per_block) {
      const index left = in.rows - first, rows = left < limit * per_block ? left : limit * per_block;
      detail::launch_with(kernels::rows_of_two<vectors, most, R, X, Y, Out, How>, detail::rounded_up_division(rows, per_block) * p.blocks,
                          p.threads_per_block(), p.blocks, 4 * row_room<R, tile>(p.warps, p.blocks), stream, r, in, second, second_pitch, t,
                          out, out_pitch, how, aligned, first);
    }
  };
  using four = std::integral_constant<int, 4>;
  using half = std::integral_constant<int, 256>;
  using whole = std::integral_constant<int, 512>;
  if (p.vectors == 2) return run(std::integral_constant<int, 2>{}, whole{});
  if constexpr (!std::is_empty_v<beside>)
    if (p.blocks > 1 && p.warps <= 8) return run(four{}, half{});
  run(four{}, whole{});
}
//! The same by two functions: out(row, column) = f(answer, row, column, x, y), and before(row, column, x, y, then) hands on.
template <class R, class X, class Y, class Out, class Before, class F>
requires(!std::is_same_v<F, cudaStream_t> &&
         !std::is_same_v<F, std::nullptr_t>) void map_row_pairs(const R& r, const row_source<X>& in, const Y* second, index second_pitch,
                                                                Out* out, index out_pitch, const Before& before, const F& f,
                                                                cudaStream_t stream = nullptr) {
  map_row_pairs(r, in, second, second_pitch, out, out_pitch, kernels::pair_maps<Before, F>{before, f}, stream);
}

}  // namespace twofold::cuda
