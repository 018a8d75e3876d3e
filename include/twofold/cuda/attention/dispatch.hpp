// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The seam between the call, which any C++ compiler reads, and the kernels, which are compiled once.
#pragma once

#include <cuda_runtime.h>

#include "twofold/cuda/attention/plan.hpp"

namespace twofold::cuda::attention {

//! Launches the schedule of a plan, `Plain` or not: all masks of one element type and head size, defined in schedules.cuh, one translation
//! unit each.
template <attention_type Type, int Head, bool Plain>
cudaError_t launch_head(const attention_problem& p, const attention_plan& plan, std::uint32_t* counter, int multiprocessors,
                        cudaStream_t stream);

}  // namespace twofold::cuda::attention
