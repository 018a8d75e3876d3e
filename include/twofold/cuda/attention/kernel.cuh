// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The forward kernel: one producer warp and two or three consumer warpgroups in each block, one block on each multiprocessor.
#pragma once

#include "twofold/cuda/attention/consumer.cuh"
#include "twofold/cuda/attention/gather.cuh"
#include "twofold/cuda/attention/producer.cuh"

namespace twofold::cuda::attention {

//! Schedule: a type with `element`, `shape` (a tile_shape), `mask` and `scores`; what plan.hpp chooses among.
template <class Schedule>
__global__ void __launch_bounds__(tiling<Schedule::shape>::threads, 1) forward(const __grid_constant__ arguments a) {
  constexpr tile_shape Shape = Schedule::shape;
  constexpr mask_kind Mask = Schedule::mask;
  using T = tiling<Shape>;
  extern __shared__ unsigned char raw[];
  __shared__ block_shared<Shape> block;
  const std::uint32_t base = (ptx::shared_address(raw) + 1023) & ~1023u;
  if (threadIdx.x == 0) {
    if constexpr (!Shape.gathered) ptx::prefetch_tensor_map(&a.q), ptx::prefetch_tensor_map(&a.k), ptx::prefetch_tensor_map(&a.v);
    block.initialise();
  }
  __syncthreads();
  if (threadIdx.x < 128) {
    ptx::registers_release<T::producer_registers>();
    unsigned char* memory = raw + (base - ptx::shared_address(raw));
    if constexpr (Shape.gathered) gather<Shape, Mask>(a, block, memory);
    else if (threadIdx.x == 0) produce<Shape, Mask>(a, block, memory);
  } else {
    ptx::registers_claim<T::consumer_registers>();
    consume<typename Schedule::element, Shape, Mask, Schedule::scores>(a, block, base);
  }
}

}  // namespace twofold::cuda::attention
