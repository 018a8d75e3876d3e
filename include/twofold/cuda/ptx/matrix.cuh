// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Fragments of matrix products to shared memory by whole warps (PTX stmatrix, sm_90).
#pragma once

#include <cstdint>

#include "twofold/cuda/ptx/mbarrier.cuh"

namespace twofold::cuda::ptx {

//! Stores `Count` (1, 2 or 4) matrices of 8 rows of 8 elements of two bytes. Lane 8i + r says where row r of matrix i goes (16 bytes,
//! aligned to them); w[i] of lane 4r + c holds columns 2c and 2c + 1 of row r of matrix i: an accumulator of wgmma, narrowed.
template <int Count>
__device__ __forceinline__ void store_matrices(std::uint32_t row, const std::uint32_t (&w)[Count]) {
  static_assert(Count == 1 || Count == 2 || Count == 4);
  if constexpr (Count == 1) asm volatile("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%0], {%1};" ::"r"(row), "r"(w[0]) : "memory");
  else if constexpr (Count == 2)
    asm volatile("stmatrix.sync.aligned.m8n8.x2.shared.b16 [%0], {%1, %2};" ::"r"(row), "r"(w[0]), "r"(w[1]) : "memory");
  else
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(row), "r"(w[0]), "r"(w[1]), "r"(w[2]), "r"(w[3])
                 : "memory");
}

}  // namespace twofold::cuda::ptx
