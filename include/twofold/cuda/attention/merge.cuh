// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Merging states: what was attended to apart (splits of the keys, shared prefixes, other devices) becomes what one pass over all
//! keys had given. The merge of ops/attention.hpp, many states at a time, in the order in which they are given.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "twofold/cuda/attention/epilogue.cuh"
#include "twofold/cuda/launch.hpp"

namespace twofold::cuda {

//! @brief  `parts` states of each of `rows` rows: at (log2 units) and l [parts, rows], o [parts, rows, value_size], all dense fp32.
//! @math   M = max at; l = Σ l_i·2^(at_i − M); o = Σ o_i·2^(at_i − M). Outputs that are null are left out
//! @shape  out [rows, value_size] of `type` with out_row elements from row to row; lse and the merged state [rows], state_o [rows,
//! value_size]
//! @empty  no part, or none that saw a key: out 0, lse −inf, state (−inf, 0, 0)
struct attention_merge {
  const float *at = nullptr, *l = nullptr, *o = nullptr;
  std::int64_t parts = 0, rows = 0, value_size = 0;
  attention_type type = attention_type::bf16;
  void* out = nullptr;
  std::int64_t out_row = 0;
  float *lse_ln = nullptr, *lse_log2 = nullptr, *state_at = nullptr, *state_l = nullptr, *state_o = nullptr;
};

namespace attention {

//! One warp a row: the factors first, then each lane its columns.
template <class Element>
__global__ void merge_states(const attention_merge m) {
  const std::int64_t row = blockIdx.x * static_cast<std::int64_t>(blockDim.x / 32) + threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  if (row >= m.rows) return;
  float at = -INFINITY;
  for (std::int64_t i = lane; i < m.parts; i += 32) at = fmaxf(at, m.at[i * m.rows + row]);
  for (int w = 16; w > 0; w /= 2) at = fmaxf(at, __shfl_xor_sync(~0u, at, w));
  // A part that saw nothing has the reference −inf and the factor 0; nothing anywhere: no factor is looked at.
  const auto factor = [&](std::int64_t i) {
    const float g = m.at[i * m.rows + row];
    return g == at ? 1.0f : exp2_of(g - at);
  };
  float l = 0;
  if (at > -INFINITY)
    for (std::int64_t i = 0; i < m.parts; ++i) l = fmaf(m.l[i * m.rows + row], factor(i), l);
  const float inverse = 1.0f / l;
  for (std::int64_t e = lane; e < m.value_size; e += 32) {
    float o = 0;
    if (at > -INFINITY)
      for (std::int64_t i = 0; i < m.parts; ++i)
        if (m.l[i * m.rows + row] != 0) o = fmaf(m.o[(i * m.rows + row) * m.value_size + e], factor(i), o);
    if (m.state_o) m.state_o[row * m.value_size + e] = o;
    if (!m.out) continue;
    const float x = at == -INFINITY ? 0.0f : o * inverse;
    static_cast<Element*>(m.out)[row * m.out_row + e] = static_cast<Element>(x);
  }
  if (lane != 0) return;
  if (m.state_at) m.state_at[row] = at;
  if (m.state_l) m.state_l[row] = l;
  if (m.lse_ln) m.lse_ln[row] = log_sum_ln(at, l);
  if (m.lse_log2) m.lse_log2[row] = !(at < INFINITY) || at == -INFINITY ? at : at + log2f(l);
}

}  // namespace attention

//! Asynchronous on the stream; same bits for the same states in the same order.
//! @errors TF3221 where a size is negative or nothing is to be written
inline void merge_attention_states(const attention_merge& m, cudaStream_t stream = nullptr) {
  if (m.parts < 0 || m.rows < 0 || m.value_size < 0 || (m.parts > 0 && !(m.at && m.l && m.o)))
    throw error("TF3221", "merging states of attention", "a size is negative, or a part of the states is null",
                "at, l and o of every part");
  if (m.rows == 0) return;
  constexpr int rows_of_block = 8;
  const auto kernel = m.type == attention_type::bf16 ? attention::merge_states<__nv_bfloat16> : attention::merge_states<__half>;
  kernel<<<static_cast<unsigned>((m.rows + rows_of_block - 1) / rows_of_block), 32 * rows_of_block, 0, stream>>>(m);
  detail::check(cudaGetLastError(), "merging states of attention");
}

}  // namespace twofold::cuda
