// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Two matrices of one shape reduced and mapped row by row together: what backward passes are made of.
#pragma once

#include "twofold/cuda/row_pairs_spread.cuh"
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

//! @brief  out(row, column) = f(answer of the row, row, column, x, y), both inputs read once. A team of lanes, warps or blocks has a row,
//! as in rows_on_chip.
template <int V, class R, class X, class Y, class Out, class How>
__global__ void __launch_bounds__(512, 2)
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
        if (whole) return g(pair_tile<X, Y, V, bound, true>{x, y, more, slots, count, 0, mine});
        return g(tile{x, y, more, slots, count, 0, mine});
      },
      t, memory);
  if (!there) return;
  const auto answer = r.finalize(s);
  Out* const to = out + row * out_pitch;
#pragma unroll
  for (int v = 0; v < V; ++v)
    write_pairs<X, Y>(to, (slots.first + v * slots.step) * E, count, 0, aligned, answer, mine, more[v], x[v], y[v]);
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
//! 16 elements a thread of either matrix; blocks of a cluster where one is too small. Rows that are too long for a cluster are spread over
//! all processors, where `spreads` says that there is memory for it and they begin on 16 bytes.
template <class X>
row_plan plan_pairs(const row_source<X>& in, const card& c, bool keeps_more, bool spreads) {
  const index vectors = rounded_up_division(in.columns > 0 ? in.columns : 1, per_vector<X>);
  row_plan p;
  // 128 bytes a thread where a row takes a cluster: of the half types, too, unless weights need the registers.
  const int most = sizeof(X) <= 2 && (keeps_more || vectors <= 2 * 512) ? 2 : 4;
  p.vectors = most;
  if (vectors <= 32 * most) {
    p.vectors = vectors <= 32 ? 2 : most;
    p.lanes = static_cast<int>(power_of_two_from(rounded_up_division(vectors, p.vectors)));
    p.teams = 128 / p.lanes;
    return p;
  }
  const index threads = power_of_two_from(rounded_up_division(vectors, most));
  if (spreads && c.largest_cluster > 1 && threads > 512 * c.largest_cluster) {
    p.kernel = row_kernel::spread, p.stages = 5, p.ahead = 2;
    p.warps = vectors <= 64 * 512 ? 8 : 16, p.vectors = 2;
    p.parts = rounded_up_division(vectors, static_cast<index>(32) * p.warps * p.vectors);
    return p;
  }
  index blocks = 1;
  while (threads / blocks > 512 && blocks < c.largest_cluster) blocks *= 2;
  p.blocks = static_cast<int>(blocks), p.warps = static_cast<int>(threads / blocks / 32);
  return p;
}
//! Do rows begin on 16 bytes?
inline bool rows_begin_aligned(const void* data, index rows, index pitch_bytes) {
  return reinterpret_cast<std::uintptr_t>(data) % 16 == 0 && (rows <= 1 || pitch_bytes % 16 == 0);
}
}  // namespace detail

//! Bytes of workspace with which rows that no cluster holds (up to 2^19 elements of two bytes) are spread over all processors; 0 where it
//! is of no use.
template <class R, class X>
std::size_t map_row_pairs_workspace(const row_source<X>& in, bool weights) {
  const row_plan p = detail::plan_pairs(in, card{}, weights, true);
  return p.kernel == row_kernel::spread ? static_cast<std::size_t>(in.rows * p.parts) * packets<state_of<R>>::count * sizeof(packet) : 0;
}

//! @brief  out(row, column) = how.of_row(row).map(answer, …, column, x, y), where the answer of a row is R's of what its `reduce` hands on
//! for its pairs. @see kernels::pair_maps
//! @shape  in: [rows, columns], row k at data + k·pitch; second: row k at second + k·second_pitch; elements of equal size. out may be
//! either input
//! @order  as reduce_rows_into; the bracketing of long rows depends on whether there is a workspace
//! @errors TF3201 … TF3207, before anything is launched; without workspace rows of more than 16·512·16 (2^17) elements are refused (TF3205)
//! @cost   one read of either input, one write
template <class R, class X, class Y, class Out, class How>
void map_row_pairs(const R& r, const row_source<X>& in, const Y* second, index second_pitch, Out* out, index out_pitch, const How& how,
                   workspace w = {}, cudaStream_t stream = nullptr) {
  detail::check_rows(in, second);
  detail::check_rows(in, out);
  const card here = current_card();
  using beside = decltype(how.of_row(index{}).template beside<per_vector<X>>(index{}, index{}));
  constexpr auto size = static_cast<index>(sizeof(X));
  const bool aligned =
      detail::rows_begin_aligned(in.data, in.rows, in.pitch * size) && detail::rows_begin_aligned(second, in.rows, second_pitch * size) &&
      reinterpret_cast<std::uintptr_t>(out) % (16 / sizeof(X) * sizeof(Out)) == 0 && (in.rows <= 1 || out_pitch * size % 16 == 0);
  constexpr bool weights = !std::is_empty_v<beside>;
  const bool memory = w.data != nullptr && w.bytes >= map_row_pairs_workspace<R>(in, weights);
  const row_plan p = detail::plan_pairs(in, here, weights, aligned && memory);
  if (p.warps > 16 || (p.kernel == row_kernel::spread && p.parts > 32 * kernels::spread_each))
    throw error("TF3205", detail::shape_text(in.rows, in.columns), "two rows of this length do not fit on the chip",
                "rows of up to " + std::to_string(index(here.largest_cluster) * 512 * p.vectors * per_vector<X>) +
                    " elements; longer ones with a workspace (map_row_pairs_workspace), where rows begin on 16 bytes");
  if (in.rows == 0 || in.columns == 0) return;
  if (p.kernel == row_kernel::spread) {
    detail::check_workspace(w, map_row_pairs_workspace<R>(in, weights), to_string(p));
    using room = kernels::spread_room<R, detail::answer_of<R>>;
    const int slots = 32 * p.warps * p.vectors, shared = static_cast<int>((sizeof(room) + 127) / 128 * 128) + p.stages * 2 * slots * 16;
    return detail::with_vectors<2, 2>(p.vectors, [&](auto v) {
      detail::launch_resident(
          kernels::rows_of_two_spread<decltype(v)::value, R, X, Y, Out, How>, in.rows, p, shared, w,
          map_row_pairs_workspace<R>(in, weights), stream, r, in, row_source<Y>{second, in.rows, in.columns, second_pitch},
          kernels::spread_job{static_cast<packet*>(w.data), static_cast<int>(p.parts), slots, p.stages, p.ahead}, out, out_pitch, how);
    });
  }
  const team t{p.lanes, p.warps, p.blocks};
  const index per_block = p.warps * p.blocks == 1 ? p.teams : 1, limit = (index(1) << 30) / p.blocks;
  detail::with_vectors<2, 4>(p.vectors, [&](auto v) {
    constexpr int vectors = decltype(v)::value;
    using tile = kernels::pair_tile<X, Y, vectors, decltype(how.of_row(index{}))>;
    for (index first = 0; first < in.rows; first += limit * per_block) {
      const index left = in.rows - first, rows = left < limit * per_block ? left : limit * per_block;
      detail::launch_with(kernels::rows_of_two<vectors, R, X, Y, Out, How>, detail::rounded_up_division(rows, per_block) * p.blocks,
                          p.threads_per_block(), p.blocks, 4 * row_room<R, tile>(p.warps, p.blocks), stream, r, in, second, second_pitch, t,
                          out, out_pitch, how, aligned, first);
    }
  });
}
//! The same by two functions: out(row, column) = f(answer, row, column, x, y), and before(row, column, x, y, then) hands on.
template <class R, class X, class Y, class Out, class Before, class F>
requires(!std::is_same_v<F, workspace>) void map_row_pairs(const R& r, const row_source<X>& in, const Y* second, index second_pitch,
                                                           Out* out, index out_pitch, const Before& before, const F& f, workspace w = {},
                                                           cudaStream_t stream = nullptr) {
  map_row_pairs(r, in, second, second_pitch, out, out_pitch, kernels::pair_maps<Before, F>{before, f}, w, stream);
}

}  // namespace twofold::cuda
