// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file What attention on the GPU is asked: pointers, shapes, strides, mask, score and outputs as one plain value.
#pragma once

#include <cstdint>

namespace twofold::cuda {

enum class attention_type { bf16, fp16 };

//! Where the diagonal of a causal mask or window lies when there are not as many queries as keys. Row i stands at key position
//! i (top left) or i + keys − queries (bottom right: the last query sees the last key).
enum class attention_alignment { top_left, bottom_right };

//! Elements from one batch, head, row to the next; the last dimension is dense. Packed sequences have no batch stride.
struct attention_strides {
  std::int64_t batch = 0, head = 0, row = 0;
};

//! @brief  One forward pass. Everything is a value; device memory is pointed at, never owned. Zero and null mean "not used".
//! @math   row i of head h sees the keys [begin(i), end(i)), where with p = position of row i (alignment)
//!         end = min(keys, p + right + 1) if right ≥ 0, at least min(keys, prefix); begin = max(0, p − left) if left ≥ 0.
//!         score s = q·k·score_factor; softcap: s ← softcap·tanh(s/softcap); then + alibi_slope[h]·(j − p) + bias[b,h,i,j];
//!         out = Σ 2^(s·log2 e − M)·v / l, l = Σ 2^(s·log2 e − M) + sink's weight
//! @shape  q [batch, heads, queries, head_size] · k [batch, kv_heads, keys, head_size] · v [batch, kv_heads, keys, value_size] ·
//!         out [batch, heads, queries, value_size], each by its strides; lse, state_at, state_l [batch, heads, queries] dense,
//!         state_o [batch, heads, queries, value_size] dense; where queries are packed, query_rows stand for batch and queries:
//!         [heads, query_rows]. kv head of head h: h / (heads / kv_heads)
//! @needs  offsets rise, begin at 0 or later and end at query_rows, key_rows or before; `queries` is no less than the longest
//!         sequence. Rows of out, lse and states that no sequence owns, behind the last offset too, are left as they are
//! @empty  a row that sees no key: out 0, lse −inf, state (−inf, 0, 0)
//! @special masked keys are absent whatever they hold; a visible NaN gives NaN; a score of +inf gives NaN and lse +inf; both hold of sinks,
//!         also for rows that see no key. Finite scores, biases and sinks stay finite: beyond ±2.36e38 nats, where log2 units end, the last
//!         number stands for them, in both log-sum-exps
struct attention_problem {
  attention_type type = attention_type::bf16;
  const void *q = nullptr, *k = nullptr, *v = nullptr;
  void* out = nullptr;  //!< same type; may be null where states are asked for
  std::int64_t batch = 1, heads = 1, kv_heads = 1, queries = 0, keys = 0, head_size = 0, value_size = 0;
  attention_strides q_stride{}, k_stride{}, v_stride{}, out_stride{};
  double score_factor = 0;  //!< 0: 1/√head_size
  //! `out` is divided by the sum of the weights as they are rounded for the product with v, so that it is a mean of values exactly; the
  //! log-sum-exp and the states keep the fp32 sum. Where weights repeat, rounding errors no longer add up. Costs up to a tenth, more for
  //! rows of up to 64 elements.
  bool shared_rounding = false;

  attention_alignment alignment = attention_alignment::bottom_right;
  std::int64_t left = -1;   //!< keys before p that are visible, p itself beside them; −1: all. A window of w keys that ends at p: w − 1
  std::int64_t right = -1;  //!< keys after p that are visible, p itself beside them; −1: all; 0: causal
  std::int64_t prefix = 0;  //!< keys that every row sees, whatever `right` says
  const std::int32_t* key_lengths = nullptr;    //!< [batch] number of keys in use
  const std::int32_t* key_starts = nullptr;     //!< [batch] keys before the first in use (left padding); positions count from there
  const std::int32_t* query_offsets = nullptr;  //!< [batch + 1] packed queries: sequence b is rows [offset b, offset b+1)
  const std::int32_t* key_offsets = nullptr;    //!< [batch + 1] packed keys; queries and keys are then the largest lengths
  std::int64_t query_rows = 0, key_rows = 0;    //!< rows that the packed tensors have

  double softcap = 0;
  const float* alibi_slopes = nullptr;  //!< [heads]
  //! [batch, heads, queries, keys] fp32, by strides, any of them 0 to broadcast. Rows count within a sequence, keys from its first,
  //! also where key_starts skips some. −inf: the key is absent; other numbers are numbers, −FLT_MAX too
  const void* bias = nullptr;
  attention_strides bias_stride{};
  std::int64_t bias_column = 1;  //!< elements from one key to the next
  const float* sinks = nullptr;  //!< [heads] scores in nats of one more key, whose value is 0; −inf: none

  float *lse_ln = nullptr, *lse_log2 = nullptr;  //!< log-sum-exp of the scores, in nats, in log2 units
  //! (M in log2 units, l, o), for merge_attention_states: of the keys alone. A sink is in out and lse, not in the states: joined once, as
  //! the state (sink·log2 e, 1, 0), after all pieces.
  float *state_at = nullptr, *state_l = nullptr, *state_o = nullptr;
};

}  // namespace twofold::cuda
