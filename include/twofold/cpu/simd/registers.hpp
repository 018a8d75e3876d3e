// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The machine's vector registers: Highway's where it is installed, else arrays that the compiler may vectorise.
//! Nothing above this file knows which. The target is the one that the translation unit is compiled for.
#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>

#include "twofold/algebra/reduction.hpp"

#if __has_include(<hwy/highway.h>) && !defined(TWOFOLD_NO_HIGHWAY)
#if !defined(HWY_COMPILE_ONLY_STATIC)
#define HWY_COMPILE_ONLY_STATIC  // what dispatches at run time is compiled once per target (src/library)
#endif
#if defined(__AVX2__) && !defined(__AES__) && !defined(HWY_DISABLE_PCLMUL_AES)
#define HWY_DISABLE_PCLMUL_AES  // Highway would fall back to 16 bytes for want of cryptography (-march=haswell, x86-64-v3)
#endif
#include <hwy/highway.h>
#if !HWY_HAVE_SCALABLE && HWY_TARGET != HWY_SCALAR
#define TWOFOLD_HIGHWAY 1
#endif
#endif

//! Every function below must vanish into its caller: a call would send registers through memory.
#define TWOFOLD_INLINE inline __attribute__((always_inline))
//! Before a loop over vectors: what it calls, the operator's functions above all, vanishes into it.
#define TWOFOLD_FLATTEN __attribute__((flatten))

TWOFOLD_BEGIN_NAMESPACE
namespace simd {

//! Bytes that one logical vector has on every machine: 16 floats, on 1 register (AVX-512), 2 (AVX2) or 4 (SSE, NEON). A constant, so that
//! results do not depend on the machine.
inline constexpr int vector_bytes = 64;

#if defined(TWOFOLD_HIGHWAY)

namespace hn = hwy::HWY_NAMESPACE;

//! How N lanes of T lie in registers.
template <class T, int N>
struct layout {
  using tag = hn::CappedTag<T, static_cast<std::size_t>(N)>;
  using part = hn::Vec<tag>;
  using mask_part = hn::Mask<tag>;
  static constexpr int lanes = static_cast<int>(hn::MaxLanes(tag()));
  static constexpr int parts = N / lanes;
};

namespace on {
template <class T, int N>
TWOFOLD_INLINE auto set(T x) {
  return hn::Set(typename layout<T, N>::tag(), x);
}
template <class T, int N>
TWOFOLD_INLINE auto load(const T* p) {
  return hn::LoadU(typename layout<T, N>::tag(), p);
}
template <class T, int N, class P>
TWOFOLD_INLINE void store(const P& v, T* p) {
  hn::StoreU(v, typename layout<T, N>::tag(), p);
}
template <class T, int N, class P>
TWOFOLD_INLINE void stream(const P& v, T* p) {
  hn::Stream(v, typename layout<T, N>::tag(), p);
}
#if defined(__AVX512DQ__)
//! The instruction for larger or smaller that knows −0 < +0, but drops a NaN, which the sum brings back.
template <int How, class P>
TWOFOLD_INLINE P ranged(const P& a, const P& b) {
  if constexpr (sizeof(hn::GetLane(a)) == 4) {
    const __m512 m = _mm512_range_ps(a.raw, b.raw, How);
    return P{_mm512_mask_add_ps(m, _mm512_cmp_ps_mask(a.raw, b.raw, _CMP_UNORD_Q), a.raw, b.raw)};
  } else {
    const __m512d m = _mm512_range_pd(a.raw, b.raw, How);
    return P{_mm512_mask_add_pd(m, _mm512_cmp_pd_mask(a.raw, b.raw, _CMP_UNORD_Q), a.raw, b.raw)};
  }
}
#endif
#define TWOFOLD_SIMD_2(name, call)                   \
  template <class P>                                 \
  TWOFOLD_INLINE auto name(const P& a, const P& b) { \
    return call;                                     \
  }
TWOFOLD_SIMD_2(add, hn::Add(a, b))
TWOFOLD_SIMD_2(sub, hn::Sub(a, b))
TWOFOLD_SIMD_2(mul, hn::Mul(a, b))
TWOFOLD_SIMD_2(div, hn::Div(a, b))
TWOFOLD_SIMD_2(lt, hn::Lt(a, b))
TWOFOLD_SIMD_2(le, hn::Le(a, b))
TWOFOLD_SIMD_2(eq, hn::Eq(a, b))
TWOFOLD_SIMD_2(both, hn::And(a, b))
TWOFOLD_SIMD_2(either, hn::Or(a, b))
TWOFOLD_SIMD_2(mask_both, hn::And(a, b))
TWOFOLD_SIMD_2(mask_either, hn::Or(a, b))
#undef TWOFOLD_SIMD_2
template <class P>
TWOFOLD_INLINE auto negative(const P& a) {
  return hn::Neg(a);
}
template <class M>
TWOFOLD_INLINE auto mask_not(const M& a) {
  return hn::Not(a);
}
//! m where neither a nor b is NaN.
template <class M, class P>
TWOFOLD_INLINE M ordered_too(const M& m, const P& a, const P& b) {
#if defined(__AVX512F__) && HWY_TARGET <= HWY_AVX3
  if constexpr (sizeof(P) == 64 && sizeof(hn::GetLane(a)) == 4) return M{_mm512_mask_cmp_ps_mask(m.raw, a.raw, b.raw, _CMP_ORD_Q)};
  else if constexpr (sizeof(P) == 64) return M{_mm512_mask_cmp_pd_mask(m.raw, a.raw, b.raw, _CMP_ORD_Q)};
  else
#elif HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2
  using raw = decltype(m.raw);
  if constexpr (sizeof(P) == 32 && sizeof(hn::GetLane(a)) == 4)
    return hn::And(m, M{__builtin_bit_cast(raw, _mm256_cmp_ps(a.raw, b.raw, _CMP_ORD_Q))});
  else if constexpr (sizeof(P) == 32) return hn::And(m, M{__builtin_bit_cast(raw, _mm256_cmp_pd(a.raw, b.raw, _CMP_ORD_Q))});
  else
#endif
    return hn::And(m, hn::And(hn::Eq(a, a), hn::Eq(b, b)));
}
//! a·b + c by the fastest way: fused where the machine fuses (and then the same bits everywhere), else rounded twice.
template <class P>
TWOFOLD_INLINE P multiply_add(const P& a, const P& b, const P& c) {
  return hn::MulAdd(a, b, c);
}
//! a·b + c as if rounded once, on every machine.
template <class P>
TWOFOLD_INLINE P fma(const P& a, const P& b, const P& c) {
#if !HWY_ARCH_X86 || HWY_TARGET <= HWY_AVX2
  return hn::MulAdd(a, b, c);
#else
  const hn::DFromV<P> d;
  using T = hn::TFromD<decltype(d)>;
  T x[hn::MaxLanes(d)], y[hn::MaxLanes(d)], z[hn::MaxLanes(d)];
  hn::StoreU(a, d, x), hn::StoreU(b, d, y), hn::StoreU(c, d, z);
  for (std::size_t i = 0; i < hn::MaxLanes(d); ++i) {
    if constexpr (sizeof(T) == 4) z[i] = static_cast<T>(static_cast<double>(x[i]) * static_cast<double>(y[i]) + static_cast<double>(z[i]));
    else z[i] = __builtin_fma(x[i], y[i], z[i]);
  }
  return hn::LoadU(d, z);
#endif
}
template <class P>
TWOFOLD_INLINE auto root(const P& a) {
  return hn::Sqrt(a);
}
template <class P>
TWOFOLD_INLINE auto magnitude(const P& a) {
  return hn::Abs(a);
}
template <class M, class P>
TWOFOLD_INLINE auto choose(const M& m, const P& a, const P& b) {
  return hn::IfThenElse(m, a, b);
}
//! b where a or b is NaN (x86); used only where neither is, or where the caller does not care which.
template <class P>
TWOFOLD_INLINE auto larger(const P& a, const P& b) {
  return hn::Max(a, b);
}
template <class P>
TWOFOLD_INLINE auto smaller(const P& a, const P& b) {
  return hn::Min(a, b);
}
//! The larger (smaller) of two: NaN if either is one, −0 below +0.
template <class P>
TWOFOLD_INLINE P maximum(const P& a, const P& b) {
  if constexpr (!hwy::IsFloat<decltype(hn::GetLane(a))>()) {
    return hn::Max(a, b);
  } else {
#if defined(__AVX512DQ__)
    if constexpr (sizeof(P) == 64) return ranged<0b0101>(a, b);
#endif
    const P m = hn::IfThenElse(hn::Eq(a, b), hn::And(a, b), hn::Max(a, b));  // equal numbers differ at most in a sign of zero
    return hn::IfThenElse(hn::IsNaN(a), a, hn::IfThenElse(hn::IsNaN(b), b, m));
  }
}
template <class P>
TWOFOLD_INLINE P minimum(const P& a, const P& b) {
  if constexpr (!hwy::IsFloat<decltype(hn::GetLane(a))>()) {
    return hn::Min(a, b);
  } else {
#if defined(__AVX512DQ__)
    if constexpr (sizeof(P) == 64) return ranged<0b0100>(a, b);
#endif
    const P m = hn::IfThenElse(hn::Eq(a, b), hn::Or(a, b), hn::Min(a, b));
    return hn::IfThenElse(hn::IsNaN(a), a, hn::IfThenElse(hn::IsNaN(b), b, m));
  }
}
template <class P>
TWOFOLD_INLINE auto minus_zero(const P& a) {
  const hn::DFromV<P> d;
  const hn::RebindToSigned<decltype(d)> di;
  using I = hn::TFromD<decltype(di)>;
  return hn::RebindMask(d, hn::Eq(hn::BitCast(di, a), hn::Set(di, static_cast<I>(I{1} << (sizeof(I) * 8 - 1)))));
}
template <class P>
TWOFOLD_INLINE auto upwards(const P& a) {
  return hn::Ceil(a);
}
template <class P>
TWOFOLD_INLINE auto nearest(const P& a) {
  return hn::Round(a);
}
template <class T, int N, class M>
TWOFOLD_INLINE bool none(const M& m) {
  return hn::AllFalse(typename layout<T, N>::tag(), m);
}
template <class T, int N, class M>
TWOFOLD_INLINE bool every(const M& m) {
  return hn::AllTrue(typename layout<T, N>::tag(), m);
}
}  // namespace on

#else  // arrays

template <class T>
struct array_part {
  T v[vector_bytes / 4];
};
template <class T, int N>
struct layout {
  using part = array_part<T>;
  using mask_part = array_part<bool>;
  static constexpr int lanes = N;
  static constexpr int parts = 1;
};

namespace on {
inline constexpr int width = vector_bytes / 4;
template <class R, class F>
TWOFOLD_INLINE array_part<R> each(const F& f) {
  array_part<R> r{};
  for (int i = 0; i < width; ++i) r.v[i] = f(i);
  return r;
}
template <class T, int N>
TWOFOLD_INLINE auto set(T x) {
  return each<T>([&](int) { return x; });
}
template <class T, int N>
TWOFOLD_INLINE auto load(const T* p) {
  return each<T>([&](int i) { return i < N ? p[i] : T(0); });
}
template <class T, int N>
TWOFOLD_INLINE void store(const array_part<T>& v, T* p) {
  for (int i = 0; i < N; ++i) p[i] = v.v[i];
}
template <class T, int N>
TWOFOLD_INLINE void stream(const array_part<T>& v, T* p) {
  store<T, N>(v, p);
}
template <class T>
constexpr bool minus_zero_of(T x) {
  if constexpr (std::is_floating_point_v<T>) return x == T(0) && __builtin_signbit(x);
  else return false;
}
template <class T>
TWOFOLD_INLINE auto minus_zero(const array_part<T>& a) {
  return each<bool>([&](int i) { return minus_zero_of(a.v[i]); });
}
template <class T>
struct wrapping {  // integers wrap; floats stay themselves
  using type = T;
};
template <class T>
requires(std::is_integral_v<T> && !std::is_same_v<T, bool>) struct wrapping<T> {
  using type = std::make_unsigned_t<T>;
};
#define TWOFOLD_SIMD_2(name, R, expression)                                  \
  template <class T>                                                         \
  TWOFOLD_INLINE auto name(const array_part<T>& a, const array_part<T>& b) { \
    using U [[maybe_unused]] = typename wrapping<T>::type;                   \
    return each<R>([&](int i) { return static_cast<R>(expression); });       \
  }
TWOFOLD_SIMD_2(add, T, static_cast<U>(a.v[i]) + static_cast<U>(b.v[i]))
TWOFOLD_SIMD_2(sub, T, static_cast<U>(a.v[i]) - static_cast<U>(b.v[i]))
TWOFOLD_SIMD_2(mul, T, static_cast<U>(a.v[i]) * static_cast<U>(b.v[i]))
TWOFOLD_SIMD_2(div, T, a.v[i] / b.v[i])
TWOFOLD_SIMD_2(lt, bool, a.v[i] < b.v[i])
TWOFOLD_SIMD_2(le, bool, a.v[i] <= b.v[i])
TWOFOLD_SIMD_2(eq, bool, a.v[i] == b.v[i])
TWOFOLD_SIMD_2(mask_both, bool, a.v[i] && b.v[i])
TWOFOLD_SIMD_2(mask_either, bool, a.v[i] || b.v[i])
TWOFOLD_SIMD_2(maximum, T, a.v[i] != a.v[i] || b.v[i] < a.v[i] || (a.v[i] == b.v[i] && !minus_zero_of(a.v[i])) ? a.v[i] : b.v[i])
TWOFOLD_SIMD_2(minimum, T, a.v[i] != a.v[i] || a.v[i] < b.v[i] || (a.v[i] == b.v[i] && minus_zero_of(a.v[i])) ? a.v[i] : b.v[i])
TWOFOLD_SIMD_2(larger, T, a.v[i] > b.v[i] ? a.v[i] : b.v[i])
TWOFOLD_SIMD_2(smaller, T, a.v[i] < b.v[i] ? a.v[i] : b.v[i])
#undef TWOFOLD_SIMD_2
template <class T>
TWOFOLD_INLINE auto negative(const array_part<T>& a) {
  return each<T>([&](int i) { return static_cast<T>(-a.v[i]); });
}
TWOFOLD_INLINE auto mask_not(const array_part<bool>& a) {
  return each<bool>([&](int i) { return !a.v[i]; });
}
template <class T>
TWOFOLD_INLINE auto ordered_too(const array_part<bool>& m, const array_part<T>& a, const array_part<T>& b) {
  return each<bool>([&](int i) { return m.v[i] && a.v[i] == a.v[i] && b.v[i] == b.v[i]; });
}
template <class T>
TWOFOLD_INLINE auto fma(const array_part<T>& a, const array_part<T>& b, const array_part<T>& c) {
  return each<T>([&](int i) {
    if constexpr (std::is_same_v<T, float>) return __builtin_fmaf(a.v[i], b.v[i], c.v[i]);
    else return __builtin_fma(a.v[i], b.v[i], c.v[i]);
  });
}
template <class T>
TWOFOLD_INLINE auto multiply_add(const array_part<T>& a, const array_part<T>& b, const array_part<T>& c) {
  return fma(a, b, c);
}
template <class T>
TWOFOLD_INLINE auto root(const array_part<T>& a) {
  return each<T>([&](int i) { return static_cast<T>(__builtin_sqrt(a.v[i])); });
}
template <class T>
TWOFOLD_INLINE auto magnitude(const array_part<T>& a) {
  return each<T>([&](int i) {
    if constexpr (std::is_floating_point_v<T>) return static_cast<T>(__builtin_fabs(a.v[i]));
    else return a.v[i] < T(0) ? static_cast<T>(-a.v[i]) : a.v[i];
  });
}
template <class T>
TWOFOLD_INLINE auto choose(const array_part<bool>& m, const array_part<T>& a, const array_part<T>& b) {
  return each<T>([&](int i) { return m.v[i] ? a.v[i] : b.v[i]; });
}
template <class T>
TWOFOLD_INLINE auto upwards(const array_part<T>& a) {
  return each<T>([&](int i) { return static_cast<T>(__builtin_ceil(a.v[i])); });
}
template <class T>
TWOFOLD_INLINE auto nearest(const array_part<T>& a) {
  return each<T>([&](int i) { return static_cast<T>(__builtin_nearbyint(a.v[i])); });
}
template <class T, int N>
TWOFOLD_INLINE bool none(const array_part<bool>& m) {
  for (int i = 0; i < N; ++i)
    if (m.v[i]) return false;
  return true;
}
template <class T, int N>
TWOFOLD_INLINE bool every(const array_part<bool>& m) {
  for (int i = 0; i < N; ++i)
    if (!m.v[i]) return false;
  return true;
}
}  // namespace on

#endif

//! Bytes of a register of the target that this translation unit is compiled for; 0 where there are none.
#if defined(TWOFOLD_HIGHWAY)
inline constexpr int register_bytes = layout<float, 16>::lanes * 4;
#else
inline constexpr int register_bytes = 0;
#endif

}  // namespace simd
TWOFOLD_END_NAMESPACE
