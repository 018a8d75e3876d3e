// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The kernels for an axis that is not the contiguous one: every thread walks down some neighbouring columns.
#pragma once

#include "twofold/algebra/tile.hpp"
#include "twofold/cuda/team.cuh"

namespace twofold::cuda {

//! outer × length × inner elements: (o, l, i) at data + o·outer_pitch + l·pitch + i. The axis to reduce is `length`; outer = 1 is axis 0 of
//! a matrix.
template <class T>
struct column_source {
  const T* data = nullptr;
  index outer = 1, length = 0, inner = 0;
  index outer_pitch = 0, pitch = 0;  //!< in elements
};

namespace kernels {

//! E neighbouring elements, moved at once: 16 or 8 bytes where columns are aligned, else one element.
template <class In, int E>
struct chunk {
  bundle<In, E> raw;
  template <class A>
  __device__ __forceinline__ A get(int e) const {
    if constexpr (sizeof(raw) == 16) {
      uint4 v;
      memcpy(&v, &raw, 16);
      return element<In, A>(v, e);
    } else if constexpr (sizeof(raw) == 8) {
      uint4 v{};
      memcpy(&v, &raw, 8);
      return element<In, A>(v, e);
    } else {
      return widened<A>(raw.x[e]);
    }
  }
  template <class A>
  __device__ __forceinline__ void fill(const A& x) {
#pragma unroll
    for (In& one : raw.x) one = narrowed<In>(x);
  }
  __device__ __forceinline__ void load(const In* from) {
    using unit = std::conditional_t<sizeof(raw) == 16, uint4, std::conditional_t<sizeof(raw) == 8, uint2, In>>;
    static_assert(sizeof(unit) == sizeof(raw));
    const unit v = *reinterpret_cast<const unit*>(from);
    memcpy(&raw, &v, sizeof(raw));
  }
};

//! Neighbouring columns of a thread, and rows it loads at once: 128 bytes under way a thread, leaves of at least 8 elements.
template <class In>
inline constexpr int columns_at_once = sizeof(In) <= 2 ? 4 : per_vector<In>;
template <class In>
inline constexpr int rows_at_once = 128 / (columns_at_once<In> * static_cast<int>(sizeof(In)));

//! Column e of U chunks as a source; `there` of them are rows of the matrix, the others absent.
template <class R, class In, int U, int E, bool Masked>
struct column_tile {
  using A = operand_of<R, In>;
  const chunk<In, E> (&rows)[U];
  int column;
  index origin;  //!< position of row 0
  int there;
  static constexpr bool ascending = true;
  __device__ __forceinline__ index position_of(int i) const { return origin + i; }
  __device__ __forceinline__ static constexpr index size() { return U; }
  template <class F>
  __device__ __forceinline__ void apply(index i, F&& f) const {
    const int u = static_cast<int>(i);
    if (Masked && u >= there) return;
    const A x = rows[u].template get<A>(column);
    if constexpr (takes_position<R, A>) f(origin + u, x);
    else f(x);
  }
  //! @name The half types, where all elements are there: as thread_tile, but the two elements of a word are of neighbouring columns.
  //! @{
  static constexpr bool packed = (std::is_same_v<In, __nv_bfloat16> || std::is_same_v<In, __half>)&&!Masked && E % 2 == 0;
  using pair = std::conditional_t<std::is_same_v<In, __half>, __half2, __nv_bfloat162>;
  __device__ __forceinline__ A largest() const requires(packed) {
    const auto two = [&](int u) {
      pair p;
      memcpy(&p, rows[u].raw.x + column / 2 * 2, 4);
      return p;
    };
    pair most = two(0);
#pragma unroll
    for (int u = 1; u < U; ++u) most = __hmax2_nan(most, two(u));
    return widened<A>(column % 2 ? most.y : most.x);
  }
  __device__ __forceinline__ static constexpr int together() requires(packed) { return U < 8 ? U : 8; }
  template <class F>
  __device__ __forceinline__ void apply_together(int k, F&& f) const requires(packed) {
    constexpr int many = U < 8 ? U : 8;
    A x[many];
#pragma unroll
    for (int i = 0; i < many; ++i) x[i] = rows[k * many + i].template get<A>(column);
    f(x);
  }
  //! @}
};

//! The map of E neighbouring columns: g(answer, x, l, i), by the answers' path without special cases where all of them have one.
template <class F, class Answer, int E, class Each>
__device__ __forceinline__ void with_map(const F& f, const Answer (&a)[E], const Each& each) {
  if constexpr (requires { f.plain(a[0]); }) {
    bool plain = true;
#pragma unroll
    for (int e = 0; e < E; ++e) plain = plain && f.plain(a[e]);
    if (plain) return each([&](const auto& answer, const auto& x, index l, index i) { return f.plain(answer, x, l, i); });
  }
  each(f);
}

//! @brief  Columns of any length, read once. A block of `warps` warps has 32·E columns and one of `parts` pieces of the axis; its warps
//! have neighbouring parts of that piece. parts = 1: the states go to `then`; else to partial[(o·parts + part)·inner + i].
template <int U, int E, class R, class In, class Then>
__global__ void __launch_bounds__(512) columns_streamed(const R r, const column_source<In> in, const index strips, const index parts,
                                                        state_of<R>* const partial, const Then then) {
  using state = state_of<R>;
  extern __shared__ uint4 shared[];
  state* const states = reinterpret_cast<state*>(shared);  // [warps][32 · E]
  const int lane = threadIdx.x & 31, warp = threadIdx.x / 32, warps = blockDim.x / 32;
  const index strip = blockIdx.x % strips, part = blockIdx.x / strips % parts, o = blockIdx.x / strips / parts;
  const index column = (strip * 32 + lane) * E;
  const index pieces = parts * warps, each = in.length / pieces, longer = in.length % pieces, piece = part * warps + warp;
  const index begin = piece * each + (piece < longer ? piece : longer), end = begin + each + (piece < longer);
  state s[E];
#pragma unroll
  for (int e = 0; e < E; ++e) s[e] = r.identity();
  if (column < in.inner) {
    const In* from = in.data + o * in.outer_pitch + begin * in.pitch + column;
    chunk<In, E> rows[U];
    index l = begin;
    for (; l + U <= end; l += U) {
#pragma unroll
      for (int u = 0; u < U; ++u) rows[u].load(from + u * in.pitch);
      from += U * in.pitch;
#pragma unroll
      for (int e = 0; e < E; ++e) leaf_into(r, s[e], column_tile<R, In, U, E, false>{rows, e, l, U});
    }
    if (l < end) {
      const int there = static_cast<int>(end - l);
#pragma unroll
      for (int u = 0; u < U; ++u)
        if (u < there) rows[u].load(from + u * in.pitch);
#pragma unroll
      for (int e = 0; e < E; ++e) leaf_into(r, s[e], column_tile<R, In, U, E, true>{rows, e, l, there});
    }
  }
#pragma unroll
  for (int e = 0; e < E; ++e) states[(warp * 32 + lane) * E + e] = s[e];
  __syncthreads();
  for (int c = threadIdx.x; c < 32 * E; c += blockDim.x) {
    const index at = strip * 32 * E + c;
    if (at >= in.inner) continue;
    state whole = states[c];
    for (int w = 1; w < warps; ++w) combine_into(r, whole, states[w * 32 * E + c]);
    if (parts == 1) then.state(r, whole, o * in.inner + at);
    else partial[(o * parts + part) * in.inner + at] = whole;
  }
}

//! The states of a column's pieces, merged in order: a thread a column.
template <class R, class Then>
__global__ void __launch_bounds__(256) columns_merged(const R r, const state_of<R>* const partial, const index parts, const index inner,
                                                      const index columns, const Then then) {
  const index c = static_cast<index>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (c >= columns) return;
  const state_of<R>* const from = partial + c / inner * parts * inner + c % inner;
  state_of<R> s = from[0];
  for (index k = 1; k < parts; ++k) combine_into(r, s, from[k * inner]);
  then.state(r, s, c);
}

//! @brief  The second pass: every element mapped by its column's answer. Blocks as columns_streamed.
template <int U, int E, class R, class In, class Answer, class Out, class F>
__global__ void __launch_bounds__(512)
    columns_mapped(const column_source<In> in, const index strips, const index parts, const Answer* const answers, Out* const out,
                   const index out_outer_pitch, const index out_pitch, const F f) {
  using A = operand_of<R, In>;
  const int lane = threadIdx.x & 31, warp = threadIdx.x / 32, warps = blockDim.x / 32;
  const index strip = blockIdx.x % strips, part = blockIdx.x / strips % parts, o = blockIdx.x / strips / parts;
  const index column = (strip * 32 + lane) * E;
  if (column >= in.inner) return;
  const index pieces = parts * warps, each = in.length / pieces, longer = in.length % pieces, piece = part * warps + warp;
  const index begin = piece * each + (piece < longer ? piece : longer), end = begin + each + (piece < longer);
  Answer a[E];
#pragma unroll
  for (int e = 0; e < E; ++e) a[e] = answers[o * in.inner + column + e];
  with_map(f, a, [&](const auto& map) {
    for (index l = begin; l < end; l += U) {
      chunk<In, E> rows[U];
#pragma unroll
      for (int u = 0; u < U; ++u)
        if (l + u < end) rows[u].load(in.data + o * in.outer_pitch + (l + u) * in.pitch + column);
#pragma unroll
      for (int u = 0; u < U; ++u) {
        if (l + u >= end) continue;
        A y[E];
#pragma unroll
        for (int e = 0; e < E; ++e) y[e] = map(a[e], rows[u].template get<A>(e), l + u, column + e);
        store_bundle(out + o * out_outer_pitch + (l + u) * out_pitch + column, y);
      }
    }
  });
}

}  // namespace kernels
}  // namespace twofold::cuda
