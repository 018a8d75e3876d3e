// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Functions of the special-function unit. Results below 2^-126 are 0.
#pragma once

namespace twofold::cuda::ptx {

//! 2^x, 2.45u (measured over every float); 2^-inf = 0.
__device__ __forceinline__ float exp2_of(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
//! 1/x, 1.65u.
__device__ __forceinline__ float reciprocal_of(float x) {
  float y;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

}  // namespace twofold::cuda::ptx
