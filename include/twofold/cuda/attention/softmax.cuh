// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The leaf of the monoid in registers: a tile of scores becomes weights at one reference, joined to the state so far.
//!
//! A thread holds two rows (r = 0, 1) of the accumulator: s[4j + 2r], s[4j + 2r + 1] are columns 8j + 2(t%4) and the next. The four threads
//! of a quad share a row. State of a row: at (M, log2 units), l (this thread's share), o (the accumulators of P·V).
#pragma once

#include <cstdint>

#include "twofold/algebra/config.hpp"
#include "twofold/cuda/ptx/math.cuh"

namespace twofold::cuda::attention {

using ptx::exp2_of;
using ptx::reciprocal_of;

//! Of two rows at once: the exchanges of one wait beside those of the other.
__device__ __forceinline__ void quad_max(float (&x)[2]) {
#pragma unroll
  for (int step = 1; step < 4; step *= 2) {
    const float y[2] = {__shfl_xor_sync(~0u, x[0], step), __shfl_xor_sync(~0u, x[1], step)};
    x[0] = fmaxf(x[0], y[0]), x[1] = fmaxf(x[1], y[1]);
  }
}
__device__ __forceinline__ float quad_sum(float x) {
  x += __shfl_xor_sync(~0u, x, 1);
  return x + __shfl_xor_sync(~0u, x, 2);
}

//! How scores become log2 units.
struct score_scale {
  float c;      //!< log2(e)·score_factor, rounded once; 1 where scores are changed: they are in log2 units then
  float c_far;  //!< where |score·c| is `far` of the element type, this power of two, at least c, stands for c
  float back;   //!< c / c_far
};

//! References and denominators of two rows, and what the gauge last did to them. `Votes`: work that no row needs is left out. Scores become
//! log2 units by a factor c; `Scaled`: they are, and c is 1.
template <class Traits, bool Votes, bool Scaled, bool Rounded = false>
struct row_pair {
  float at[2], l[2], factor[2];
  float rounded[Rounded ? 2 : 1];  // Rounded: the sum of the weights as the matrix unit sees them
  bool moved[2];                   // with Votes: by this tile, for the first or second rows of some thread of the warp
  bool high;                       // every row of the warp has seen a positive score: what exceeds a reference is positive

  __device__ __forceinline__ void clear() {
    for (int r = 0; r < 2; ++r) at[r] = -INFINITY, l[r] = 0, factor[r] = 1;
    for (float& x : rounded) x = 0;
    moved[0] = moved[1] = high = false;
  }

  //! The largest score of each row among this thread's columns.
  template <int Count>
  __device__ __forceinline__ static void largest(const float (&s)[Count], float (&m)[2]) {
#pragma unroll
    for (int r = 0; r < 2; ++r) {
      float a = fmaxf(s[2 * r], s[2 * r + 1]), b = fmaxf(s[4 + 2 * r], s[5 + 2 * r]);
#pragma unroll
      for (int j = 2; j < Count / 4; j += 2) {
        a = fmaxf(a, fmaxf(s[4 * j + 2 * r], s[4 * j + 2 * r + 1]));
        b = fmaxf(b, fmaxf(s[4 * j + 4 + 2 * r], s[4 * j + 5 + 2 * r]));
      }
      m[r] = fmaxf(a, b);
    }
  }

  //! What an integer maximum of three makes of scores: the largest where one is positive, else something that is not. (Positive floats are
  //! ordered as integers, all above the negative ones.) Half the instructions of `largest`.
  template <int Count>
  __device__ __forceinline__ static void largest_positive(const float (&s)[Count], float (&m)[2]) {
#pragma unroll
    for (int r = 0; r < 2; ++r) {
      int a = max(__float_as_int(s[2 * r]), __float_as_int(s[2 * r + 1]));
      int b = max(__float_as_int(s[4 + 2 * r]), __float_as_int(s[5 + 2 * r]));
#pragma unroll
      for (int j = 2; j < Count / 4; j += 2) {
        a = __vimax3_s32(a, __float_as_int(s[4 * j + 2 * r]), __float_as_int(s[4 * j + 2 * r + 1]));
        b = __vimax3_s32(b, __float_as_int(s[4 * j + 4 + 2 * r]), __float_as_int(s[4 * j + 5 + 2 * r]));
      }
      m[r] = __int_as_float(max(a, b));
    }
  }

  //! c, or what stands for it in a row whose reference is that far.
  __device__ __forceinline__ static float factor_of(float at, const score_scale& to) {
    return Scaled ? 1.0f : fabsf(at) < Traits::far ? to.c : to.c_far;
  }

  //! The gauge: the reference of each row goes to the largest score so far, whose weight is 1 then and rounded exactly. With Votes nobody
  //! needs the maximum itself where no newcomer of the warp exceeds its row's reference. What came before learns of a new reference by
  //! `factor` = A(at → new).
  template <int Count>
  __device__ __forceinline__ void settle(const float (&s)[Count], const score_scale& to) {
    float m[2];
    largest_positive(s, m);
    if (!high) {
      float of_row[2] = {m[0], m[1]};
      quad_max(of_row);
      high = __all_sync(~0u, of_row[0] > 0 && of_row[1] > 0);
      if (!high) largest(s, m);
    }
    factor[0] = factor[1] = 1;
    moved[0] = moved[1] = false;
    if constexpr (Votes)
      if (!__any_sync(~0u, m[0] * factor_of(at[0], to) > at[0] || m[1] * factor_of(at[1], to) > at[1])) return;
    quad_max(m);
    float next[2];
#pragma unroll
    for (int r = 0; r < 2; ++r) {
      const float near = m[r] * (Scaled ? 1.0f : to.c);
      next[r] = fmaxf(at[r], m[r] * factor_of(near, to));  // what is far lies beyond what is near, on either side
    }
    if constexpr (Votes)
      for (int r = 0; r < 2; ++r) moved[r] = __any_sync(~0u, next[r] != at[r]);
#pragma unroll
    for (int r = 0; r < 2; ++r) {
      if (next[r] != at[r]) factor[r] = exp2_of(at[r] - next[r]);
      at[r] = next[r];
    }
  }

  //! s ← 2^(s·c − at), l ← l·factor + Σ s, and with Pack w ← s as operands of the next product: neighbouring accumulators are exactly
  //! its fragments. A row with nothing visible so far has reference −inf and scores of −inf: any finite reference does.
  //! What rounding at = m·c lost is the same for the whole row. So far from 0 that weights could not hold it, scores that differ at all
  //! differ by more than weights can hold: there a power of two stands for c, whose products are exact.
  //! With Act o ← factor·o on the way, in issue slots that the exponentials leave.
  template <bool Pack, bool Act = false, int Words, int Count>
  __device__ __forceinline__ void weigh(float (&s)[2 * Words], const score_scale& to, std::uint32_t (&w)[Words], float (&o)[Count]) {
    constexpr int steps = Words / 2, outputs = Count / 4;
#pragma unroll
    for (int r = 0; r < 2; ++r) {
      const float reference = fmaxf(at[r], -3.402823466e+38f), c = factor_of(at[r], to);
      float sum0 = 0, sum1 = 0;
#pragma unroll
      for (int j = 0; j < steps; ++j) {
        float &x = s[4 * j + 2 * r], &y = s[4 * j + 2 * r + 1];
        x = exp2_of(fmaf(x, c, -reference)), y = exp2_of(fmaf(y, c, -reference));
        sum0 += x, sum1 += y;
        if constexpr (Act)
#pragma unroll
          for (int i = j * outputs / steps; i < (j + 1) * outputs / steps; ++i)
            o[4 * i + 2 * r] *= factor[r], o[4 * i + 2 * r + 1] *= factor[r];
      }
      l[r] = fmaf(l[r], factor[r], sum0 + sum1);
    }
    if constexpr (Pack) pack(s, w);
  }
  template <int Words>
  __device__ __forceinline__ void pack(const float (&s)[2 * Words], std::uint32_t (&w)[Words]) {
#pragma unroll
    for (int i = 0; i < Words; ++i) w[i] = Traits::pack(s[2 * i], s[2 * i + 1]);
    if constexpr (Rounded) {
#pragma unroll
      for (int r = 0; r < 2; ++r) {
        float sum0 = 0, sum1 = 0;
#pragma unroll
        for (int i = r; i < Words; i += 2) {
          const float2 x = Traits::unpack(w[i]);
          sum0 += x.x, sum1 += x.y;
        }
        rounded[r] = fmaf(rounded[r], factor[r], sum0 + sum1);
      }
    }
  }

  //! o ← factor·o, where references moved; with Votes.
  template <int Count>
  __device__ __forceinline__ void act(float (&o)[Count]) const {
#pragma unroll
    for (int r = 0; r < 2; ++r) {
      if (!moved[r]) continue;
#pragma unroll
      for (int j = 0; j < Count / 4; ++j) o[4 * j + 2 * r] *= factor[r], o[4 * j + 2 * r + 1] *= factor[r];
    }
  }
};

}  // namespace twofold::cuda::attention
