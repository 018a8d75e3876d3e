// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The level of a warp: neighbouring lanes merge their states in order, whatever the state is.
#pragma once

#include "twofold/cuda/words.cuh"

namespace twofold::cuda {

//! How two states are merged; Symmetric: exchanged arguments give the same bits, so that lanes need not agree on who is left.
template <class F, bool Symmetric>
struct merging_by {
  F f;
  static constexpr bool symmetric = Symmetric;
  template <class S>
  __device__ __forceinline__ S operator()(const S& left, const S& right) const {
    return f(left, right);
  }
};
template <bool Symmetric = false, class F>
__device__ __forceinline__ merging_by<F, Symmetric> merge_by(const F& f) {
  return {f};
}

//! One step of a merge: both partners of lanes lane and lane ^ o get op(state of the lower, state of the upper).
//! Words are selected, not states: a choice between two states is a choice between two addresses, and would put them into memory.
template <class S, class Op>
__device__ __forceinline__ S merged_with_partner(const S& s, int o, bool upper, const Op& op) {
  words<S> left = to_words(s), right;
#pragma unroll
  for (int k = 0; k < words<S>::count; ++k) {
    const std::uint32_t mine = left.w[k], other = __shfl_xor_sync(~0u, mine, o);
    left.w[k] = !Op::symmetric && upper ? other : mine;
    right.w[k] = !Op::symmetric && upper ? mine : other;
  }
  return op(from_words<S>(left), from_words<S>(right));
}

//! @brief  All lanes of each aligned group of `width` lanes get the group's states merged in the order of lanes.
//! @math   op(… op(op(s_0, s_1), op(s_2, s_3)) …): a binary tree over lanes, the same bits in all of them
//! @pre    all 32 lanes take part; width is a power of two up to 32; op is made by merge_by
template <class S, class Op>
__device__ __forceinline__ S merge_lanes(S s, int width, const Op& op) {
  const int lane = threadIdx.x & 31;
  if (width == 32) {
#pragma unroll
    for (int o = 1; o < 32; o *= 2) s = merged_with_partner(s, o, lane & o, op);
    return s;
  }
  for (int o = 1; o < width; o *= 2) s = merged_with_partner(s, o, lane & o, op);
  return s;
}

}  // namespace twofold::cuda
