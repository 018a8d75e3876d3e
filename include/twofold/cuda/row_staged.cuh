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
  const bool there = mine < rows;
  if (there) then.ask(first + mine);
  stage_in(memory, start, head, rows * columns);
  In* const row = reinterpret_cast<In*>(memory) + head + mine * columns;
  const int each = (columns + lanes - 1) >> shift;  // not commutative: neighbours to one lane
  const int begin = is_commutative<R> ? lane : lane * each, end = is_commutative<R> ? columns : ::min(columns, begin + each);
  const int step = is_commutative<R> ? lanes : 1, count = there && end > begin ? (end - begin + step - 1) / step : 0;
  const tile part{row, begin, step, count};
  const state_of<R> s = row_state<R, tile>(
      r, [&](const auto& f) { return f(part); }, team{lanes, 1, 1}, nullptr);
  then.staged(r, s, first + mine, first, rows, there, lane, part, row, memory, head, columns);
}

}  // namespace twofold::cuda::kernels
