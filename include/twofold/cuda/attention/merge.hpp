// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Merging states: what was attended to apart (splits of the keys, shared prefixes, other devices) becomes what one pass over all
//! keys had given. The merge of ops/attention.hpp, many states at a time, in the order in which they are given. For any C++ compiler: the
//! kernels are in the library twofold::attention (or include merge.cuh in a .cu file of yours).
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <string>

#include "twofold/cuda/attention/problem.hpp"
#include "twofold/cuda/launch.hpp"

namespace twofold::cuda {

//! @brief  `parts` states of each of `rows` rows: at (log2 units) and l [parts, rows], o [parts, rows, value_size], all dense fp32.
//! @math   M = max at; l = Σ l_i·2^(at_i − M); o = Σ o_i·2^(at_i − M). Outputs that are null are left out
//! @shape  out [rows, value_size] of `type` with out_row elements from row to row; lse and the merged state [rows], state_o [rows,
//! value_size]
//! @empty  no part, or none that saw a key: out 0, lse −inf, state (−inf, 0, 0)
//! @special a part that saw only NaN makes the row NaN, whatever the others saw
struct attention_merge {
  const float *at = nullptr, *l = nullptr, *o = nullptr;
  std::int64_t parts = 0, rows = 0, value_size = 0;
  attention_type type = attention_type::bf16;
  void* out = nullptr;
  std::int64_t out_row = 0;
  float *lse_ln = nullptr, *lse_log2 = nullptr, *state_at = nullptr, *state_l = nullptr, *state_o = nullptr;
};

namespace attention {
template <attention_type Type>
cudaError_t launch_merge(const attention_merge& m, cudaStream_t stream);  // merge.cuh
}

//! Asynchronous on the stream; same bits for the same states in the same order.
//! @errors TF3221 where a size is negative or too large, a part of the states is missing, or rows of `out` overlap
inline void merge_attention_states(const attention_merge& m, cudaStream_t stream = nullptr) {
  if (m.parts < 0 || m.rows < 0 || m.value_size < 0 || (m.parts > 0 && !(m.at && m.l && m.o)))
    throw error("TF3221", "merging states of attention", "a size is negative, or a part of the states is null",
                "at, l and o of every part");
  if (m.type != attention_type::bf16 && m.type != attention_type::fp16)
    throw error("TF3221", "merging states of attention", "type is " + std::to_string(static_cast<int>(m.type)), "0 (bf16) or 1 (fp16)");
  if (m.rows > std::int64_t{1} << 33)
    throw error("TF3221", "merging states of attention", "there are more than 2^33 rows", "fewer in one call");
  if (m.out && m.rows > 1 && m.out_row < m.value_size)
    throw error("TF3221", "merging states of attention", "rows of out overlap", "out_row of at least value_size");
  if (m.rows == 0) return;
  detail::check(m.type == attention_type::bf16 ? attention::launch_merge<attention_type::bf16>(m, stream)
                                               : attention::launch_merge<attention_type::fp16>(m, stream),
                "merging states of attention");
}

}  // namespace twofold::cuda
