// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Kernels of attention for rows of 192 elements.
#include "twofold/cuda/attention/schedules.cuh"

namespace twofold::cuda::attention {
template cudaError_t launch_head<attention_type::bf16, 192>(const attention_problem&, mask_kind, score_kind, bool, std::uint32_t*, int,
                                                            cudaStream_t);
template cudaError_t launch_head<attention_type::fp16, 192>(const attention_problem&, mask_kind, score_kind, bool, std::uint32_t*, int,
                                                            cudaStream_t);
}  // namespace twofold::cuda::attention
