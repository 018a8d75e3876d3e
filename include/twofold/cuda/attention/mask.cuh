// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Masks: every mask here is an interval of keys for each row, both ends rising with the row. So a tile of keys is wholly visible,
//! wholly absent or on a boundary, and only boundary tiles look at single elements.
#pragma once

#include <cstdint>

#include "twofold/cuda/attention/shapes.hpp"

namespace twofold::cuda::attention {

//! The mask of a problem, before lengths are known.
struct mask_rule {
  int left = -1, right = -1, prefix = 0, bottom_right = 1;
};

//! The mask of one sequence.
template <mask_kind Kind>
struct sequence_mask {
  int keys, shift, below, above, prefix;  // row r stands at r + shift and sees [r + below, r + above)

  __device__ sequence_mask(const mask_rule& rule, int queries, int keys) : keys(keys) {
    constexpr int far = 1 << 30;
    shift = rule.bottom_right ? keys - queries : 0;
    below = rule.left < 0 ? -far : shift - rule.left;
    above = rule.right < 0 ? far : shift + rule.right + 1;
    prefix = rule.prefix;
  }
  __device__ int begin(int row) const { return Kind == mask_kind::band ? max(0, row + below) : 0; }
  __device__ int end(int row) const {
    if constexpr (Kind == mask_kind::full) return keys;
    if constexpr (Kind == mask_kind::upper) return max(0, min(keys, row + above));
    return max(0, min(keys, max(prefix, row + above)));
  }
};

//! Tiles of `Keys` keys [first, last) that rows [row, row + count) touch; both ends 0 where they see nothing.
struct tile_range {
  int first = 0, last = 0;
};
template <int Keys, mask_kind Kind>
__device__ tile_range touched(const sequence_mask<Kind>& mask, int row, int count) {
  if (count <= 0) return {};
  const int begin = mask.begin(row), end = mask.end(row + count - 1);
  if (begin >= end) return {};
  return {begin / Keys, (end + Keys - 1) / Keys};
}

//! The tiles that a warpgroup's rows see: [first, last); of these [clean_first, clean_last) need no look at elements.
template <int Keys, mask_kind Kind>
struct group_range {
  int first, last, clean_first, clean_last;

  __device__ __forceinline__ group_range(const sequence_mask<Kind>& mask, int row, int count, int block_first) {
    const tile_range range = touched<Keys>(mask, row, count);
    const bool any = range.last > range.first;
    first = Kind != mask_kind::band ? 0 : any ? range.first : block_first;  // begins nowhere else: a constant costs no register
    last = any ? range.last : Kind == mask_kind::band ? block_first : 0;
    clean_first = Kind == mask_kind::band ? (mask.begin(row + count - 1) + Keys - 1) / Keys : 0;
    clean_last = mask.end(row) / Keys;
  }
  __device__ bool any() const { return last > first; }
  __device__ bool boundary(int tile) const { return tile >= clean_last || (Kind == mask_kind::band && tile < clean_first); }
};

//! Elements that rows `row` and row + 8 do not see get the score −inf, by select. `column` is the key of s[0].
template <mask_kind Kind, int Count>
__device__ __forceinline__ void hide(float (&s)[Count], const sequence_mask<Kind>& mask, int row, int column) {
  const int last[2] = {mask.end(row) - column, mask.end(row + 8) - column},
            first[2] = {mask.begin(row) - column, mask.begin(row + 8) - column};
#pragma unroll
  for (int i = 0; i < Count; ++i) {
    const int at = (i / 4) * 8 + (i & 1), r = (i / 2) & 1;
    if (at >= last[r] || (Kind == mask_kind::band && at < first[r])) s[i] = -INFINITY;
  }
}

}  // namespace twofold::cuda::attention
