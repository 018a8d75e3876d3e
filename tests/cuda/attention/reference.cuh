// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The float64 loop that attention is compared with, one block a row, written from the definition and not from the kernel; and the
//! comparison, element by element, with the bound that rounding P and the output to 16 bits allows.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>

#include "twofold/cuda/attention/problem.hpp"

namespace reference {

using twofold::cuda::attention_alignment;
using twofold::cuda::attention_problem;
using twofold::cuda::attention_type;

__device__ inline double load(const void* p, attention_type type, std::int64_t at) {
  return type == attention_type::bf16 ? double(__bfloat162float(static_cast<const __nv_bfloat16*>(p)[at]))
                                      : double(__half2float(static_cast<const __half*>(p)[at]));
}

struct row_place {
  std::int64_t batch, head, row, queries, keys, query_base, key_base, skipped = 0;
  __device__ row_place(const attention_problem& p, std::int64_t index) {
    const std::int64_t per_head = p.queries;  // the largest length where sequences are packed
    row = index % per_head, head = index / per_head % p.heads, batch = index / per_head / p.heads;
    queries = p.queries, keys = p.keys, query_base = key_base = 0;
    if (p.query_offsets) query_base = p.query_offsets[batch], queries = p.query_offsets[batch + 1] - query_base;
    if (p.key_offsets) key_base = p.key_offsets[batch], keys = p.key_offsets[batch + 1] - key_base;
    if (p.key_starts) {
      skipped = p.key_starts[batch] < 0 ? 0 : p.key_starts[batch] < keys ? p.key_starts[batch] : keys;
      key_base += skipped, keys -= skipped;
    }
    if (p.key_lengths && p.key_lengths[batch] < keys) keys = p.key_lengths[batch];
  }
  __device__ bool inside() const { return row < queries; }
  __device__ std::int64_t dense(const attention_problem& p) const {
    return p.query_offsets ? head * p.query_rows + query_base + row : (batch * p.heads + head) * p.queries + row;
  }
};

__device__ inline bool visible(const attention_problem& p, const row_place& at, std::int64_t j) {
  const std::int64_t position = at.row + (p.alignment == attention_alignment::bottom_right ? at.keys - at.queries : 0);
  if (p.left >= 0 && j < position - p.left) return false;
  return p.right < 0 || j <= position + p.right || j < p.prefix;
}

//! out[row][e], size[row][e] = Σ w|v|, lse[row] (nats), spread[row] = largest Σ|q k|·factor: what scores lose in fp32.
__global__ void attention(attention_problem p, double factor, double* out, double* size, double* lse, double* spread) {
  extern __shared__ double score[];
  __shared__ double shared[256];
  const row_place at(p, blockIdx.x);
  if (!at.inside()) return;
  const std::int64_t kv_head = at.head / (p.heads / p.kv_heads);
  const std::int64_t q0 =
      (p.query_offsets ? 0 : at.batch * p.q_stride.batch) + at.head * p.q_stride.head + (at.query_base + at.row) * p.q_stride.row;
  const std::int64_t k0 = (p.key_offsets ? 0 : at.batch * p.k_stride.batch) + kv_head * p.k_stride.head + at.key_base * p.k_stride.row;
  const std::int64_t v0 = (p.key_offsets ? 0 : at.batch * p.v_stride.batch) + kv_head * p.v_stride.head + at.key_base * p.v_stride.row;
  const auto reduce = [&](double x, auto f) {
    shared[threadIdx.x] = x;
    __syncthreads();
    for (int w = blockDim.x / 2; w > 0; w /= 2) {
      if (threadIdx.x < w) shared[threadIdx.x] = f(shared[threadIdx.x], shared[threadIdx.x + w]);
      __syncthreads();
    }
    const double r = shared[0];
    __syncthreads();
    return r;
  };
  const auto later = [](double a, double b) { return a != a || a > b ? a : b; };  // NaN wins
  const auto plus = [](double a, double b) { return a + b; };
  double m = -INFINITY, widest = 0;
  bool nan = false;
  for (std::int64_t j = threadIdx.x; j < at.keys; j += blockDim.x) {
    if (!visible(p, at, j)) {
      score[j] = -INFINITY;
      continue;
    }
    double dot = 0, absolute = 0;
    for (std::int64_t e = 0; e < p.head_size; ++e) {
      const double t = load(p.q, p.type, q0 + e) * load(p.k, p.type, k0 + j * p.k_stride.row + e);
      dot += t, absolute += fabs(t);
    }
    double s = dot * factor;
    if (p.softcap > 0) s = p.softcap * tanh(s / p.softcap);
    if (p.alibi_slopes) {
      const std::int64_t position = at.row + (p.alignment == attention_alignment::bottom_right ? at.keys - at.queries : 0);
      s += double(p.alibi_slopes[at.head]) * double(j - position);
    }
    if (p.bias)
      s += double(static_cast<const float*>(p.bias)[at.batch * p.bias_stride.batch + at.head * p.bias_stride.head +
                                                    at.row * p.bias_stride.row + (at.skipped + j) * p.bias_column]);
    score[j] = s;
    if (absolute < INFINITY) widest = fmax(widest, absolute * factor);  // a score of ±inf is exact
    nan |= s != s;
    m = fmax(m, s);
  }
  __syncthreads();
  m = reduce(nan ? NAN : m, later);
  widest = reduce(widest, later);
  const double sink = p.sinks ? double(p.sinks[at.head]) : -INFINITY;
  m = m != m || sink != sink ? NAN : fmax(m, sink);
  double l = 0;
  for (std::int64_t j = threadIdx.x; j < at.keys; j += blockDim.x)
    if (visible(p, at, j) && score[j] != -INFINITY) l += exp(score[j] - m);
  l = reduce(l, plus);
  const bool nothing = m == -INFINITY;
  if (!nothing) l += exp(sink - m);
  const std::int64_t d = at.dense(p);
  if (threadIdx.x == 0) lse[d] = nothing || m == INFINITY ? m : m + log(l), spread[d] = widest;
  for (std::int64_t e = threadIdx.x; e < p.value_size; e += blockDim.x) {
    double o = sink < INFINITY ? 0.0 : NAN, absolute = 0;
    for (std::int64_t j = 0; j < at.keys; ++j) {
      if (!visible(p, at, j) || score[j] == -INFINITY) continue;
      const double w = exp(score[j] - m) / l, x = load(p.v, p.type, v0 + j * p.v_stride.row + e);
      o += w * x, absolute += w * fabs(x);
    }
    out[d * p.value_size + e] = o, size[d * p.value_size + e] = absolute;
  }
}

//! worst[0]: largest |out − want| over its bound; worst[1]: the same for the log-sum-exp; a NaN on one side only counts as infinite.
//! `lost`: what products q·k lose in fp32, relative to the sum of their absolute terms.
__global__ void compare(attention_problem p, double unit, double lost, const double* want, const double* size, const double* lse,
                        const double* spread, float* worst) {
  const row_place at(p, blockIdx.x);
  if (!at.inside()) return;
  const std::int64_t d = at.dense(p);
  const auto note = [&](float* where, double ratio) {
    atomicMax(reinterpret_cast<int*>(where), __float_as_int(static_cast<float>(ratio)));
  };
  const auto differs = [](double got, double wanted, double bound) {
    if (got != got || wanted != wanted) return (got != got) == (wanted != wanted) ? 0.0 : double(INFINITY);
    if (got == wanted) return 0.0;
    return fabs(got - wanted) / bound;
  };
  const double changes = p.softcap > 0 || p.alibi_slopes || p.bias ? 0x1p-20 * (fmin(p.softcap, 64.0) + 64) : 0;
  const double score_error = lost * spread[d] + 0x1p-21 + changes;
  for (std::int64_t e = threadIdx.x; e < p.value_size; e += blockDim.x) {
    const double a = size[d * p.value_size + e], w = want[d * p.value_size + e];
    const double got = load(p.out, p.type,
                            (p.query_offsets ? 0 : at.batch * p.out_stride.batch) + at.head * p.out_stride.head +
                                (at.query_base + at.row) * p.out_stride.row + e);
    // Weights below 2^-126 are flushed to 0; a sink far above all scores makes all of them so small.
    const double floor = p.type == attention_type::fp16 ? double(at.keys) * 0x1p-24 + 0x1p-24 : double(at.keys) * 0x1p-122;
    note(&worst[0], differs(got, w, unit * (1.01 * a + 1.01 * fabs(w)) + 2 * score_error * a + floor));
  }
  if (threadIdx.x == 0) {
    const double bound = 0x1p-21 * (fabs(lse[d]) + 4) + score_error;
    // Numbers end at 2^128: what lies beyond in log2 units is the last of them, in both.
    const double log2 = lse[d] * 1.4426950408889634, last = 3.402823466e+38;
    const bool beyond = fabs(log2) > last && fabs(log2) < INFINITY;
    if (p.lse_ln) note(&worst[1], differs(p.lse_ln[d], beyond ? copysign(last, log2) : lse[d], bound));
    if (p.lse_log2) note(&worst[1], differs(p.lse_log2[d], beyond ? copysign(last, log2) : log2, 2 * bound));
  }
}

}  // namespace reference
