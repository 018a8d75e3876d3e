// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Macros and guards that every header of Twofold shares.
#pragma once

#if defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__ == 1
#error "TF1001: Twofold needs infinities and NaN; compile without -ffast-math / -ffinite-math-only (TF1001: twofold explain TF1001)"
#endif

#if defined(__CUDACC__)
#define TWOFOLD_HD __host__ __device__
#else
#define TWOFOLD_HD
#endif

//! Before a loop over a tile: on the device tiles lie in registers, which have no run-time index.
#if defined(__CUDA_ARCH__)
#define TWOFOLD_UNROLL _Pragma("unroll")
#else
#define TWOFOLD_UNROLL
#endif

#define TWOFOLD_VERSION_MAJOR 0
#define TWOFOLD_VERSION_MINOR 1
#define TWOFOLD_VERSION_PATCH 0

//! Everything lives in an inline version namespace, so that two versions can meet in one program.
#define TWOFOLD_BEGIN_NAMESPACE \
  namespace twofold {           \
  inline namespace v0 {
#define TWOFOLD_END_NAMESPACE \
  }                           \
  }
