// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The few elementary functions and special values that operators use, overloaded for every floating type, on
//! host and device. Compiler built-ins instead of <cmath>, which alone costs a quarter of a second in every
//! translation unit.
#pragma once

#include <concepts>
#include <type_traits>

#include "twofold/algebra/config.hpp"

TWOFOLD_BEGIN_NAMESPACE
namespace math {

// One elementary function for float, double and (host only) long double.
#if defined(__CUDA_ARCH__)
#define TWOFOLD_MATH_1(name)                                     \
  __device__ inline float name(float x) { return ::name##f(x); } \
  __device__ inline double name(double x) { return ::name(x); }
#else
#define TWOFOLD_MATH_1(name)                                               \
  TWOFOLD_HD inline float name(float x) { return __builtin_##name##f(x); } \
  TWOFOLD_HD inline double name(double x) { return __builtin_##name(x); }  \
  inline long double name(long double x) { return __builtin_##name##l(x); }
#endif
TWOFOLD_MATH_1(exp2)
TWOFOLD_MATH_1(exp)
TWOFOLD_MATH_1(log2)
TWOFOLD_MATH_1(log)
TWOFOLD_MATH_1(log1p)
TWOFOLD_MATH_1(sqrt)
TWOFOLD_MATH_1(ceil)
TWOFOLD_MATH_1(fabs)
#undef TWOFOLD_MATH_1

//! a·b + c with one rounding.
#if defined(__CUDA_ARCH__)
__device__ inline float fma(float a, float b, float c) { return ::fmaf(a, b, c); }
__device__ inline double fma(double a, double b, double c) { return ::fma(a, b, c); }
#else
TWOFOLD_HD inline float fma(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
TWOFOLD_HD inline double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
inline long double fma(long double a, long double b, long double c) { return __builtin_fmal(a, b, c); }
#endif

//! A number type with several lanes (cpu/simd/vec.hpp): it brings its own functions as static members, and masks for truth values.
template <class V>
concept lanewise = requires {
  typename V::lanewise;
};
template <lanewise V>
__attribute__((always_inline)) inline V fma(const V& a, const V& b, const V& c) {
  return V::fma(a, b, c);
}
//! Is T a floating type, or lanes of one?
template <class T>
inline constexpr bool is_floating = std::is_floating_point_v<T>;
template <lanewise V>
inline constexpr bool is_floating<V> = std::is_floating_point_v<typename V::number>;
#define TWOFOLD_MATH_LANES(name)                                                                              \
  template <lanewise V>                                                                                       \
  __attribute__((always_inline)) inline V name(const V& x) { /* a call would send registers through memory */ \
    return V::name(x);                                                                                        \
  }
TWOFOLD_MATH_LANES(exp2)
TWOFOLD_MATH_LANES(exp2_flushed)
TWOFOLD_MATH_LANES(exp)
TWOFOLD_MATH_LANES(log)
TWOFOLD_MATH_LANES(sqrt)
TWOFOLD_MATH_LANES(ceil)
TWOFOLD_MATH_LANES(fabs)
#undef TWOFOLD_MATH_LANES

//! 2^x where only a sum of weights is wanted: on the device, results below the smallest normal number are 0 (a quarter of the
//! instructions).
#if defined(__CUDA_ARCH__)
__device__ inline float exp2_flushed(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
__device__ inline double exp2_flushed(double x) { return ::exp2(x); }
#else
template <std::floating_point T>
TWOFOLD_HD inline T exp2_flushed(T x) {
  return exp2(x);
}
#endif

//! Where device code has made sure that x is a positive normal number: x = 2^exponent·e^rest, |rest| ≤ 0.41, in half of the instructions of
//! a logarithm; exponent is counted from g, so that what is a multiple of ln 2 is multiplied once.
template <class T>
struct log_parts {
  T exponent;  //!< e + g
  T rest;
};
//! And 1/b where it may be off by some roundings. @error log_normal: rest 1u (device, float); near_reciprocal: 1.7u (device, float; b
//! normal, below 2^126)
#if defined(__CUDA_ARCH__)
__device__ inline log_parts<float> log_normal(float x, float g) {
  const int bits = __float_as_int(x), e = (bits - 0x3f2aaaab) & static_cast<int>(0xff800000);  // x = 2^(e·2^-23)·m, m in [2/3, 4/3)
  const float f = __int_as_float(bits - e) - 1.0f;
  float p = -0x1.07ff9cp-3f;
  p = fma(p, f, 0x1.1e5ce8p-3f), p = fma(p, f, -0x1.f3141ep-4f), p = fma(p, f, 0x1.1ed954p-3f), p = fma(p, f, -0x1.559daep-3f);
  p = fma(p, f, 0x1.99dp-3f), p = fma(p, f, -0x1.fffef2p-3f), p = fma(p, f, 0x1.555508p-2f);
  return {fma(static_cast<float>(e), 0x1p-23f, g), fma(fma(p, f, -0.5f), f * f, f)};
}
__device__ inline log_parts<double> log_normal(double x, double g) { return {g, ::log(x)}; }
__device__ inline float near_reciprocal(float b) {
  float inverse;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(inverse) : "f"(b));
  return inverse;
}
__device__ inline double near_reciprocal(double b) { return 1 / b; }
#else
template <class T>
TWOFOLD_HD inline log_parts<T> log_normal(T x, T g) {
  return {g, log(x)};
}
template <class T>
TWOFOLD_HD inline T near_reciprocal(T b) {
  return T(1) / b;
}
#endif

//! The larger (smaller) of two, NaN if either is one, -0 below +0: one instruction on the device.
#if defined(__CUDA_ARCH__)
__device__ inline float larger_or_nan(float a, float b) {
  float y;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(y) : "f"(a), "f"(b));
  return y;
}
__device__ inline float smaller_or_nan(float a, float b) {
  float y;
  asm("min.NaN.f32 %0, %1, %2;" : "=f"(y) : "f"(a), "f"(b));
  return y;
}
#endif

// Of a type with lanes: those of one lane.
template <class T>
inline constexpr T infinity = static_cast<T>(__builtin_huge_val());
template <lanewise V>
inline constexpr typename V::number infinity<V> = infinity<typename V::number>;
template <class T>
inline constexpr T nan = static_cast<T>(__builtin_nan(""));
template <lanewise V>
inline constexpr typename V::number nan<V> = nan<typename V::number>;

// Written as comparisons so that they are constant expressions and the same on host and device (finite-math builds are
// refused).
template <class T>
TWOFOLD_HD constexpr auto is_nan(const T& x) {
  if constexpr (std::is_floating_point_v<T> || lanewise<T>) return x != x;
  else return false;
}
template <class T>
TWOFOLD_HD constexpr auto is_finite(const T& x) {
  if constexpr (std::is_floating_point_v<T> || lanewise<T>) return x - x == T(0);
  else return true;
}
template <std::floating_point T>
TWOFOLD_HD constexpr bool sign_bit(T x) {
  if constexpr (sizeof(T) == 4) {
    return __builtin_bit_cast(unsigned, x) >> 31 != 0;
  } else if constexpr (sizeof(T) == 8) {
    return __builtin_bit_cast(unsigned long long, x) >> 63 != 0;
  } else {
    if (x != T(0)) return x < T(0);
    return T(1) / x < T(0);
  }
}
//! -0, the neutral element of addition.
template <std::floating_point T>
TWOFOLD_HD constexpr bool is_minus_zero(T x) {
  if constexpr (sizeof(T) == 4) return __builtin_bit_cast(unsigned, x) == 0x80000000u;
  else if constexpr (sizeof(T) == 8) return __builtin_bit_cast(unsigned long long, x) == 0x8000000000000000ull;
  else return x == T(0) && sign_bit(x);
}

template <lanewise V>
inline auto is_minus_zero(const V& x) {
  return V::is_minus_zero(x);
}

//! Largest finite value and unit roundoff (half an ulp of 1, round to nearest).
template <class T>
inline constexpr T largest = [] {
  if constexpr (std::is_same_v<T, float>) return __FLT_MAX__;
  else if constexpr (std::is_same_v<T, double>) return __DBL_MAX__;
  else return __LDBL_MAX__;
}();
template <lanewise V>
inline constexpr typename V::number largest<V> = largest<typename V::number>;
template <class T>
inline constexpr T unit_roundoff = [] {
  if constexpr (std::is_same_v<T, float>) return __FLT_EPSILON__ / 2;
  else if constexpr (std::is_same_v<T, double>) return __DBL_EPSILON__ / 2;
  else return __LDBL_EPSILON__ / 2;
}();

//! a where c holds, else b: what operators say instead of ?: so that a comparison may be one truth value or one for each lane.
template <class T>
TWOFOLD_HD constexpr T select(bool c, const T& a, const T& b) {
  return c ? a : b;
}
template <lanewise Mask, class A, class B>
__attribute__((always_inline)) inline auto select(const Mask& c, const A& a, const B& b) {
  return Mask::select(c, a, b);
}

//! Equal, both NaN, or no further apart than 256 roundings of a quantity of this size.
template <std::floating_point T>
TWOFOLD_HD constexpr bool close(T a, T b, T size) {
  if (a == b || (is_nan(a) && is_nan(b))) return true;
  const T apart = a < b ? b - a : a - b;
  return apart <= 256 * unit_roundoff<T> * size;
}

inline constexpr double log2_e = 0x1.71547652b82fep+0;  //!< log2(e), rounded to double
inline constexpr double ln_2 = 0x1.62e42fefa39efp-1;    //!< ln(2), rounded to double

}  // namespace math
TWOFOLD_END_NAMESPACE
