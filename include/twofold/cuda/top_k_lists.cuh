// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The eight largest of a few elements of a half type: an element and its position are one word, so that lists of eight are sorted
//! and merged in registers by networks, at a cost that does not depend on the data.
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
  __device__ __forceinline__ void order(int i, int j) {
    const std::uint32_t a = x[i], b = x[j];
    x[i] = ::max(a, b), x[j] = ::min(a, b);
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
    for (int i = 0; i < 8; ++i) x[i] = ::max(x[i], other.x[7 - i]);  // falls, then rises
#pragma unroll
    for (int by = 4; by > 0; by /= 2)
#pragma unroll
      for (int i = 0; i < 8; ++i)
        if ((i & by) == 0) order(i, i + by);
  }
  __device__ __forceinline__ void insert(std::uint32_t one) {
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      const std::uint32_t more = ::max(x[i], one);
      one = ::min(x[i], one), x[i] = more;
    }
  }
};

}  // namespace twofold::cuda::kernels
