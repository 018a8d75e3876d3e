// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The k ≤ 8 largest of short rows of a half type: an element and its position are one word, so that lists of eight are sorted and
//! merged in registers by networks, at a cost that does not depend on the data.
#pragma once

#include "twofold/cuda/row_kernels.cuh"

namespace twofold::cuda::kernels {

//! Eight words, largest first. A word is the element's key in its order (16 bits: −0 is +0, NaN the largest) and the complement of its
//! position, so that lower positions come first; 0 is none.
struct list_of_eight {
  std::uint32_t x[8] = {};

  //! The elements of a vector of which the first has position `at`; those outside of [0, count) are none. Two elements are brought into
  //! their order at once: five instructions.
  template <class In>
  __device__ __forceinline__ static list_of_eight from(const uint4& raw, int at, int count) {
    static_assert(sizeof(In) == 2);
    using pair = std::conditional_t<std::is_same_v<In, __half>, __half2, __nv_bfloat162>;
    const std::uint32_t word[4] = {raw.x, raw.y, raw.z, raw.w};
    const std::uint32_t last = static_cast<std::uint32_t>(0xffff - at), places = (last - 1) << 16 | (last & 0xffff);
    list_of_eight l;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      pair p;
      memcpy(&p, &word[k], 4);
      p = __hadd2(p, pair{In(0.0f), In(0.0f)});  // −0 becomes +0, every NaN the positive one
      std::uint32_t both;
      memcpy(&both, &p, 4);
      std::uint32_t negative;  // the sign bit of either, sixteen times (__byte_perm knows no signs)
      asm("prmt.b32 %0, %1, 0, 0xbb99;" : "=r"(negative) : "r"(both));
      const std::uint32_t keys = both ^ (negative | 0x80008000u), complements = places - 0x20002u * k;
      l.x[2 * k] = __byte_perm(keys, complements, 0x1054), l.x[2 * k + 1] = __byte_perm(keys, complements, 0x3276);
    }
    if (at < 0 || at + 8 > count)
#pragma unroll
      for (int e = 0; e < 8; ++e)
        l.x[e] = at + e >= 0 && at + e < count ? (l.x[e] & 0xffff0000u) | static_cast<std::uint32_t>(0xffff - at - e) : 0;
    return l;
  }
  __device__ __forceinline__ std::uint32_t largest() const {
    return max(max(max(x[0], x[1]), max(x[2], x[3])), max(max(x[4], x[5]), max(x[6], x[7])));
  }
  __device__ __forceinline__ void order(int i, int j) {
    const std::uint32_t a = x[i], b = x[j];
    x[i] = max(a, b), x[j] = min(a, b);
  }
  //! Nineteen comparisons.
  __device__ __forceinline__ void sort() {
    constexpr int pairs[19][2] = {{0, 2}, {1, 3}, {4, 6}, {5, 7}, {0, 4}, {1, 5}, {2, 6}, {3, 7}, {0, 1}, {2, 3},
                                  {4, 5}, {6, 7}, {2, 4}, {3, 5}, {1, 4}, {3, 6}, {1, 2}, {3, 4}, {5, 6}};
#pragma unroll
    for (int k = 0; k < 19; ++k) order(pairs[k][0], pairs[k][1]);
  }
  //! The eight largest of both; other is sorted, too.
  __device__ __forceinline__ void merge(const list_of_eight& other) {
#pragma unroll
    for (int i = 0; i < 8; ++i) x[i] = max(x[i], other.x[7 - i]);  // falls, then rises
#pragma unroll
    for (int by = 4; by > 0; by /= 2)
#pragma unroll
      for (int i = 0; i < 8; ++i)
        if ((i & by) == 0) order(i, i + by);
  }
  __device__ __forceinline__ void insert(std::uint32_t one) {
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      const std::uint32_t more = max(x[i], one);
      one = min(x[i], one), x[i] = more;
    }
  }
  __device__ __forceinline__ std::uint32_t operator[](int i) const {
    std::uint32_t one = x[0];
#pragma unroll
    for (int k = 1; k < 8; ++k)
      if (i == k) one = x[k];
    return one;
  }
};

//! @brief  Eight lanes a row: each keeps the eight largest of its vectors, then lists are merged.
//! @pre    k ≤ 8; rows shorter than 2^16
//! @cost   four vectors a lane under way; sorting eight elements into a list takes about nine instructions an element, and is left out
//! where
//!         no lane of the warp has anything better
template <class In, class Position>
__global__ void __launch_bounds__(128)
    top_k_lists(const row_source<In> in, const int k, In* const values, Position* const positions, const index first_row) {
  constexpr int E = per_vector<In>, at_once = 4, lanes = 8;
  const int lane = static_cast<int>(threadIdx.x) % lanes;
  const index row = first_row + static_cast<index>(blockIdx.x) * (blockDim.x / lanes) + threadIdx.x / lanes;
  const bool there = row < in.rows;
  const In* const data = in.data + (there ? row : 0) * in.pitch;
  const int count = there ? static_cast<int>(in.columns) : 0, head = misalignment(data);
  const int longest = (static_cast<int>(in.columns) + E - 1 + E - 1) / E;  // vectors of any row: the same in all lanes
  list_of_eight best;
  for (int first = 0; first < longest; first += at_once * lanes) {
    uint4 raw[at_once];
    load_slots(raw, data, slots_of_thread{first + lane, lanes, head}, count);
#pragma unroll
    for (int v = 0; v < at_once; ++v) {
      list_of_eight some = list_of_eight::from<In>(raw[v], (first + lane + v * lanes) * E - head, count);
      if (!__any_sync(~0u, some.largest() > best.x[7])) continue;
      some.sort();
      if (first + v == 0) best = some;
      else best.merge(some);
    }
  }
#pragma unroll
  for (int by = 1; by < lanes; by *= 2) {
    list_of_eight other;
#pragma unroll
    for (int i = 0; i < 8; ++i) other.x[i] = __shfl_xor_sync(~0u, best.x[i], by);
    best.merge(other);
  }
  if (!there || lane >= k) return;
  const int at = static_cast<int>(0xffff - (best[lane] & 0xffff));
  values[row * k + lane] = data[at], positions[row * k + lane] = static_cast<Position>(at);
}

}  // namespace twofold::cuda::kernels
