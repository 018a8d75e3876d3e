// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The forward kernel: a warpgroup of which one thread loads and another plans (or all copy), and two to four consumer warpgroups in
//! each block, one block on each multiprocessor.
#pragma once

#include <type_traits>

#include "twofold/cuda/attention/consumer.cuh"
#include "twofold/cuda/attention/gather.cuh"
#include "twofold/cuda/attention/producer.cuh"

namespace twofold::cuda::attention {

template <attention_type Type, int Head, mask_kind Mask, score_kind Scores = score_kind::plain, bool Short = false, bool Gathered = false,
          bool Rounded = false>
struct schedule {
  using element = std::conditional_t<Type == attention_type::bf16, __nv_bfloat16, __half>;
  static constexpr tile_shape shape = shape_of(Head, Mask, Scores, Short, Gathered, Rounded);
  static constexpr mask_kind mask = Mask;
  static constexpr score_kind scores = Scores;
};

//! Schedule: a type with `element`, `shape` (a tile_shape), `mask` and `scores`; what plan.hpp chooses among.
template <class Schedule>
__global__ void __launch_bounds__(tiling<Schedule::shape>::threads, 1) forward(const __grid_constant__ arguments a) {
  constexpr tile_shape Shape = Schedule::shape;
  constexpr mask_kind Mask = Schedule::mask;
  using T = tiling<Shape>;
  extern __shared__ unsigned char raw[];
  static_assert(shared_bytes<Shape> <= 232448, "all that a block may have");
  const std::uint32_t base = (ptx::shared_address(raw) + 1023) & ~1023u;
  unsigned char* memory = raw + (base - ptx::shared_address(raw));
  auto& block = *reinterpret_cast<block_shared<Shape>*>(memory + T::block_at);
  tile_source<Shape.dealt> tiles(a);
  if (threadIdx.x == 0) {
    if constexpr (!Shape.gathered) ptx::prefetch_tensor_map(&a.q), ptx::prefetch_tensor_map(&a.k), ptx::prefetch_tensor_map(&a.v);
    block.initialise();
  } else if (!Shape.gathered && threadIdx.x == 32) {
    tiles.start();
    next_tile<Shape, Mask>(a, tiles, block, 0);
  }
  __syncthreads();
  if (threadIdx.x < 128) {
    ptx::registers_release<T::producer_registers>();
    if constexpr (Shape.gathered) gather<Shape, Mask>(a, block, memory);
    else if (threadIdx.x == 0) produce<Shape, Mask>(a, block, memory);
    else if (threadIdx.x == 32) plan_tiles<Shape, Mask>(a, tiles, block);
  } else {
    ptx::registers_claim<T::consumer_registers>();
    consume<typename Schedule::element, Shape, Mask, Schedule::scores>(a, base);
  }
}

}  // namespace twofold::cuda::attention
