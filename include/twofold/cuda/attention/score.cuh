// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Scores that are changed before the softmax: softcap, ALiBi, an additive bias. In kernels of their own; the plain ones pay nothing.
#pragma once

#include "twofold/cuda/attention/arguments.cuh"
#include "twofold/cuda/attention/softmax.cuh"

namespace twofold::cuda::attention {

//! tanh x = 1 − 2/(e^2x + 1), absolutely accurate to a few roundings (tanh.approx is not: 2^-11).
__device__ __forceinline__ float tanh_of(float x) {
  float r;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(exp2_of(x * 2.8853900817779268f) + 1.0f));
  return fmaf(-2.0f, r, 1.0f);
}

//! One product q·k, changed: the score of row `row` and key `j` in nats.
__device__ inline float changed_score(float s, const arguments& a, const assignment& work, int shift, int row, int j) {
  s = a.softcap > 0 ? a.softcap * tanh_of(s * (a.factor / a.softcap)) : s * a.factor;
  if (a.alibi_slopes) s = fmaf(a.alibi_slopes[work.head], static_cast<float>(j - row - shift), s);
  if (a.bias) s += a.bias[work.batch * a.bias_stride.batch + work.head * a.bias_stride.head + row * a.bias_stride.row + j * a.bias_column];
  return s;
}

//! Products q·k become scores in nats: row `row` (and row + 8), keys from `column` as accumulators hold them. `shift`: position of row 0.
template <int Count>
__device__ __forceinline__ void change(float (&s)[Count], const arguments& a, const assignment& work, int shift, int row, int column) {
  if (a.softcap > 0) {
    const float inner = a.factor / a.softcap;
#pragma unroll
    for (int i = 0; i < Count; ++i) s[i] = a.softcap * tanh_of(s[i] * inner);
  } else {
#pragma unroll
    for (int i = 0; i < Count; ++i) s[i] *= a.factor;
  }
  if (a.alibi_slopes) {
    const float slope = a.alibi_slopes[work.head];
    const int distance = column - row - shift;
#pragma unroll
    for (int i = 0; i < Count; ++i) s[i] = fmaf(slope, static_cast<float>(distance + (i / 4) * 8 + (i & 1) - (i & 2) * 4), s[i]);
  }
  if (a.bias) {
#pragma unroll
    for (int r = 0; r < 2; ++r) {
      if (row + 8 * r >= work.queries) continue;
      const float* from = a.bias + work.batch * a.bias_stride.batch + work.head * a.bias_stride.head +
                          static_cast<std::int64_t>(row + 8 * r) * a.bias_stride.row + column * a.bias_column;
      const int inside = work.keys - column;
      const std::int64_t step = 8 * a.bias_column;
#pragma unroll
      for (int j = 0; j < Count / 4; ++j) {
        if (8 * j < inside) s[4 * j + 2 * r] += from[0];
        if (8 * j + 1 < inside) s[4 * j + 2 * r + 1] += from[a.bias_column];
        from += step;
        asm volatile("" : "+l"(from));  // one address at a time: registers are short here
      }
    }
  }
}

}  // namespace twofold::cuda::attention
