// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The C interface of attention: no exception leaves it.
#include <cstddef>
#include <cstring>
#include <type_traits>

#include "twofold/cuda/attention/c_api.h"
#include "twofold/cuda/attention/forward.hpp"
#include "twofold/cuda/attention/merge.hpp"

namespace {

using twofold::cuda::attention_merge;
using twofold::cuda::attention_problem;

// Field by field the same place and the same size: a problem of C is a problem of C++.
#define SAME(c, cpp, field) static_assert(offsetof(c, field) == offsetof(cpp, field) && sizeof(c::field) == sizeof(cpp::field), #field)
#define PROBLEM(field) SAME(twofold_attention_problem, attention_problem, field)
#define MERGE(field) SAME(twofold_attention_merge, attention_merge, field)
static_assert(std::is_standard_layout_v<attention_problem> && std::is_standard_layout_v<attention_merge>);
static_assert(sizeof(twofold_attention_problem) == sizeof(attention_problem) && sizeof(twofold_attention_merge) == sizeof(attention_merge));
SAME(twofold_attention_strides, twofold::cuda::attention_strides, batch);
SAME(twofold_attention_strides, twofold::cuda::attention_strides, head);
SAME(twofold_attention_strides, twofold::cuda::attention_strides, row);
PROBLEM(type);
PROBLEM(q);
PROBLEM(k);
PROBLEM(v);
PROBLEM(out);
PROBLEM(batch);
PROBLEM(heads);
PROBLEM(kv_heads);
PROBLEM(queries);
PROBLEM(keys);
PROBLEM(head_size);
PROBLEM(value_size);
PROBLEM(q_stride);
PROBLEM(k_stride);
PROBLEM(v_stride);
PROBLEM(out_stride);
PROBLEM(score_factor);
PROBLEM(shared_rounding);
PROBLEM(alignment);
PROBLEM(left);
PROBLEM(right);
PROBLEM(prefix);
PROBLEM(key_lengths);
PROBLEM(key_starts);
PROBLEM(query_offsets);
PROBLEM(key_offsets);
PROBLEM(query_rows);
PROBLEM(key_rows);
PROBLEM(softcap);
PROBLEM(alibi_slopes);
PROBLEM(bias);
PROBLEM(bias_stride);
PROBLEM(bias_column);
PROBLEM(sinks);
PROBLEM(lse_ln);
PROBLEM(lse_log2);
PROBLEM(state_at);
PROBLEM(state_l);
PROBLEM(state_o);
MERGE(at);
MERGE(l);
MERGE(o);
MERGE(parts);
MERGE(rows);
MERGE(value_size);
MERGE(type);
MERGE(out);
MERGE(out_row);
MERGE(lse_ln);
MERGE(lse_log2);
MERGE(state_at);
MERGE(state_l);
MERGE(state_o);

template <class To, class From>
const To& checked(const From* given) {
  if (given == nullptr) throw twofold::error("TF3221", "attention on the device", "the problem is null", "a problem");
  return *reinterpret_cast<const To*>(given);
}
const attention_problem& as_problem(const twofold_attention_problem* p) { return checked<attention_problem>(p); }

template <class F>
int guarded(char* message, std::size_t size, const F& f) {
  try {
    f();
    if (message && size > 0) message[0] = 0;
    return 0;
  } catch (const std::exception& e) {
    if (message && size > 0) {
      std::strncpy(message, e.what(), size - 1);
      message[size - 1] = 0;
    }
    return 1;
  }
}

}  // namespace

extern "C" {

int twofold_attention_abi(void) { return TWOFOLD_ATTENTION_ABI; }
size_t twofold_attention_problem_bytes(void) { return sizeof(twofold_attention_problem); }
size_t twofold_attention_merge_bytes(void) { return sizeof(twofold_attention_merge); }

int twofold_attention_can_run(const twofold_attention_problem* problem, char* message, size_t size) {
  return guarded(message, size, [&] {
    const auto answer = twofold::cuda::can_run(as_problem(problem));
    if (!answer) throw *answer.refusal();
  });
}

size_t twofold_attention_workspace_bytes(const twofold_attention_problem* problem) {
  return problem ? twofold::cuda::attention_workspace_bytes(as_problem(problem)) : 0;
}

int twofold_attention_forward(const twofold_attention_problem* problem, void* workspace, size_t workspace_bytes, void* stream,
                              char* message, size_t size) {
  return guarded(message, size, [&] {
    twofold::cuda::attention_forward(as_problem(problem), {workspace, workspace_bytes}, static_cast<cudaStream_t>(stream));
  });
}

int twofold_attention_merge_states(const twofold_attention_merge* merge, void* stream, char* message, size_t size) {
  return guarded(message, size,
                 [&] { twofold::cuda::merge_attention_states(checked<attention_merge>(merge), static_cast<cudaStream_t>(stream)); });
}
}
