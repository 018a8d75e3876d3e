// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file What the kernels of top_k.cuh share: elements as numbers in their order, a thread's vectors of a row in which elements are marked,
//! and thresholds that many lanes reach.
#pragma once

#include "twofold/algebra/math.hpp"
#include "twofold/cuda/row_kernels.cuh"

namespace twofold::cuda::kernels {

//! @name Elements as unsigned numbers in their order, 16 bits for the half types: −0 and +0 have one, NaN the one after +inf. 0 is none.
//! @{
template <class In>
struct ordered {
  static constexpr bool half = sizeof(In) == 2;
  using bits = std::conditional_t<half, std::uint16_t, std::uint32_t>;
  static constexpr bits sign = static_cast<bits>(bits(1) << (8 * sizeof(In) - 1)), ones = static_cast<bits>(~bits(0));
  static constexpr bits infinity = std::is_same_v<In, __half> ? 0x7c00 : half ? 0x7f80 : static_cast<bits>(0x7f800000u);
  static constexpr std::uint32_t nan_key = static_cast<std::uint32_t>(sign | infinity) + 1,
                                 lowest_key = static_cast<bits>(~(sign | infinity));

  __device__ __forceinline__ static std::uint32_t key(const In& x) {
    if constexpr (half) {
      bits b;
      memcpy(&b, &x, 2);
      if ((b & ~sign & ones) > infinity) return nan_key;
      b = b == sign ? bits(0) : b;
      return static_cast<std::uint32_t>(b ^ (b & sign ? ones : sign));
    } else {
      if (x != x) return nan_key;
      const std::uint32_t b = __float_as_uint(x + 0.0f);  // −0 becomes +0
      return b ^ (static_cast<std::uint32_t>(static_cast<int>(b) >> 31) | 0x80000000u);
    }
  }
  //! The largest number below every element with this key: "not less than or equal to" it are those with this key or a larger one, and no
  //! others. NaN, below which everything is, for keys of none.
  __device__ __forceinline__ static In below(std::uint32_t k) {
    bits b = static_cast<bits>(k);
    b = static_cast<bits>(b - (b == sign ? 2 : 1));  // below +0 lies the first negative number, not −0, which is as large
    b = static_cast<bits>(b & sign ? b ^ sign : ~b);
    if (k <= lowest_key) b = ones;
    In y;
    memcpy(&y, &b, sizeof y);
    return y;
  }
};
//! @}

//! Sixteen bytes of −inf: what absent elements hold.
template <class In>
__device__ __forceinline__ uint4 lowest_vector() {
  bundle<In, per_vector<In>> b;
#pragma unroll
  for (In& x : b.x) x = narrowed<In>(-math::infinity<float>);
  uint4 v;
  memcpy(&v, &b, 16);
  return v;
}

//! V vectors of a thread; absent elements hold −inf.
template <int V, class In>
struct top_tile {
  static constexpr int E = per_vector<In>, size = V * E;
  static constexpr bool half = sizeof(In) == 2;
  static_assert(size <= 64);
  //! Some elements, as bits: those of 32 neighbours in one word, of the half types even ones in its lower half.
  using marks = std::conditional_t<(size > 32), std::uint64_t, std::uint32_t>;
  const uint4 (&raw)[V];
  slots_of_thread slots;
  const In* data;
  int count;
  __device__ __forceinline__ top_tile(uint4 (&registers)[V], const slots_of_thread& s, const In* from, int n)
      : raw(registers), slots(s), data(from), count(n) {
    load_slots(registers, data, slots, count, lowest_vector<In>());
  }

  __device__ __forceinline__ std::uint32_t word(int k) const {
    const std::uint32_t w[4] = {raw[k / 4].x, raw[k / 4].y, raw[k / 4].z, raw[k / 4].w};
    return w[k % 4];
  }
  __device__ __forceinline__ int position_of(int i) const { return (slots.first + i / E * slots.step) * E - slots.head + i % E; }

  //! The keys of the largest even and of the largest odd element; NaN is the largest.
  __device__ __forceinline__ void largest(std::uint32_t& even, std::uint32_t& odd) const {
    if constexpr (half) {
      pair most = two(0);
#pragma unroll
      for (int k = 1; k < 4 * V; ++k) most = __hmax2_nan(most, two(k));
      even = ordered<In>::key(most.x), odd = ordered<In>::key(most.y);
    } else {
      float most[2] = {__uint_as_float(word(0)), __uint_as_float(word(1))};
#pragma unroll
      for (int k = 2; k < 4 * V; ++k) asm("max.NaN.f32 %0, %1, %2;" : "=f"(most[k % 2]) : "f"(most[k % 2]), "f"(__uint_as_float(word(k))));
      even = ordered<In>::key(most[0]), odd = ordered<In>::key(most[1]);
    }
  }

  //! Of the half types: the same of four groups, of every fourth element each.
  __device__ __forceinline__ void largest_of_four(std::uint32_t (&keys)[4]) const requires(half) {
    pair most[2] = {two(0), two(1)};
#pragma unroll
    for (int k = 2; k < 4 * V; ++k) most[k % 2] = __hmax2_nan(most[k % 2], two(k));
#pragma unroll
    for (int i = 0; i < 2; ++i) keys[2 * i] = ordered<In>::key(most[i].x), keys[2 * i + 1] = ordered<In>::key(most[i].y);
  }

  //! Elements that are not less than or equal to `below`, absent ones with −inf.
  __device__ __forceinline__ marks above(In below) const {
    std::uint32_t mask[2] = {0, 0};
    if constexpr (half) {
      const pair both{below, below};
#pragma unroll
      for (int k = 0; k < 4 * V; ++k) mask[k / 16] |= __hgtu2_mask(two(k), both) & (0x10001u << k % 16);
    } else {
#pragma unroll
      for (int k = 0; k < 4 * V; ++k)
        if (!(__uint_as_float(word(k)) <= below)) mask[k / 32] |= 1u << k % 32;
    }
    if constexpr (size > 32) return static_cast<std::uint64_t>(mask[1]) << 32 | mask[0];
    else return mask[0];
  }
  //! Elements that are there.
  __device__ __forceinline__ marks present() const {
    const std::uint64_t bits = present_bits<V, E>(slots, count);
    marks m = 0;
#pragma unroll 1
    for (int i = 0; i < size; ++i) m |= static_cast<marks>(bits >> i & 1) << bit_of(i);
    return m;
  }
  //! Elements with this key or a larger one.
  __device__ __forceinline__ marks reaching(std::uint32_t key) const {
    marks m = above(ordered<In>::below(key));
    if (__any_sync(~0u, key <= ordered<In>::lowest_key)) m &= present();
    return m;
  }
  __device__ __forceinline__ static int how_many(marks m) {
    if constexpr (size > 32) return __popcll(m);
    else return __popc(m);
  }
  //! f(position) for every marked element. (Which register it is in is not known when compiling: it is read again, from the cache.)
  template <class F>
  __device__ __forceinline__ void each(marks m, const F& f) const {
    while (m != 0) {
      int b;
      if constexpr (size > 32) b = __ffsll(static_cast<long long>(m)) - 1;
      else b = __ffs(static_cast<int>(m)) - 1;
      m &= m - 1;
      f(position_of(half ? b / 32 * 32 + b % 16 * 2 + b % 32 / 16 : b));
    }
  }
  //! Marked elements of vector v: bit e for element e.
  __device__ __forceinline__ static std::uint32_t of_vector(marks m, int v) {
    if constexpr (half) {
      const auto w = static_cast<std::uint32_t>(m >> (v / 4 * 32 + v % 4 * 4));
      const auto apart = [](std::uint32_t x) { return x = (x | x << 2) & 0x33, (x | x << 1) & 0x55; };
      return apart(w & 0xf) | apart(w >> 16 & 0xf) << 1;
    } else {
      return static_cast<std::uint32_t>(m >> (4 * v)) & 0xf;
    }
  }
  //! The same elements of vector v as marks.
  __device__ __forceinline__ static marks marks_of(std::uint32_t bits, int v) {
    if constexpr (half) {
      const auto together = [](std::uint32_t x) { return x = (x | x >> 1) & 0x33, (x | x >> 2) & 0xf; };
      return static_cast<marks>(together(bits & 0x55) | together(bits >> 1 & 0x55) << 16) << (v / 4 * 32 + v % 4 * 4);
    } else {
      return static_cast<marks>(bits) << (4 * v);
    }
  }

 private:
  using pair = std::conditional_t<std::is_same_v<In, __half>, __half2, __nv_bfloat162>;
  __device__ __forceinline__ pair two(int k) const {
    const std::uint32_t w = word(k);
    pair p;
    memcpy(&p, &w, 4);
    return p;
  }
  __device__ __forceinline__ static constexpr int bit_of(int i) { return half ? i / 32 * 32 + i % 2 * 16 + i % 32 / 2 : i; }
};

//! @name Thresholds from the keys of lanes. All 32 lanes take part.
//! @{
__device__ __forceinline__ std::uint32_t exchanged(std::uint32_t a, int by, bool larger) {
  const std::uint32_t b = __shfl_xor_sync(~0u, a, by);
  return (a > b) == larger ? a : b;  // two instructions, where a choice between maximum and minimum would be three
}
//! Every eight lanes a bitonic sequence, largest first.
__device__ __forceinline__ std::uint32_t merged_in_eights(std::uint32_t a) {
  const int l = static_cast<int>(threadIdx.x);
  a = exchanged(a, 4, (l & 4) == 0);
  a = exchanged(a, 2, (l & 2) == 0);
  return exchanged(a, 1, (l & 1) == 0);
}
//! Every eight lanes largest first.
__device__ __forceinline__ std::uint32_t sorted_in_eights(std::uint32_t a) {
  const int l = static_cast<int>(threadIdx.x);
  a = exchanged(a, 1, ((l & 2) == 0) == ((l & 1) == 0));
  a = exchanged(a, 2, ((l & 4) == 0) == ((l & 2) == 0));
  a = exchanged(a, 1, ((l & 4) == 0) == ((l & 1) == 0));
  return merged_in_eights(a);
}
//! In all of every eight lanes: the least.
__device__ __forceinline__ std::uint32_t least_of_eights(std::uint32_t a) {
#pragma unroll
  for (int by = 4; by > 0; by /= 2) a = ::min(a, __shfl_xor_sync(~0u, a, by));
  return a;
}
//! The eighth largest key of every `lanes` = 8, 16 or 32 lanes that have two each.
__device__ __forceinline__ std::uint32_t eighth_of_lanes(std::uint32_t a, std::uint32_t b, int lanes) {
  a = sorted_in_eights(a), b = sorted_in_eights(b);
  a = ::max(a, __shfl_xor_sync(~0u, b, 7));  // the eight largest of sixteen
  if (lanes > 8) {
    a = merged_in_eights(a);
    a = ::max(a, __shfl_xor_sync(~0u, a, 15));
  }
  if (lanes > 16) {
    a = merged_in_eights(a);
    a = ::max(a, __shfl_xor_sync(~0u, a, 31));
  }
  return least_of_eights(a);
}
//! The eighth largest key of every eight lanes that have four each.
__device__ __forceinline__ std::uint32_t eighth_of_eight_lanes(const std::uint32_t (&keys)[4]) {
  std::uint32_t two[2];
#pragma unroll
  for (int i = 0; i < 2; ++i)
    two[i] = merged_in_eights(::max(sorted_in_eights(keys[2 * i]), __shfl_xor_sync(~0u, sorted_in_eights(keys[2 * i + 1]), 7)));
  return least_of_eights(::max(two[0], __shfl_xor_sync(~0u, two[1], 7)));
}
//! @}

}  // namespace twofold::cuda::kernels
