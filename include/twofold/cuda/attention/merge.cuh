// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The kernel that merges states (merge.hpp): one warp a row.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <type_traits>

#include "twofold/cuda/attention/epilogue.cuh"
#include "twofold/cuda/attention/merge.hpp"

namespace twofold::cuda {

namespace attention {

//! One warp a row: the factors first, then each lane its columns.
template <class Element>
__global__ void merge_states(const attention_merge m) {
  const std::int64_t row = blockIdx.x * static_cast<std::int64_t>(blockDim.x / 32) + threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  if (row >= m.rows) return;
  // A part that saw only NaN has no maximum, and NaN for l: it stays NaN, whatever the others saw.
  const auto reference = [&](std::int64_t i) {
    const float g = m.at[i * m.rows + row];
    return g == -INFINITY && m.l[i * m.rows + row] != 0 ? NAN : g;
  };
  const auto later = [](float a, float b) { return b > a || b != b ? b : a; };  // NaN wins
  float at = -INFINITY;
  for (std::int64_t i = lane; i < m.parts; i += 32) at = later(at, reference(i));
  for (int w = 16; w > 0; w /= 2) at = later(at, __shfl_xor_sync(~0u, at, w));
  // A part that saw nothing has the reference −inf and the factor 0; nothing anywhere: no factor is looked at.
  const auto factor = [&](std::int64_t i) {
    const float g = m.at[i * m.rows + row];
    return g == at ? 1.0f : exp2_of(g - at);
  };
  float l = 0;
  if (at != -INFINITY)
    for (std::int64_t i = 0; i < m.parts; ++i) l = fmaf(m.l[i * m.rows + row], factor(i), l);
  const float inverse = 1.0f / l;
  for (std::int64_t e = lane; e < m.value_size; e += 32) {
    float o = 0;
    if (at != -INFINITY)
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

template <attention_type Type>
cudaError_t launch_merge(const attention_merge& m, cudaStream_t stream) {
  constexpr int rows_of_block = 8;
  using element = std::conditional_t<Type == attention_type::bf16, __nv_bfloat16, __half>;
  const auto blocks = static_cast<unsigned>((m.rows + rows_of_block - 1) / rows_of_block);
  merge_states<element><<<blocks, 32 * rows_of_block, 0, stream>>>(m);
  return cudaGetLastError();
}

}  // namespace attention

}  // namespace twofold::cuda
