// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Kernels of attention for one element type and one size of rows, the plain ones or the others; compiled once for each
//! (-DTWOFOLD_ELEMENT=bf16 -DTWOFOLD_HEAD=64 -DTWOFOLD_PLAIN=true …).
#include "twofold/cuda/attention/schedules.cuh"

namespace twofold::cuda::attention {
template cudaError_t launch_head<attention_type::TWOFOLD_ELEMENT, TWOFOLD_HEAD, TWOFOLD_PLAIN>(const attention_problem&,
                                                                                               const attention_plan&, std::uint32_t*, int,
                                                                                               cudaStream_t);
}  // namespace twofold::cuda::attention
