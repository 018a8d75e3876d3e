// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Tiles: how much of the problem one block works on, and where it lies in shared memory.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>

#include "twofold/cuda/attention/shapes.hpp"
#include "twofold/cuda/ptx/wgmma.cuh"
#include "twofold/cuda/ptx/wgmma_half.cuh"

namespace twofold::cuda::attention {

//! What depends on the element type.
template <class Element>
struct element_traits;
template <>
struct element_traits<__nv_bfloat16> {
  template <int N>
  using product = ptx::wgmma<N>;
  static constexpr float far = 0x1p+30f;  //!< up to here what rounding a reference lost is less than weights and their sums can hold
  //! Two weights in one word, rounded to nearest; the first lies low.
  __device__ static std::uint32_t pack(float low, float high) {
    std::uint32_t w;
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(w) : "f"(high), "f"(low));
    return w;
  }
  __device__ static float2 unpack(std::uint32_t w) { return {__uint_as_float(w << 16), __uint_as_float(w & 0xffff0000u)}; }
  //! sum + 0·w: stays 0 while all are finite.
  __device__ static std::uint32_t probe(std::uint32_t w, std::uint32_t sum) {
    asm("fma.rn.bf16x2 %0, %1, %2, %0;" : "+r"(sum) : "r"(w), "r"(0u));
    return sum;
  }
};
template <>
struct element_traits<__half> {
  template <int N>
  using product = ptx::wgmma_half<N>;
  static constexpr float far = 0x1p+26f;
  __device__ static std::uint32_t pack(float low, float high) {
    std::uint32_t w;
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(w) : "f"(high), "f"(low));
    return w;
  }
  __device__ static float2 unpack(std::uint32_t w) { return __half22float2(reinterpret_cast<const __half2&>(w)); }
  //! sum + 0·w: stays 0 while all are finite.
  __device__ static std::uint32_t probe(std::uint32_t w, std::uint32_t sum) {
    asm("fma.rn.f16x2 %0, %1, %2, %0;" : "+r"(sum) : "r"(w), "r"(0u));
    return sum;
  }
};

//! Sizes that follow from a shape. Every tensor lies in panels of 64 columns (128 bytes a row, swizzled by the copy engine).
template <tile_shape Shape>
struct tiling {
  static constexpr int rows = 64 * Shape.groups;
  static constexpr int threads = 128 * (Shape.groups + 1);
  static constexpr int v_stages = Shape.v_stages > 0 ? Shape.v_stages : Shape.stages;
  static constexpr int head_panels = Shape.head / 64, value_panels = Shape.value / 64;
  static constexpr int q_bytes = 64 * Shape.head * 2;  // of one warpgroup
  static constexpr int k_bytes = Shape.keys * Shape.head * 2, v_bytes = Shape.keys * Shape.value * 2;
  static constexpr int k_at = Shape.q_slots * Shape.groups * q_bytes, v_at = k_at + Shape.stages * k_bytes;
  static constexpr int block_at = v_at + v_stages * v_bytes;  // barriers and records lie behind the tiles
  // What the block was launched with (65536 or 64512 registers) is all there is to share out: a claim beyond it waits for ever.
  static constexpr int producer_registers = Shape.groups == 2 ? 40 : 32, consumer_registers = Shape.groups == 2   ? 232
                                                                                              : Shape.groups == 3 ? 160
                                                                                                                  : 112;
  static_assert(128 * producer_registers + 128 * Shape.groups * consumer_registers <= threads * (65536 / threads / 8 * 8));
  static_assert(Shape.keys % 16 == 0 && Shape.head % 64 == 0 && Shape.value % 64 == 0);
  static_assert(k_bytes % 1024 == 0 && v_bytes % 1024 == 0, "tiles keep the alignment of the swizzle");
};

}  // namespace twofold::cuda::attention
