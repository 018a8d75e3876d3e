// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The merge of states, compiled.
#include "twofold/cuda/attention/merge.cuh"

namespace twofold::cuda::attention {
template cudaError_t launch_merge<attention_type::bf16>(const attention_merge&, cudaStream_t);
template cudaError_t launch_merge<attention_type::fp16>(const attention_merge&, cudaStream_t);
}  // namespace twofold::cuda::attention
