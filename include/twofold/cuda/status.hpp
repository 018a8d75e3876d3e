// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file What the CUDA runtime answers, as the library's error.
#pragma once

#include <cuda_runtime.h>

#include "twofold/algebra/error.hpp"

namespace twofold::cuda::detail {

//! @errors TF3207 where `e` is no success: `doing` says what was asked of the runtime
inline void check(cudaError_t e, const char* doing) {
  if (e == cudaSuccess) return;
  const bool none = e == cudaErrorNoDevice || e == cudaErrorInsufficientDriver;
  throw error("TF3207", doing, std::string("the CUDA runtime says: ") + cudaGetErrorString(e),
              none ? "an NVIDIA GPU with its driver, or a schedule of the host" : "see `twofold info` for what this machine has");
}

}  // namespace twofold::cuda::detail
