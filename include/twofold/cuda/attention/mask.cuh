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

//! How many of a thread's elements of a row lie before `columns` columns: it holds columns 0, 1, 8, 9, 16, 17, …
__device__ __forceinline__ int elements_before(int columns) { return columns <= 0 ? 0 : columns / 8 * 2 + min(columns % 8, 2); }
__device__ __forceinline__ std::uint32_t first_bits(int n) { return n >= 32 ? ~0u : (1u << n) - 1; }

//! Elements that rows `row` and row + 8 do not see get the score −inf, by select. `column` is the key of s[0]. One bit for each element of
//! a row: a word becomes predicates seven at a time.
template <mask_kind Kind, int Count>
__device__ __forceinline__ void hide(float (&s)[Count], const sequence_mask<Kind>& mask, int row, int column) {
#pragma unroll
  for (int r = 0; r < 2; ++r) {
#pragma unroll
    for (int first = 0; first < Count / 2; first += 32) {  // a word: 32 elements of a row, 128 columns
      std::uint32_t visible = first_bits(elements_before(mask.end(row + 8 * r) - column - 4 * first));
      if constexpr (Kind == mask_kind::band) visible &= ~first_bits(elements_before(mask.begin(row + 8 * r) - column - 4 * first));
#pragma unroll
      for (int i = 0; i < 32 && first + i < Count / 2; ++i) {
        float& x = s[4 * ((first + i) / 2) + 2 * r + i % 2];
        x = visible & 1u << i ? x : -INFINITY;
      }
    }
  }
}

}  // namespace twofold::cuda::attention
