// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Short dense rows of a half type: as rows_staged with a thread a row, but the row is taken into registers in words of two elements,
//! so that pairs are compared and unpacked as in long rows.
#pragma once

#include "twofold/cuda/row_staged.cuh"

namespace twofold::cuda::kernels {

//! Elements of one to four bytes that a 32-bit word holds.
template <class In>
inline constexpr int per_word = 4 / static_cast<int>(sizeof(In));

//! Up to `Words` words of elements, of which the first `Always` are there and `count` in all. Filled: what is absent holds an element
//! without influence.
template <class R, class In, int Words, int Always, bool Filled>
struct packed_tile {
  using A = operand_of<R, In>;
  static constexpr bool ascending = true;
  static constexpr bool packed = Filled && sizeof(In) == 2;
  using pair = std::conditional_t<std::is_same_v<In, __half>, __half2, __nv_bfloat162>;
  const std::uint32_t (&word)[Words];
  int count;
  __device__ __forceinline__ static constexpr index size() { return Words * per_word<In>; }
  __device__ __forceinline__ index position_of(int i) const { return i; }
  __device__ __forceinline__ A at(int i) const { return element<In, A>({word[i / per_word<In>], 0, 0, 0}, i % per_word<In>); }
  __device__ __forceinline__ A pivot() const { return at(0); }  // asked for where the row is there
  template <class F>
  __device__ __forceinline__ void apply(index i, F&& f) const {
    const int k = static_cast<int>(i);
    if (!Filled && k >= Always && k >= count) return;
    if constexpr (takes_position<R, A>) f(i, at(k));
    else f(at(k));
  }
  __device__ __forceinline__ pair two(int k) const {
    pair p;
    memcpy(&p, &word[k], 4);
    return p;
  }
  //! @see thread_tile
  __device__ __forceinline__ int first_equal(const A& x) const requires(packed) {
    const In one = narrowed<In>(x);
    const pair both{one, one};
    std::uint32_t bits = 0;
#pragma unroll
    for (int k = 0; k < Words; ++k) bits |= __heq2_mask(two(k), both) & (0x10001u << k);
    const int even = __ffs(static_cast<int>(bits & 0xffff)), odd = __ffs(static_cast<int>(bits >> 16));
    const int first = ::min(even ? 2 * even - 2 : 64, odd ? 2 * odd - 1 : 64);
    return first < 64 ? first : -1;
  }
  __device__ __forceinline__ static constexpr int together() requires(packed) { return Words % 4 == 0 ? 8 : 6; }
  template <class F>
  __device__ __forceinline__ void apply_together(int k, F&& f) const requires(packed) {
    static_assert(2 * Words % together() == 0);
    A x[together()];
#pragma unroll
    for (int e = 0; e < together(); ++e) x[e] = at(k * together() + e);
    f(x);
  }
  __device__ __forceinline__ A largest() const requires(packed) {
    pair most = two(0);
#pragma unroll
    for (int k = 1; k < Words; ++k) most = __hmax2_nan(most, two(k));
    return widened<A>(__hmax_nan(most.x, most.y));
  }
};

//! Rows a thread takes.
inline constexpr int packed_rows = 2;

//! @brief  Dense rows of more than packed_always<Most> and up to Most elements of two or four bytes, packed_rows rows a thread.
//! @pre    in.pitch = in.columns; dynamic shared memory for the block's rows, and room for Most elements more
template <int Most, class R, class In, class Then>
__global__ void __launch_bounds__(256) rows_packed(const R r, const row_source<In> in, const Then then, const index first_row) {
  static_assert(sizeof(In) == 2 || sizeof(In) == 4);
  extern __shared__ uint4 memory[];
  constexpr bool filled = has_unseen<R, In> || has_unseen_behind<R, In>;
  constexpr int always = packed_always<Most>, per = per_word<In>, count = Most / per;
  using tile = packed_tile<R, In, count, always, filled>;
  const int columns = static_cast<int>(in.columns), most = static_cast<int>(blockDim.x) * packed_rows;
  const index first = first_row + static_cast<index>(blockIdx.x) * most, left = in.rows - first;
  const int rows = left < static_cast<index>(most) ? static_cast<int>(left) : most;
  const In* const start = in.data + first * columns;
  const int head = misalignment(start);
  const auto row_of = [&](int h) { return static_cast<int>(threadIdx.x) + h * static_cast<int>(blockDim.x); };
#pragma unroll
  for (int h = 0; h < packed_rows; ++h)
    if (row_of(h) < rows) then.ask(first + row_of(h));
  stage_in(memory, start, head, rows * columns);
  const std::uint32_t absent = filler_behind<R, In>().x;
  std::uint32_t word[packed_rows][count];
  state_of<R> s[packed_rows];
#pragma unroll
  for (int h = 0; h < packed_rows; ++h) {
    const int at = head + (row_of(h) < rows ? row_of(h) : 0) * columns;
    const std::uint32_t* const from = reinterpret_cast<const std::uint32_t*>(memory) + at / per;
    const int shift = at % per * 8 * static_cast<int>(sizeof(In));
    std::uint32_t low = from[0];
#pragma unroll
    for (int k = 0; k < count; ++k) {
      if constexpr (per == 1) {
        word[h][k] = from[k];
      } else {
        const std::uint32_t high = from[k + 1];
        word[h][k] = __funnelshift_r(low, high, shift);
        low = high;
      }
      if ((k + 1) * per > always && (k + 1) * per > columns)
        word[h][k] = k * per >= columns ? absent : (word[h][k] & 0xffffu) | (absent & 0xffff0000u);
    }
    const tile part{word[h], columns};
    s[h] = row_state<R, tile>(
        r, [&](const auto& f) { return f(part); }, team{1, 1, 1}, nullptr);
  }
  if constexpr (!only_reduces<Then>) __syncthreads();  // a neighbour may have read a word that is half ours
#pragma unroll
  for (int h = 0; h < packed_rows; ++h)
    if (row_of(h) < rows)
      then.template packed<Most, R, In>(r, s[h], first + row_of(h), word[h], reinterpret_cast<In*>(memory) + head + row_of(h) * columns,
                                        columns);
  if constexpr (!only_reduces<Then>) then.put_packed(first, rows, memory, head, columns);
}

}  // namespace twofold::cuda::kernels
