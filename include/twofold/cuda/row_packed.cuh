// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Short dense rows of a half type: as rows_staged with a thread a row, but the row is taken into registers in words of two elements,
//! so that pairs are compared and unpacked as in long rows.
#pragma once

#include "twofold/cuda/row_staged.cuh"

namespace twofold::cuda::kernels {

//! Up to 2·W elements in W words, of which the first `Always` are there and `count` in all. Filled: what is absent holds an element without
//! influence.
template <class R, class In, int W, int Always, bool Filled>
struct packed_tile {
  using A = operand_of<R, In>;
  static constexpr bool ascending = true;
  static constexpr bool packed = Filled && sizeof(In) == 2;
  using pair = std::conditional_t<std::is_same_v<In, __half>, __half2, __nv_bfloat162>;
  const std::uint32_t (&word)[W];
  int count;
  __device__ __forceinline__ static constexpr index size() { return 2 * W; }
  __device__ __forceinline__ index position_of(int i) const { return i; }
  __device__ __forceinline__ A at(int i) const { return element<In, A>({word[i / 2], 0, 0, 0}, i % 2); }
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
    for (int k = 0; k < W; ++k) bits |= __heq2_mask(two(k), both) & (0x10001u << k);
    const int even = __ffs(static_cast<int>(bits & 0xffff)), odd = __ffs(static_cast<int>(bits >> 16));
    const int first = ::min(even ? 2 * even - 2 : 64, odd ? 2 * odd - 1 : 64);
    return first < 64 ? first : -1;
  }
  __device__ __forceinline__ static constexpr int together() requires(packed) { return W % 4 == 0 ? 8 : 6; }
  template <class F>
  __device__ __forceinline__ void apply_together(int k, F&& f) const requires(packed) {
    static_assert(2 * W % together() == 0);
    A x[together()];
#pragma unroll
    for (int e = 0; e < together(); ++e) x[e] = at(k * together() + e);
    f(x);
  }
  __device__ __forceinline__ A largest() const requires(packed) {
    pair most = two(0);
#pragma unroll
    for (int k = 1; k < W; ++k) most = __hmax2_nan(most, two(k));
    return widened<A>(__hmax_nan(most.x, most.y));
  }
};

//! Words that rows are taken in: a row of `columns` elements by the least that hold it.
template <int W>
inline constexpr int fewer_words = W == 4    ? 0
                                   : W == 6  ? 4
                                   : W == 9  ? 6
                                   : W == 12 ? 9
                                             : 12;

//! @brief  Dense rows of more than 2·fewer_words<W> and up to 2·W elements.
//! @pre    in.pitch = in.columns; dynamic shared memory as rows_staged, and room for 2·W elements more
template <int W, class R, class In, class Then>
__global__ void __launch_bounds__(256) rows_packed(const R r, const row_source<In> in, const Then then, const index first_row) {
  static_assert(sizeof(In) == 2);
  extern __shared__ uint4 memory[];
  constexpr bool filled = has_unseen<R, In> || has_unseen_behind<R, In>;
  constexpr int always = 2 * fewer_words<W>;
  using tile = packed_tile<R, In, W, always, filled>;
  const int mine = static_cast<int>(threadIdx.x), columns = static_cast<int>(in.columns);
  const index first = first_row + static_cast<index>(blockIdx.x) * blockDim.x, left = in.rows - first;
  const int rows = left < static_cast<index>(blockDim.x) ? static_cast<int>(left) : static_cast<int>(blockDim.x);
  const In* const start = in.data + first * columns;
  const int head = misalignment(start);
  const bool there = mine < rows;
  if (there) then.ask(first + mine);
  stage_in(memory, start, head, rows * columns);
  const int at = head + (there ? mine : 0) * columns;
  const std::uint32_t* const from = reinterpret_cast<const std::uint32_t*>(memory) + at / 2;
  const int shift = at % 2 * 16;
  const std::uint32_t absent = filler_behind<R, In>().x;
  std::uint32_t word[W], low = from[0];
#pragma unroll
  for (int k = 0; k < W; ++k) {
    const std::uint32_t high = from[k + 1];
    word[k] = __funnelshift_r(low, high, shift);
    low = high;
    if (2 * k + 1 >= always && 2 * k + 1 >= columns) word[k] = 2 * k >= columns ? absent : (word[k] & 0xffffu) | (absent & 0xffff0000u);
  }
  const tile part{word, columns};
  const state_of<R> s = row_state<R, tile>(
      r, [&](const auto& f) { return f(part); }, team{1, 1, 1}, nullptr);
  then.template packed<W, R, In>(r, s, first + mine, first, rows, there, word, reinterpret_cast<In*>(memory) + at, memory, head, columns);
}

}  // namespace twofold::cuda::kernels
