// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file States as 32-bit words: what shuffles and packets move. Any trivially copyable state will do.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "twofold/algebra/reduction.hpp"

namespace twofold::cuda {

//! What a state must be to live on a device.
template <class S>
inline constexpr bool is_device_state = std::is_trivially_copyable_v<S>&& std::is_default_constructible_v<S>;

template <class S>
struct words {
  static_assert(is_device_state<S>, "a state on the device is trivially copyable and default constructible");
  static constexpr int count = (sizeof(S) + 3) / 4;
  std::uint32_t w[count];
};

template <class S>
__device__ __forceinline__ words<S> to_words(const S& s) {
  words<S> x{};
  memcpy(x.w, &s, sizeof s);
  return x;
}
template <class S>
__device__ __forceinline__ S from_words(const words<S>& x) {
  S s;
  memcpy(&s, x.w, sizeof s);
  return s;
}

//! The state of the lane `by` below; lanes without such a neighbour get their own.
template <class S>
__device__ __forceinline__ S shuffle_up(const S& s, int by) {
  words<S> x = to_words(s);
#pragma unroll
  for (std::uint32_t& w : x.w) w = __shfl_up_sync(~0u, w, by);
  return from_words<S>(x);
}
//! The state of lane `from`, in every lane.
template <class S>
__device__ __forceinline__ S shuffle_from(const S& s, int from) {
  words<S> x = to_words(s);
#pragma unroll
  for (std::uint32_t& w : x.w) w = __shfl_sync(~0u, w, from);
  return from_words<S>(x);
}

//! Inclusive scan over the first `lanes` lanes of a warp, in lane order; `lanes` is a constant.
//! @cost log2(lanes) shuffles of the state and merges
template <class R>
__device__ __forceinline__ state_of<R> warp_inclusive(const R& r, state_of<R> v, int lane, int lanes = 32) {
#pragma unroll
  for (int by = 1; by < lanes; by *= 2) {
    const state_of<R> left = shuffle_up(v, by);
    if (lane >= by) v = r.combine(left, v);
  }
  return v;
}

}  // namespace twofold::cuda
