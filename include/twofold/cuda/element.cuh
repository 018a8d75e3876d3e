// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Elements as memory holds them and as operators compute with them: 16-byte vectors of any element type, widened and narrowed.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include <cstdint>
#include <type_traits>

#include "twofold/algebra/reduction.hpp"

namespace twofold::cuda {

//! Elements of T in the 16 bytes that one thread moves at a time.
template <class T>
inline constexpr int per_vector = 16 / static_cast<int>(sizeof(T));

//! The types of one byte. What is too large for them becomes their largest number: e4m3 has no infinity.
template <class T>
inline constexpr bool is_fp8 = std::is_same_v<T, __nv_fp8_e4m3> || std::is_same_v<T, __nv_fp8_e5m2>;

//! The type in which elements of T are computed with unless an operator names another: float for the narrow types, else T itself.
template <class T>
using computed_of = std::conditional_t<std::is_same_v<T, __half> || std::is_same_v<T, __nv_bfloat16> || is_fp8<T>, float, T>;

template <class R, class T>
struct operand {
  using type = computed_of<T>;
};
template <class R, class T>
requires requires { typename R::input; }
struct operand<R, T> {
  using type = typename R::input;
};
//! What R is given for an element of T: R::input where it says so.
template <class R, class T>
using operand_of = typename operand<R, T>::type;

template <class A, class T>
__device__ __forceinline__ A widened(const T& x) {
  if constexpr (std::is_same_v<T, __nv_bfloat16>) return static_cast<A>(__bfloat162float(x));
  else if constexpr (std::is_same_v<T, __half>) return static_cast<A>(__half2float(x));
  else if constexpr (is_fp8<T>) return static_cast<A>(static_cast<float>(x));
  else return static_cast<A>(x);
}
template <class T, class A>
__device__ __forceinline__ T narrowed(const A& x) {
  if constexpr (std::is_same_v<T, __nv_bfloat16>) return __float2bfloat16_rn(static_cast<float>(x));
  else if constexpr (std::is_same_v<T, __half>) return __float2half_rn(static_cast<float>(x));
  else if constexpr (is_fp8<T>) return T(static_cast<float>(x));  // saturates; NaN stays
  else return static_cast<T>(x);
}

//! Element i of a vector in registers; i is known when compiling (an unrolled loop).
template <class T, class A>
__device__ __forceinline__ A element(const uint4& raw, int i) {
  const std::uint32_t word[4] = {raw.x, raw.y, raw.z, raw.w};
  if constexpr (std::is_same_v<T, __nv_bfloat16>) {
    return static_cast<A>(__uint_as_float(i % 2 ? word[i / 2] & 0xffff0000u : word[i / 2] << 16));
  } else if constexpr (std::is_same_v<T, float>) {
    return static_cast<A>(__uint_as_float(word[i]));
  } else if constexpr (sizeof(T) == 8) {
    T x;
    const std::uint64_t bits = static_cast<std::uint64_t>(word[2 * i + 1]) << 32 | word[2 * i];
    memcpy(&x, &bits, 8);
    return widened<A>(x);
  } else {
    T x;
    const std::uint32_t bits = word[i * sizeof(T) / 4] >> (8 * (i * sizeof(T) % 4));
    memcpy(&x, &bits, sizeof(T));
    return widened<A>(x);
  }
}

//! E elements side by side in memory, moved at once.
template <class T, int E>
struct alignas(sizeof(T) * E < 16 ? sizeof(T) * E : 16) bundle {
  T x[E];
};

//! to[0…E) = y, at once; `to` is aligned like a bundle.
template <class T, int E, class A>
__device__ __forceinline__ void store_bundle(T* to, const A (&y)[E]) {
  bundle<T, E> b;
#pragma unroll
  for (int i = 0; i < E; ++i) b.x[i] = narrowed<T>(y[i]);
  constexpr int bytes = sizeof(b), step = bytes < 16 ? bytes : 16;
#pragma unroll
  for (int k = 0; k < bytes / step; ++k) {
    if constexpr (step == 16) {
      uint4 v;
      memcpy(&v, reinterpret_cast<const char*>(&b) + 16 * k, 16);
      reinterpret_cast<uint4*>(to)[k] = v;
    } else if constexpr (step == 8) {
      uint2 v;
      memcpy(&v, &b, 8);
      *reinterpret_cast<uint2*>(to) = v;
    } else {
      *reinterpret_cast<bundle<T, E>*>(to) = b;
    }
  }
}

}  // namespace twofold::cuda
