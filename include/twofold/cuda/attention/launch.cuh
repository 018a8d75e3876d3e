// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file From a problem to a launch: tensor maps, the kernel's arguments, and the grid.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>

#include "twofold/cuda/attention/kernel.cuh"
#include "twofold/cuda/attention/plan.hpp"
#include "twofold/cuda/tensor_map.hpp"

namespace twofold::cuda::attention {

namespace detail {
//! A map over [batch, head, row, column] with the caller's strides, in boxes of `box` rows × 64 columns. A dimension of size 1 may
//! have any stride: it is never used.
inline bool map_of(CUtensorMap& map, attention_type type, const void* base, std::int64_t columns, std::int64_t rows, std::int64_t heads,
                   std::int64_t batch, const attention_strides& stride, int box) {
  const std::int64_t row = rows > 1 ? stride.row * 2 : (columns * 2 + 15) / 16 * 16;
  const std::int64_t head = heads > 1 ? stride.head * 2 : row, block = batch > 1 ? stride.batch * 2 : row;
  return make_tensor_map(map, type == attention_type::bf16 ? CU_TENSOR_MAP_DATA_TYPE_BFLOAT16 : CU_TENSOR_MAP_DATA_TYPE_FLOAT16,
                         const_cast<void*>(base), columns, rows, heads, batch, row, head, block, 64, box, CU_TENSOR_MAP_SWIZZLE_128B);
}

//! Never 0, and none twice: counted from a place that no memory holds by accident.
inline std::uint64_t launch_number() {
  static std::atomic<std::uint64_t> next{static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count()) *
                                         0x9E3779B97F4A7C15ull};
  for (;;)
    if (const std::uint64_t n = next.fetch_add(1, std::memory_order_relaxed); n != 0) return n;
}
}  // namespace detail

//! The kernel's arguments under a schedule; false where the driver refuses a tensor map.
inline bool arguments_of(arguments& a, const attention_problem& p, const tile_shape& shape, std::uint32_t* counter) {
  const int rows = 64 * shape.groups, keys = shape.keys;
  const bool packed_q = p.query_offsets, packed_k = p.key_offsets;
  const std::int64_t q_rows = packed_q ? p.query_rows : p.queries, k_rows = packed_k ? p.key_rows : p.keys;
  const std::int64_t q_batch = packed_q ? 1 : p.batch, k_batch = packed_k ? 1 : p.batch;
  a = {};
  // Nothing to read: any valid address will do, no copy is ever issued.
  if (!shape.gathered && !detail::map_of(a.q, p.type, p.q, p.head_size, q_rows, p.heads, q_batch, p.q_stride, 64)) return false;
  if (!shape.gathered && k_rows > 0) {
    if (!detail::map_of(a.k, p.type, p.k, p.head_size, k_rows, p.kv_heads, k_batch, p.k_stride, keys)) return false;
    if (!detail::map_of(a.v, p.type, p.v, p.value_size, k_rows, p.kv_heads, k_batch, p.v_stride, keys)) return false;
  }
  a.q_data = p.q, a.k_data = p.k, a.v_data = p.v, a.q_stride = p.q_stride, a.k_stride = p.k_stride, a.v_stride = p.v_stride;
  a.out = p.out, a.out_stride = p.out_stride;
  if (packed_q) a.out_stride.batch = 0;
  a.lse_ln = p.lse_ln, a.lse_log2 = p.lse_log2, a.state_at = p.state_at, a.state_l = p.state_l, a.state_o = p.state_o;
  a.key_lengths = p.key_lengths, a.key_starts = p.key_starts, a.query_offsets = p.query_offsets, a.key_offsets = p.key_offsets;
  a.sinks = p.sinks, a.alibi_slopes = p.alibi_slopes, a.bias = static_cast<const float*>(p.bias);
  a.bias_stride = p.bias_stride, a.bias_column = p.bias_column;
  const auto width = [](std::int64_t n) { return static_cast<int>(std::max<std::int64_t>(n, -1)); };
  a.mask.left = width(p.left), a.mask.right = width(p.right), a.mask.prefix = static_cast<int>(p.prefix);
  a.mask.bottom_right = p.alignment == attention_alignment::bottom_right;
  const double factor = p.score_factor != 0 ? p.score_factor : 1 / std::sqrt(static_cast<double>(p.head_size));
  const bool changed = plan_of(p).scores != score_kind::plain;
  // Never 0: a score of −inf stays −inf.
  a.factor = std::max(static_cast<float>(1.4426950408889634 * factor), 0x1p-126f), a.scale.c = changed ? 1.0f : a.factor;
  a.scale.c_far = std::exp2(std::ceil(std::log2(a.scale.c)));
  a.scale.back = a.scale.c / a.scale.c_far;
  if (p.softcap > 0) a.cap = cap_of(p.softcap, factor);
  a.batch = static_cast<int>(p.batch), a.heads = static_cast<int>(p.heads), a.share = static_cast<int>(p.heads / p.kv_heads);
  a.queries = static_cast<int>(p.queries), a.keys = static_cast<int>(p.keys), a.head_size = static_cast<int>(p.head_size),
  a.value_size = static_cast<int>(p.value_size);
  a.dense_rows = q_rows;
  a.blocks = (a.queries + rows - 1) / rows;
  // Heads whose keys and values share 32 MiB of L2: a power of two times the heads that read one kv head. Not more than keep the
  // multiprocessors busy: the longest tiles of a group come together and want all of memory's bandwidth.
  const std::int64_t all = p.batch * p.heads, bytes = std::max<std::int64_t>(1, p.keys * (p.head_size + p.value_size) * 2);
  std::int64_t group = a.share;
  const std::int64_t most = shape.head > 64 ? 64 : 128;
  while (group * 2 / a.share * bytes <= (32 << 20) && group < all && group * 2 <= most) group *= 2;
  a.head_group = static_cast<int>(std::min(group, all));
  a.tiles = static_cast<int>(all * a.blocks);
  a.counter = counter, a.launch = detail::launch_number();
  return true;
}

//! Launches one schedule on `multiprocessors` of them. Asynchronous; may be captured in a graph.
template <class Schedule>
cudaError_t launch(const attention_problem& p, std::uint32_t* counter, int multiprocessors, cudaStream_t stream) {
  constexpr int shared = shared_bytes<Schedule::shape>;
  arguments a;
  if (!arguments_of(a, p, Schedule::shape, counter)) return cudaErrorInvalidValue;
  if (a.tiles == 0) return cudaSuccess;
  const auto kernel = forward<Schedule>;
  if (const cudaError_t e = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared); e != cudaSuccess) return e;
  kernel<<<std::min(multiprocessors, a.tiles), tiling<Schedule::shape>::threads, shared, stream>>>(a);
  return cudaGetLastError();
}

}  // namespace twofold::cuda::attention
