// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Reduce and map along an axis that is not the contiguous one, reading every element once: a cluster holds a strip of 32 columns in
//! registers.
#pragma once

#include "twofold/cuda/column_kernels.cuh"

namespace twofold::cuda::kernels {

//! How many warps a block may have: 48 KiB of shared memory for what they exchange.
template <class S>
inline constexpr int strip_warps_of = words<S>::count <= 4 ? 32 : 16;
template <class R>
inline constexpr int strip_warps = strip_warps_of<state_of<R>>;

//! Shared memory in which the warps of a block, then the blocks of a cluster, exchange the states of 32 columns.
template <class S>
struct strip_room {
  std::uint32_t warps[words<S>::count * strip_warps_of<S> * 32];
  std::uint32_t blocks[words<S>::count * 16 * 32];
};

//! @brief  s[e], the state of column wide·E + e in this thread's rows, becomes that of the whole column, in every thread.
//! Lane = down·(32/E) + wide: `wide` walks across the strip, `down` along the axis; then warps, then blocks, all in order.
//! @pre    all threads of the cluster take part; each room serves one call; every block has begun where blocks > 1
template <int E, class S, class Op>
__device__ __forceinline__ void merge_strip(S (&s)[E], int warps, int blocks, strip_room<S>& room, const Op& op) {
  constexpr int across = 32 / E;
  const int lane = threadIdx.x & 31, warp = threadIdx.x / 32, wide = lane % across;
  const shared_states<S> of_warps{room.warps, strip_warps_of<S> * 32}, of_blocks{room.blocks, 16 * 32};
#pragma unroll
  for (int o = across; o < 32; o *= 2)
#pragma unroll
    for (int e = 0; e < E; ++e) s[e] = merged_with_partner(s[e], o, lane & o, op);
  if (lane < across)
#pragma unroll
    for (int e = 0; e < E; ++e) of_warps.put(warp * 32 + wide * E + e, s[e]);
  __syncthreads();
  S column = of_warps.get(lane);  // from here on a lane has one column
  for (int w = 1; w < warps; ++w) column = op(column, of_warps.get(w * 32 + lane));
#if __CUDA_ARCH__ >= 900
  if (blocks > 1) {
    const int rank = cluster_rank();
    for (int b = warp; b < blocks; b += warps) put_remote(of_blocks, b, rank * 32 + lane, column);
    cluster_arrive();
    cluster_wait();
    column = of_blocks.get(lane);
    for (int b = 1; b < blocks; ++b) column = op(column, of_blocks.get(b * 32 + lane));
  }
#endif
#pragma unroll
  for (int e = 0; e < E; ++e) s[e] = shuffle_from(column, wide * E + e);
}

//! @brief  out(l, i) = f(answer of column i, x, l, i), every element read once.
//! @pre    rows of input and output begin on 16 bytes; blocks · warps · E · V ≥ length
template <int V, class R, class In, class Out, class F>
__global__ void __launch_bounds__(1024, 1) columns_on_chip(const R r, const column_source<In> in, const index strips, const int blocks,
                                                           Out* const out, const index out_outer_pitch, const index out_pitch, const F f) {
  constexpr int E = per_vector<In>, across = 32 / E;
  using A = operand_of<R, In>;
  using whole_tile = column_tile<R, In, V, E, false>;
  using masked_tile = column_tile<R, In, V, E, true>;
  using survey = typename exchanged<R, whole_tile>::survey;
  using value = typename exchanged<R, whole_tile>::value;
  __shared__ strip_room<value> room;
  __shared__ strip_room<std::conditional_t<surveys<R, whole_tile>, survey, char>> survey_room;
  const int lane = threadIdx.x & 31, warps = blockDim.x / 32;
#if __CUDA_ARCH__ >= 900
  const int rank = blocks > 1 ? cluster_rank() : 0;
#else
  constexpr int rank = 0;
#endif
  const index strip = blockIdx.x / blocks % strips, o = blockIdx.x / blocks / strips, column = strip * 32 + lane % across * E;
  const index row = static_cast<index>((rank * warps + static_cast<int>(threadIdx.x / 32)) * E + lane / across) * V;
  const index left = column < in.inner ? in.length - row : 0;
  const int there = left < 0 ? 0 : left < V ? static_cast<int>(left) : V;
#if __CUDA_ARCH__ >= 900
  if (blocks > 1) cluster_arrive();
#endif
  const In* const from = in.data + o * in.outer_pitch + row * in.pitch + column;
  chunk<In, E> rows[V];
#pragma unroll
  for (int v = 0; v < V; ++v) {
    if (v < there) rows[v].load(from + v * in.pitch);
    else if constexpr (has_unseen<R, In>) rows[v].fill(static_cast<A>(R::unseen()));
  }
#if __CUDA_ARCH__ >= 900
  if (blocks > 1) cluster_wait();
#endif
  const bool whole = has_unseen<R, In> || __all_sync(~0u, there == V);
  state_of<R> s[E];
  const auto each = [&](const auto& reduce) {
#pragma unroll
    for (int e = 0; e < E; ++e) {
      if (whole) reduce(e, whole_tile{rows, e, row, V});
      else reduce(e, masked_tile{rows, e, row, there});
    }
  };
  if constexpr (surveys<R, whole_tile>) {
    survey seen[E];
    each([&](int e, const auto& tile) { seen[e] = r.survey(tile); });
    merge_strip(seen, warps, blocks, survey_room, merge_by<R::symmetric_join>([&](const auto& a, const auto& b) { return r.join(a, b); }));
    value v[E];
    each([&](int e, const auto& tile) { v[e] = r.collect(tile, seen[e]); });
    merge_strip(v, warps, blocks, room, merge_by<R::symmetric_values>([&](const auto& a, const auto& b) { return r.add_values(a, b); }));
#pragma unroll
    for (int e = 0; e < E; ++e) s[e] = r.state_at(seen[e], v[e]);
  } else {
    each([&](int e, const auto& tile) { s[e] = leaf(r, tile); });
    merge_strip(s, warps, blocks, room, merge_by<is_symmetric<R>>([&](const auto& a, const auto& b) { return r.combine(a, b); }));
  }
  using answer = std::remove_cvref_t<decltype(r.finalize(s[0]))>;
  answer a[E];
#pragma unroll
  for (int e = 0; e < E; ++e) a[e] = r.finalize(s[e]);
  Out* const to = out + o * out_outer_pitch + row * out_pitch + column;
  with_map(f, a, [&](const auto& map) {
#pragma unroll
    for (int v = 0; v < V; ++v) {
      if (v >= there) continue;
      A y[E];
#pragma unroll
      for (int e = 0; e < E; ++e) y[e] = map(a[e], rows[v].template get<A>(e), row + v, column + e);
      store_bundle(to + v * out_pitch, y);
    }
  });
}

}  // namespace twofold::cuda::kernels
