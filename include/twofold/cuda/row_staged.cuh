// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Short rows that lie densely at odd places: a block copies many of them to shared memory as one piece, aligned and whole, and its
//! teams of lanes read them from there element by element.
#pragma once

#include "twofold/cuda/row_kernels.cuh"

namespace twofold::cuda::kernels {

//! Some elements of a row in shared memory as a source: first, first + step, …
template <class R, class In>
struct staged_tile {
  using A = operand_of<R, In>;
  const In* row;
  int first, step, count;
  __device__ __forceinline__ A pivot() const { return widened<A>(row[0]); }  // asked for where the row is there
  static constexpr bool ascending = true;
  __device__ __forceinline__ index position_of(int i) const { return first + i * step; }
  __device__ __forceinline__ index size() const { return count; }
  template <class F>
  __device__ __forceinline__ void apply(index i, F&& f) const {
    const int j = first + static_cast<int>(i) * step;
    if constexpr (takes_position<R, A>) f(static_cast<index>(j), widened<A>(row[j]));
    else f(widened<A>(row[j]));
  }
};

//! @brief  Dense rows of up to a few kilobytes, blockDim.x / lanes of them a block.
//! @pre    in.pitch = in.columns; dynamic shared memory for the block's rows and 16 bytes more, twice that where `then` maps to another
//! size
template <class R, class In, class Then>
__global__ void __launch_bounds__(256)
    rows_staged(const R r, const row_source<In> in, const int lanes, const Then then, const index first_row) {
  extern __shared__ uint4 memory[];
  using tile = staged_tile<R, In>;
  const int shift = 31 - __clz(lanes), lane = threadIdx.x & (lanes - 1), mine = threadIdx.x >> shift,
            columns = static_cast<int>(in.columns);
  const index first = first_row + static_cast<index>(blockIdx.x) * (blockDim.x >> shift), left = in.rows - first;
  const int rows = left < static_cast<index>(blockDim.x >> shift) ? static_cast<int>(left) : static_cast<int>(blockDim.x >> shift);
  const In* const start = in.data + first * columns;
  const int head = misalignment(start);
  stage_in(memory, start, head, rows * columns);
  const bool there = mine < rows;
  In* const row = reinterpret_cast<In*>(memory) + head + mine * columns;
  const int each = (columns + lanes - 1) >> shift;  // not commutative: neighbours to one lane
  const int begin = is_commutative<R> ? lane : lane * each, end = is_commutative<R> ? columns : min(columns, begin + each);
  const int step = is_commutative<R> ? lanes : 1, count = there && end > begin ? (end - begin + step - 1) / step : 0;
  const tile part{row, begin, step, count};
  const state_of<R> s = row_state<R, tile>(
      r, [&](const auto& f) { return f(part); }, team{lanes, 1, 1}, nullptr);
  then.staged(r, s, first + mine, first, rows, there, lane, part, row, memory, head, columns);
}

//! @brief  Dense rows of up to 8·V elements of a half type: as rows_staged with one lane a row, but the row is taken into registers in
//! words, so that pairs are compared and unpacked as in long rows.
//! @pre    in.pitch = in.columns ≤ 8·V; dynamic shared memory as rows_staged and 16·V bytes more
template <int V, class R, class In, class Then>
__global__ void __launch_bounds__(256) rows_packed(const R r, const row_source<In> in, const Then then, const index first_row) {
  static_assert(sizeof(In) == 2);
  extern __shared__ uint4 memory[];
  constexpr bool filled = has_unseen<R, In> || has_unseen_behind<R, In>;
  using tile = anchored_tile<R, In, V, filled ? absence::none : absence::elements>;
  const int mine = static_cast<int>(threadIdx.x), columns = static_cast<int>(in.columns);
  const index first = first_row + static_cast<index>(blockIdx.x) * blockDim.x, left = in.rows - first;
  const int rows = left < static_cast<index>(blockDim.x) ? static_cast<int>(left) : static_cast<int>(blockDim.x);
  const In* const start = in.data + first * columns;
  const int head = misalignment(start);
  stage_in(memory, start, head, rows * columns);
  const bool there = mine < rows;
  const int at = head + (there ? mine : 0) * columns;
  const std::uint32_t* const from = reinterpret_cast<const std::uint32_t*>(memory) + at / 2;
  const int shift = at % 2 * 16;
  const uint4 absent = filler_behind<R, In>();
  std::uint32_t word[4 * V], low = from[0];
#pragma unroll
  for (int k = 0; k < 4 * V; ++k) {
    const std::uint32_t high = from[k + 1];
    word[k] = __funnelshift_r(low, high, shift);
    low = high;
    if (2 * k + 1 >= columns) word[k] = 2 * k >= columns ? absent.x : (word[k] & 0xffffu) | (absent.x & 0xffff0000u);
  }
  uint4 raw[V];
#pragma unroll
  for (int v = 0; v < V; ++v) raw[v] = {word[4 * v], word[4 * v + 1], word[4 * v + 2], word[4 * v + 3]};
  using A = operand_of<R, In>;
  const tile part{{raw, slots_of_thread{0, 1, 0}, 0, (std::uint64_t(1) << columns) - 1}, element<In, A>(raw[0], 0)};
  const state_of<R> s = row_state<R, tile>(
      r, [&](const auto& f) { return f(part); }, team{1, 1, 1}, nullptr);
  then.template packed<V, R, In>(r, s, first + mine, first, rows, there, raw, reinterpret_cast<In*>(memory) + at, memory, head, columns);
}

}  // namespace twofold::cuda::kernels
