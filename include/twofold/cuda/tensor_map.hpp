// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Tensor maps for the copy engine, made through the driver's entry point so that nothing links against libcuda.
#pragma once

#include <cuda.h>
#include <cuda_runtime.h>

#include <cstdint>

namespace twofold::cuda {

namespace detail {
//! The driver's entry point, found once; null where the driver is too old.
inline auto tensor_map_encoder() {
  using encode_tiled =
      CUresult (*)(CUtensorMap*, CUtensorMapDataType, cuuint32_t, void*, const cuuint64_t*, const cuuint64_t*, const cuuint32_t*,
                   const cuuint32_t*, CUtensorMapInterleave, CUtensorMapSwizzle, CUtensorMapL2promotion, CUtensorMapFloatOOBfill);
  static const encode_tiled encode = [] {
    void* f = nullptr;
    cudaDriverEntryPointQueryResult found;
    if (cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &f, 12000, cudaEnableDefault, &found) != cudaSuccess)
      return encode_tiled(nullptr);
    return reinterpret_cast<encode_tiled>(f);
  }();
  return encode;
}
template <int Rank>
inline bool encode_tensor_map(CUtensorMap& map, CUtensorMapDataType type, void* base, const cuuint64_t (&size)[Rank],
                              const cuuint64_t (&pitch)[Rank - 1], std::uint32_t box_columns, std::uint32_t box_rows,
                              CUtensorMapSwizzle swizzle) {
  const auto encode = tensor_map_encoder();
  if (!encode) return false;
  cuuint32_t box[Rank], step[Rank];
  for (int i = 0; i < Rank; ++i) box[i] = 1, step[i] = 1;
  box[0] = box_columns, box[1] = box_rows;
  return encode(&map, type, Rank, base, size, pitch, box, step, CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle, CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
                CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS;
}
}  // namespace detail

//! @shape  `planes` matrices of `rows` rows of `columns` elements; pitches in bytes (multiples of 16), cut into boxes of box_rows ×
//! box_columns.
//!         box_columns · element size is the swizzle span (128 bytes with SWIZZLE_128B). Reads outside a plane give zeros, writes outside
//!         are dropped, but for what the last 16 bytes of a row hold beyond its columns.
//! @errors false where the driver refuses (misaligned base or pitch, box too large) or is too old.
inline bool make_tensor_map(CUtensorMap& map, CUtensorMapDataType type, void* base, std::uint64_t columns, std::uint64_t rows,
                            std::uint64_t planes, std::uint64_t row_pitch, std::uint64_t plane_pitch, std::uint32_t box_columns,
                            std::uint32_t box_rows, CUtensorMapSwizzle swizzle) {
  return detail::encode_tensor_map<3>(map, type, base, {columns, rows, planes}, {row_pitch, plane_pitch}, box_columns, box_rows, swizzle);
}

//! `blocks` times `planes` matrices, as (batch, head) of attention: each of the four dimensions with its own pitch.
inline bool make_tensor_map(CUtensorMap& map, CUtensorMapDataType type, void* base, std::uint64_t columns, std::uint64_t rows,
                            std::uint64_t planes, std::uint64_t blocks, std::uint64_t row_pitch, std::uint64_t plane_pitch,
                            std::uint64_t block_pitch, std::uint32_t box_columns, std::uint32_t box_rows, CUtensorMapSwizzle swizzle) {
  return detail::encode_tensor_map<4>(map, type, base, {columns, rows, planes, blocks}, {row_pitch, plane_pitch, block_pitch}, box_columns,
                                      box_rows, swizzle);
}

//! One matrix: plane 0.
inline bool make_tensor_map(CUtensorMap& map, CUtensorMapDataType type, void* base, std::uint64_t columns, std::uint64_t rows,
                            std::uint64_t row_pitch, std::uint32_t box_columns, std::uint32_t box_rows, CUtensorMapSwizzle swizzle) {
  return make_tensor_map(map, type, base, columns, rows, 1, row_pitch, row_pitch * rows, box_columns, box_rows, swizzle);
}

}  // namespace twofold::cuda
