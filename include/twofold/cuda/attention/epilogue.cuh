// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Finalize: the state of a row becomes its output and log-sum-exp, or is handed out as it is.
#pragma once

#include "twofold/cuda/attention/arguments.cuh"
#include "twofold/cuda/attention/softmax.cuh"

namespace twofold::cuda::attention {

//! ln 2^at + ln l, the first product in two parts: accurate where the sum is near 0.
__device__ __forceinline__ float log_sum_ln(float at, float l) {
  if (!(fabsf(at) < 3.402823466e+38f)) return at;  // the last number in log2 units stands for what lies beyond
  return fmaf(at, 0.693147182464599609375f, fmaf(at, -1.904654323148236017e-9f, logf(l)));
}

//! Of two neighbouring blocks of 8 columns, each held as a word of every lane of a quad, even lanes get halves of the first and odd lanes
//! of the second: a quad writes whole sectors of 32 bytes.
__device__ __forceinline__ uint2 halves(std::uint32_t first, std::uint32_t second) {
  const bool odd = threadIdx.x & 1;
  const std::uint32_t other = __shfl_xor_sync(~0u, odd ? first : second, 1);
  return odd ? uint2{other, second} : uint2{first, other};
}

//! A sink is one more key, of value 0: the monoid's own merge. Returns what o must be multiplied by. A finite sink stays a number: where
//! log2 units end, the last one stands for it. NaN makes the row NaN, +inf as every score of +inf does, also where no key is seen.
__device__ __forceinline__ float join_sink(const arguments& a, const assignment& work, float& at, float& l) {
  if (!a.sinks) return 1.0f;
  const float given = a.sinks[work.head], scaled = given * 1.4426950408889634f;
  const float sink = fabsf(scaled) < INFINITY || !(fabsf(given) < INFINITY) ? scaled : copysignf(3.402823466e+38f, given);
  const float joined = sink == sink ? fmaxf(at, sink) : sink;
  if (joined == -INFINITY) return 1.0f;
  const float share = at == -INFINITY ? 0.0f : exp2_of(at - joined);
  l = fmaf(l, share, exp2_of(sink - joined));
  at = joined;
  return share;
}

//! Rows `row` and row + 8 of the tile, by this thread's quad. `empty`: the state is the identity and o is not looked at.
//! Returns bit r where a value that is not finite reached this thread's part of row r although its weights are finite (repair.cuh).
template <bool Gathered, class Traits, bool Votes, bool Scaled, bool Rounded, int Count>
__device__ __forceinline__ unsigned finalize(const arguments& a, const assignment& work, int row,
                                             const row_pair<Traits, Votes, Scaled, Rounded>& state, const float (&o)[Count], bool empty) {
  const int q = threadIdx.x % 4;
  unsigned spoilt = 0;
#pragma unroll
  for (int r = 0; r < 2; ++r) {
    float at = Scaled || fabsf(state.at[r]) < Traits::far ? state.at[r] : state.at[r] * a.scale.back, l = quad_sum(state.l[r]),
          rounded = Rounded ? quad_sum(state.rounded[Rounded ? r : 0]) : 0;
    const bool nothing = empty || (at == -INFINITY && l == 0);
    if (nothing) at = -INFINITY, l = 0;
    else if (at == -INFINITY) at = l;  // every visible score is NaN
    const bool inside = work.row + row + 8 * r < work.queries;
    const std::int64_t dense = work.dense_at + row + 8 * r;
    if (a.state_o && inside) {
      if (q == 0) a.state_at[dense] = at, a.state_l[dense] = l;
      float* target = a.state_o + dense * a.value_size + 2 * q;
      float probe = 0;
#pragma unroll
      for (int j = 0; j < Count / 4; ++j)
        if (8 * j < a.value_size) {
          const float2 x = nothing ? float2{0, 0} : float2{o[4 * j + 2 * r], o[4 * j + 2 * r + 1]};
          if constexpr (!Gathered) *reinterpret_cast<float2*>(target + 8 * j) = x;
          else if (8 * j + 2 * q < a.value_size) {
            target[8 * j] = x.x;
            if (8 * j + 2 * q + 1 < a.value_size) target[8 * j + 1] = x.y;
          }
          probe = fmaf(0.0f, x.x + x.y, probe);
        }
      if (probe != 0 && l < INFINITY) spoilt |= 1u << r;
    }
    if constexpr (Rounded) {
      float same = at;
      join_sink(a, work, same, rounded);
    }
    const float share = join_sink(a, work, at, l);
    if (q == 0 && inside) {
      if (a.lse_ln) a.lse_ln[dense] = log_sum_ln(at, l);
      if (a.lse_log2) a.lse_log2[dense] = !(at < INFINITY) || at == -INFINITY ? at : at + log2f(l);
    }
    if (!a.out) continue;
    const float inverse = share * reciprocal_of(Rounded ? rounded : l);  // NaN stays NaN
    const std::uint32_t none = Traits::pack(l - l, l - l);               // 0, or NaN where a sink is
    const int column = 8 * (q & 1) + 4 * (q >> 1);
    std::uint16_t* target = static_cast<std::uint16_t*>(a.out) + work.out_at + (row + 8 * r) * a.out_stride.row + column;
    std::uint32_t probe = 0;
#pragma unroll
    for (int j = 0; j < Count / 4; j += 2) {
      std::uint32_t x[2];
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        x[i] = nothing ? none : Traits::pack(o[4 * (j + i) + 2 * r] * inverse, o[4 * (j + i) + 2 * r + 1] * inverse);
        probe = Traits::probe(x[i], probe);
      }
      const uint2 y = halves(x[0], x[1]);
      const int columns = a.value_size - 8 * j - column;
      if (!inside || columns <= 0) continue;
      if constexpr (!Gathered) *reinterpret_cast<uint2*>(target + 8 * j) = y;
      else
#pragma unroll
        for (int e = 0; e < 4; ++e)
          if (e < columns) target[8 * j + e] = static_cast<std::uint16_t>((e < 2 ? y.x : y.y) >> 16 * (e % 2));
    }
    if ((probe & 0x7fff7fffu) != 0 && l < INFINITY && inside) spoilt |= 1u << r;
  }
  return spoilt;
}

}  // namespace twofold::cuda::attention
