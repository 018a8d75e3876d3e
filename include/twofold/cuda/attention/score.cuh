// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Scores that are changed before the softmax: softcap, ALiBi, an additive bias. In kernels of their own; the plain ones pay nothing.
#pragma once

#include "twofold/cuda/attention/arguments.cuh"
#include "twofold/cuda/attention/softmax.cuh"

namespace twofold::cuda::attention {

//! tanh x = 1 − 2/(e^2x + 1), absolutely accurate to a few roundings (tanh.approx is not: 2^-11).
__device__ __forceinline__ float tanh_of(float x) { return fmaf(-2.0f, reciprocal_of(exp2_of(x * 2.8853900817779268f) + 1.0f), 1.0f); }

//! A bias joins a score. Both finite: the sum is a number, however far (a mask of −FLT_MAX over a whole row gives the mean of the row).
__device__ __forceinline__ float with_bias(float s, float bias) {
  const float x = fmaf(bias, 1.4426950408889634f, s);
  return fabsf(x) < INFINITY || !(fabsf(bias) < INFINITY && fabsf(s) < INFINITY) ? x : copysignf(3.402823466e+38f, bias);
}

//! One product q·k, changed: the score of row `row` and key `j` in log2 units.
__device__ inline float changed_score(float s, const arguments& a, const assignment& work, int shift, int row, int j) {
  s = a.cap.outer > 0 ? a.cap.outer * tanh_of(s * a.cap.inner) : s * a.factor;
  if (a.alibi_slopes) s = fmaf(work.slope, static_cast<float>(j - row - shift), s);
  if (a.bias)
    s = with_bias(s, a.bias[work.batch * a.bias_stride.batch + work.head * a.bias_stride.head + row * a.bias_stride.row +
                            (j + work.skipped) * a.bias_column]);
  return s;
}

//! s ← cap(s). Scores far from the cap, as most are, by a polynomial on the multipliers; else by an exponential and a reciprocal, on the
//! unit that the softmax needs as well. Whole warps decide.
template <int Count>
__device__ __forceinline__ void cap(float (&s)[Count], const soft_cap& c) {
  float top = 0, other = 0;
#pragma unroll
  for (int i = 0; i < Count; i += 2) top = fmaxf(top, fabsf(s[i])), other = fmaxf(other, fabsf(s[i + 1]));
  if (__all_sync(~0u, fmaxf(top, other) <= c.limit)) {  // a NaN is not seen here and goes through either
#pragma unroll
    for (int i = 0; i < Count; ++i) {
      const float u = s[i] * s[i];
      s[i] *= fmaf(fmaf(fmaf(fmaf(c.terms[4], u, c.terms[3]), u, c.terms[2]), u, c.terms[1]), u, c.terms[0]);
    }
  } else {
#pragma unroll
    for (int i = 0; i < Count; ++i) s[i] = c.outer * tanh_of(s[i] * c.inner);
  }
}

//! Products q·k become scores in log2 units: row `row` (and row + 8), keys from `column` as accumulators hold them. `shift`: position of
//! row 0.
template <score_kind Scores, int Count>
__device__ __forceinline__ void change(float (&s)[Count], const arguments& a, const assignment& work, int shift, int row, int column) {
  const bool capped = a.cap.outer > 0, sloped = a.alibi_slopes;
  if (capped) cap(s, a.cap);
  if (sloped) {
    const float slope = work.slope;
    const float line[2] = {slope * static_cast<float>(column - row - shift), slope * static_cast<float>(column - row - 8 - shift)};
    if (capped) {
#pragma unroll
      for (int i = 0; i < Count; ++i) s[i] += fmaf(slope, static_cast<float>((i / 4) * 8 + (i & 1)), line[(i / 2) & 1]);
    } else {
#pragma unroll
      for (int i = 0; i < Count; ++i)
        s[i] = fmaf(s[i], a.factor, fmaf(slope, static_cast<float>((i / 4) * 8 + (i & 1)), line[(i / 2) & 1]));
    }
  } else if (!capped) {
#pragma unroll
    for (int i = 0; i < Count; ++i) s[i] *= a.factor;
  }
  if constexpr (Scores == score_kind::biased) {
    if (!a.bias) return;
#pragma unroll
    for (int r = 0; r < 2; ++r) {
      if (row + 8 * r >= work.queries) continue;
      const float* from = a.bias + work.batch * a.bias_stride.batch + work.head * a.bias_stride.head +
                          static_cast<std::int64_t>(row + 8 * r) * a.bias_stride.row + (column + work.skipped) * a.bias_column;
      const int inside = work.keys - column;
      const std::int64_t step = 8 * a.bias_column;
#pragma unroll
      for (int j = 0; j < Count / 4; ++j) {
        if (8 * j < inside) s[4 * j + 2 * r] = with_bias(s[4 * j + 2 * r], from[0]);
        if (8 * j + 1 < inside) s[4 * j + 2 * r + 1] = with_bias(s[4 * j + 2 * r + 1], from[a.bias_column]);
        from += step;
        asm volatile("" : "+l"(from));  // one address at a time: registers are short here
      }
    }
  }
}

}  // namespace twofold::cuda::attention
