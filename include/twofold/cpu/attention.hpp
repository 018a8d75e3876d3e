// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Attention on the CPU: what is asked, as one plain value, and the call. The kernels are compiled once per instruction set in
//! twofold::twofold and chosen when the program runs; this header includes neither Highway nor oneTBB.
#pragma once

#include <cstdint>
#include <type_traits>

#include "twofold/cpu/threads.hpp"
#include "twofold/schedule/can_run.hpp"

TWOFOLD_BEGIN_NAMESPACE
namespace cpu {

//! Numbers of the tensors. int8 is for keys and values: each row has a scale of its own.
enum class attention_type { float32, bfloat16, float16, int8 };

//! Where the diagonal of a causal mask or window lies when there are not as many queries as keys. Row i stands at key position
//! i (top left) or i + keys − queries (bottom right: the last query sees the last key).
enum class attention_alignment { top_left, bottom_right };

//! Elements from one batch, head, row to the next; the last dimension is dense. Packed sequences have no batch stride.
struct attention_strides {
  std::int64_t batch = 0, head = 0, row = 0;
};

//! @brief  Changes the scores of one query at the keys first, first + 1, …: scores[i] in nats, to be changed in place; −inf makes a key
//!         absent, whatever it holds. Called from several threads.
struct attention_score_function {
  void (*call)(const void* self, std::int64_t batch, std::int64_t head, std::int64_t query, std::int64_t first, std::int64_t count,
               float* scores) = nullptr;
  const void* self = nullptr;
};

//! @brief  One forward pass. Everything is a value; memory is pointed at, never owned. Zero and null mean "not used".
//! @math   row i of head h sees the keys [begin(i), end(i)), where with p = position of row i (alignment)
//!         end = min(keys, p + right + 1) if right ≥ 0, at least min(keys, prefix); begin = max(0, p − left) if left ≥ 0.
//!         score s = q·k·score_factor; softcap: s ← softcap·tanh(s/softcap); then + alibi_slope[h]·(j − p) + bias[b,h,i,j]; then `score`;
//!         out = Σ 2^(s·log2 e − M)·v / l, l = Σ 2^(s·log2 e − M) + sink's weight
//! @shape  q [batch, heads, queries, head_size] · k [batch, kv_heads, keys, head_size] · v [batch, kv_heads, keys, value_size] ·
//!         out [batch, heads, queries, value_size], each by its strides; lse, state_at, state_l [batch, heads, queries] dense,
//!         state_o [batch, heads, queries, value_size] dense. kv head of head h: h / (heads / kv_heads)
//! @units  scores, sinks, bias and lse_ln in nats; lse_log2 and state_at in log2 units
//! @empty  a row that sees no key: out 0, lse −inf, state (−inf, 0, 0)
//! @special masked keys are absent whatever they hold; so are keys of score −inf; a visible NaN gives NaN; a score of +inf gives NaN and
//!         lse +inf; both hold of sinks, also for rows that see no key. A finite sink beyond ±2.36e38, where log2 units end, counts as the
//!         last number of them
//! @error  T2 of numerics/bounds.hpp with tiles of 128 keys; with bfloat16 keys and values on AMX or AVX512_BF16 the weights are rounded
//!         to bfloat16, and l is the sum of the rounded weights
struct attention_problem {
  attention_type type = attention_type::float32;     //!< of q and out
  attention_type kv_type = attention_type::float32;  //!< of k and v
  const void *q = nullptr, *k = nullptr, *v = nullptr;
  void* out = nullptr;  //!< may be null where states or log-sum-exps are asked for
  std::int64_t batch = 1, heads = 1, kv_heads = 1, queries = 0, keys = 0, head_size = 0, value_size = 0;
  attention_strides q_stride{}, k_stride{}, v_stride{}, out_stride{};
  double score_factor = 0;  //!< 0: 1/√head_size

  const float *k_scale = nullptr, *v_scale = nullptr;  //!< of int8 rows: number = scale·integer
  attention_strides k_scale_stride{}, v_scale_stride{};

  attention_alignment alignment = attention_alignment::bottom_right;
  std::int64_t left = -1;   //!< keys before p that are visible; −1: all. A window of w keys that ends at p has left = w − 1
  std::int64_t right = -1;  //!< keys after p that are visible; −1: all; 0: causal
  std::int64_t prefix = 0;  //!< keys that every row sees, whatever `right` says
  const std::int32_t* key_lengths = nullptr;    //!< [batch] number of keys in use
  const std::int32_t* query_offsets = nullptr;  //!< [batch + 1] packed queries: sequence b is rows [offset b, offset b+1)
  const std::int32_t* key_offsets = nullptr;    //!< [batch + 1] packed keys; queries and keys are then the largest lengths
  std::int64_t query_rows = 0, key_rows = 0;    //!< rows that the packed tensors have

  //! @name Paged keys and values: key j of sequence b is row j % page_size of page pages[b·pages_per_sequence + j / page_size];
  //! k_stride.batch and v_stride.batch (and those of the scales) lead from page to page.
  //! @{
  const std::int32_t* pages = nullptr;
  std::int64_t page_size = 0, pages_per_sequence = 0;
  //! @}

  double softcap = 0;
  const float* alibi_slopes = nullptr;  //!< [heads]
  const float* bias = nullptr;          //!< [batch, heads, queries, keys], by strides, 0 broadcasts
  attention_strides bias_stride{};
  std::int64_t bias_column = 1;  //!< elements from one key to the next
  const float* sinks = nullptr;  //!< [heads] scores in nats of one more key, whose value is 0
  attention_score_function score{};

  float *lse_ln = nullptr, *lse_log2 = nullptr;                       //!< log-sum-exp of the scores (and the sink's)
  float *state_at = nullptr, *state_l = nullptr, *state_o = nullptr;  //!< (M, l, o) of the keys alone: merge_attention_states
};

//! @brief  How a problem is run. A function of the problem alone, never of the threads: the same bits for any number of them.
struct attention_plan {
  const char* kernel = "";          //!< "rows" (lanes along the head: few queries), "lanes" (a query per lane), or in bfloat16
                                    //!< "tiles" (AMX) or "pairs" (AVX512_BF16)
  const char* target = "";          //!< instruction set
  std::int64_t queries = 0;         //!< rows of one kv head that are worked on together
  std::int64_t keys = 0;            //!< keys of one tile
  std::int64_t keys_per_split = 0;  //!< keys of one split, merged in order afterwards
};

//! Yes, or the reason why not.
can_run_answer can_run(const attention_problem& p);

//! @name The instruction sets that kernels were compiled for. `at_most`: none better is used; results then agree within
//! their bounds, not bit for bit.
//! @{
enum class attention_target { best, baseline, avx2, avx512, avx512_bf16, amx };
attention_plan plan_of(const attention_problem& p, attention_target at_most = attention_target::best);

//! @brief  out = attention(q, k, v) and what else the problem asks for, on at most `threads` threads (0: all).
//! @errors TF3231 where can_run says no
//! @cost   4·batch·heads·queries·keys·head_size operations, less what the mask leaves out; K and V are read once per block of queries
void attention(const attention_problem& p, index threads = 0, attention_target at_most = attention_target::best);
//! @}

//! A lambda (batch, head, query, key, score in nats) → score as a score function; −inf makes the key absent. It must outlive the call.
template <class F>
attention_score_function score_function(const F& f) {
  return {[](const void* self, std::int64_t b, std::int64_t h, std::int64_t i, std::int64_t first, std::int64_t count, float* s) {
            for (std::int64_t j = 0; j < count; ++j) s[j] = (*static_cast<const F*>(self))(b, h, i, first + j, s[j]);
          },
          &f};
}

//! @brief  Merges `parts` states of the same rows, in order: at, l [parts, rows], o [parts, rows, value_size] dense, into row 0 .. rows − 1
//! of
//!         the outputs (which may be those of part 0). A null output is left out.
void merge_attention_states(index parts, index rows, index value_size, const float* at, const float* l, const float* o, float* out_at,
                            float* out_l, float* out_o);

}  // namespace cpu
TWOFOLD_END_NAMESPACE
