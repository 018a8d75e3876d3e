// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Masked means absent, whatever it holds. The matrix product multiplies absent values by weights of 0, and 0·NaN is NaN: rows that
//! this spoilt are noted when they are finished, at the price of one multiplication a word, and folded again at the end of the block, key
//! by key, from the definition. Nothing of this runs on finite values.
#pragma once

#include "twofold/cuda/attention/epilogue.cuh"
#include "twofold/cuda/attention/scheduler.cuh"
#include "twofold/cuda/attention/score.cuh"

namespace twofold::cuda::attention {

//! Where the list goes through: the row's output, or the row of its state. Rows count from the tile's first.
__device__ __forceinline__ void* row_memory(const arguments& a, const assignment& work, int row) {
  if (a.out) return static_cast<std::uint16_t*>(a.out) + work.out_at + row * a.out_stride.row;
  return a.state_o + (work.dense_at + row) * a.value_size;
}

//! Notes the tile if a row of this warp is spoilt; rows are those of `finalize`. Called by whole warps, after the outputs are written.
__device__ __forceinline__ void note_spoilt(const arguments& a, const assignment& work, int row, unsigned spoilt, repair_list& list) {
  const unsigned first = __ballot_sync(~0u, spoilt & 1), second = __ballot_sync(~0u, spoilt & 2);
  if ((first | second) == 0) return;
  __syncwarp();
  const int lane = first ? __ffs(first) - 1 : __ffs(second) - 1;
  const int chosen = __shfl_sync(~0u, row, lane) + (first ? 0 : 8);
  if (threadIdx.x % 32 == 0) {
    list.put(row_memory(a, work, chosen));
    list.tile = work.tile, list.row = chosen;
  }
  __syncwarp();
}

//! One row, folded by one warp: two passes over its visible keys, first (M, l), then o.
template <class Element, mask_kind Mask, score_kind Scores>
__device__ void fold_row(const arguments& a, const assignment& work, int row_of_tile) {
  const int lane = threadIdx.x % 32, row = work.row + row_of_tile;
  const sequence_mask<Mask> mask(a.mask, work.queries, work.keys);
  const std::int64_t kv_head = work.head / a.share, key_base = work.key_base;
  const auto* q = static_cast<const Element*>(a.q_data) + (a.query_offsets ? 0 : work.batch * a.q_stride.batch) +
                  work.head * a.q_stride.head + (static_cast<std::int64_t>(work.query_base) + row) * a.q_stride.row;
  const auto* k = static_cast<const Element*>(a.k_data) + (a.key_offsets ? 0 : work.batch * a.k_stride.batch) + kv_head * a.k_stride.head +
                  key_base * a.k_stride.row;
  const auto* v = static_cast<const Element*>(a.v_data) + (a.key_offsets ? 0 : work.batch * a.v_stride.batch) + kv_head * a.v_stride.head +
                  key_base * a.v_stride.row;
  const int begin = mask.begin(row), end = mask.end(row);
  const auto score = [&](int j) {  // −inf: absent
    float s = 0;
    for (int e = 0; e < a.head_size; ++e) s = fmaf(static_cast<float>(q[e]), static_cast<float>(k[j * a.k_stride.row + e]), s);
    if constexpr (Scores != score_kind::plain) s = changed_score(s, a, work, mask.shift, row, j);
    return s;
  };
  float most = -INFINITY, l = 0;
  for (int j = begin + lane; j < end; j += 32) most = fmaxf(most, score(j));
  for (int w = 16; w > 0; w /= 2) most = fmaxf(most, __shfl_xor_sync(~0u, most, w));
  // log2 units as everywhere (softmax.cuh): one rounding of what lies between a score and the reference
  const bool is_far = Scores == score_kind::plain && !(fabsf(most * a.scale.c) < element_traits<Element>::far) && most > -INFINITY;
  const float c = is_far ? a.scale.c_far : a.scale.c, reference = most == -INFINITY ? 0.0f : most * c;
  float at = is_far ? reference * a.scale.back : most * c;
  float o[8] = {};
  for (int from = begin; from < end; from += 32) {
    const float x = from + lane < end ? score(from + lane) : -INFINITY;
    const float mine = exp2_of(fmaf(x, c, -reference));
    l += mine;
    for (int i = 0; i < 32 && from + i < end; ++i) {
      const float p = __shfl_sync(~0u, mine, i), seen = __shfl_sync(~0u, x, i);
      if (seen == -INFINITY) continue;
      for (int e = lane, n = 0; n < 8; e += 32, ++n)
        if (e < a.value_size) o[n] = fmaf(p, static_cast<float>(v[(static_cast<std::int64_t>(from) + i) * a.v_stride.row + e]), o[n]);
    }
  }
  for (int w = 16; w > 0; w /= 2) l += __shfl_xor_sync(~0u, l, w);
  const std::int64_t dense = work.dense_at + row_of_tile;
  if (a.state_o) {
    for (int e = lane, n = 0; n < 8; e += 32, ++n)
      if (e < a.value_size) a.state_o[dense * a.value_size + e] = o[n];
    if (lane == 0) a.state_at[dense] = at, a.state_l[dense] = l;
  }
  if (!a.out) return;
  const float share = join_sink(a, work, at, l), inverse = share / l;
  auto* out = static_cast<Element*>(row_memory(a, work, row_of_tile));
  for (int e = lane, n = 0; n < 8; e += 32, ++n)
    if (e < a.value_size) out[e] = static_cast<Element>(o[n] * inverse);
}

//! Every noted row of this warp, and those of the same tiles that hold a value that is not finite.
template <class Element, tile_shape Shape, mask_kind Mask, score_kind Scores>
__device__ void repair(const arguments& a, repair_list& list) {
  const int lane = threadIdx.x % 32;
  int tile = __shfl_sync(~0u, list.tile, 0), row = __shfl_sync(~0u, list.row, 0);
  while (tile >= 0) {
    assignment work;
    assign<Shape, Mask>(a, tile, work);
    const repair_list before = repair_list::at(row_memory(a, work, row));
    __syncwarp();
    for (int r = row / 16 * 16, last = min(r + 16, work.queries - work.row); r < last; ++r) {  // a warp has 16 rows
      bool bad = r == row;
      for (int e = lane; e < a.value_size; e += 32) {
        const float x = a.out ? static_cast<float>(static_cast<const Element*>(row_memory(a, work, r))[e])
                              : static_cast<const float*>(row_memory(a, work, r))[e];
        bad |= !(fabsf(x) < INFINITY);
      }
      if (__any_sync(~0u, bad)) fold_row<Element, Mask, Scores>(a, work, r);
    }
    tile = before.tile, row = before.row;
  }
}

}  // namespace twofold::cuda::attention
