// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The C interface of attention: no exception leaves it.
#include <cstddef>
#include <cstring>
#include <type_traits>

#include "twofold/cuda/attention/c_api.h"
#include "twofold/cuda/attention/forward.hpp"
#include "twofold/cuda/attention/merge.hpp"

namespace {

using twofold::cuda::attention_problem;

static_assert(sizeof(twofold_attention_problem) == sizeof(attention_problem) && std::is_standard_layout_v<attention_problem>);
static_assert(offsetof(twofold_attention_problem, q_stride) == offsetof(attention_problem, q_stride));
static_assert(offsetof(twofold_attention_problem, shared_rounding) == offsetof(attention_problem, shared_rounding));
static_assert(offsetof(twofold_attention_problem, key_lengths) == offsetof(attention_problem, key_lengths));
static_assert(offsetof(twofold_attention_problem, state_o) == offsetof(attention_problem, state_o));

using twofold::cuda::attention_merge;
static_assert(sizeof(twofold_attention_merge) == sizeof(attention_merge) && std::is_standard_layout_v<attention_merge>);
static_assert(offsetof(twofold_attention_merge, type) == offsetof(attention_merge, type));
static_assert(offsetof(twofold_attention_merge, state_o) == offsetof(attention_merge, state_o));

const attention_problem& as_problem(const twofold_attention_problem* p) { return *reinterpret_cast<const attention_problem*>(p); }

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

int twofold_attention_can_run(const twofold_attention_problem* problem, char* message, size_t size) {
  return guarded(message, size, [&] {
    const auto answer = twofold::cuda::can_run(as_problem(problem));
    if (!answer) throw *answer.refusal();
  });
}

size_t twofold_attention_workspace_bytes(const twofold_attention_problem* problem) {
  return twofold::cuda::attention_workspace_bytes(as_problem(problem));
}

int twofold_attention_forward(const twofold_attention_problem* problem, void* workspace, size_t workspace_bytes, void* stream,
                              char* message, size_t size) {
  return guarded(message, size, [&] {
    twofold::cuda::attention_forward(as_problem(problem), {workspace, workspace_bytes}, static_cast<cudaStream_t>(stream));
  });
}

int twofold_attention_merge_states(const twofold_attention_merge* merge, void* stream, char* message, size_t size) {
  return guarded(message, size, [&] {
    twofold::cuda::merge_attention_states(*reinterpret_cast<const attention_merge*>(merge), static_cast<cudaStream_t>(stream));
  });
}
}
