/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*! @file Attention on the device for C and for whoever calls C: the same problem as problem.hpp says it, field by field. */
#ifndef TWOFOLD_CUDA_ATTENTION_C_API_H
#define TWOFOLD_CUDA_ATTENTION_C_API_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/*! Raised whenever the structures below change. A program that may meet a library of another version asks it first:
    twofold_attention_abi() == TWOFOLD_ATTENTION_ABI, and the sizes that it knows. */
#define TWOFOLD_ATTENTION_ABI 1
int twofold_attention_abi(void);
size_t twofold_attention_problem_bytes(void);
size_t twofold_attention_merge_bytes(void);

typedef struct {
  int64_t batch, head, row;
} twofold_attention_strides;

/*! All zero is a valid start; then `left` and `right` are to be set (-1: no limit), and with a bias `bias_column` (1: dense; 0 reads one
    number for all keys). */
typedef struct {
  int32_t type; /*!< 0: bf16, 1: fp16 */
  const void *q, *k, *v;
  void* out;
  int64_t batch, heads, kv_heads, queries, keys, head_size, value_size;
  twofold_attention_strides q_stride, k_stride, v_stride, out_stride;
  double score_factor;
  bool shared_rounding;
  int32_t alignment; /*!< 0: top left, 1: bottom right */
  int64_t left, right, prefix;
  const int32_t *key_lengths, *key_starts, *query_offsets, *key_offsets;
  int64_t query_rows, key_rows;
  double softcap;
  const float* alibi_slopes;
  const void* bias;
  twofold_attention_strides bias_stride;
  int64_t bias_column;
  const float* sinks;
  float *lse_ln, *lse_log2, *state_at, *state_l, *state_o;
} twofold_attention_problem;

/*! @name Calls. They return 0, or 1 with the reason in `message`, always ended, cut to `size` bytes; message may be null. Of problem and
    merge, null is refused like everything else that cannot run. No exception leaves them.
    @{ */
int twofold_attention_can_run(const twofold_attention_problem* problem, char* message, size_t size);
/*! 0 where there is no problem. */
size_t twofold_attention_workspace_bytes(const twofold_attention_problem* problem);
/*! Launched on the stream (a cudaStream_t; null: the default stream). */
int twofold_attention_forward(const twofold_attention_problem* problem, void* workspace, size_t workspace_bytes, void* stream,
                              char* message, size_t size);

/*! `parts` states of each of `rows` rows, joined in their order (merge.hpp says it field by field). */
typedef struct {
  const float *at, *l, *o;
  int64_t parts, rows, value_size;
  int32_t type; /*!< of out; 0: bf16, 1: fp16 */
  void* out;
  int64_t out_row;
  float *lse_ln, *lse_log2, *state_at, *state_l, *state_o;
} twofold_attention_merge;
int twofold_attention_merge_states(const twofold_attention_merge* merge, void* stream, char* message, size_t size);
/*! @} */

#ifdef __cplusplus
}
#endif
#endif
