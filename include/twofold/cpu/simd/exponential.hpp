// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file 2^x and e^x in every lane, the same bits on every machine with fused multiply-add.
//! 2^x = 2^n·2^r, n the nearest integer, so that r is exact and |r| ≤ 1/2; 2^r by a minimax polynomial. e^x = 2^n·e^r, r = x − n·ln 2 in
//! two steps, the first of them exact; e^r = 1 + (r + r²·q(r)). Results below the smallest normal number are rounded once.
#pragma once

#include "twofold/cpu/simd/vec.hpp"

TWOFOLD_BEGIN_NAMESPACE
namespace simd {
namespace detail {

template <class T>
struct exponential_of;
template <>
struct exponential_of<float> {
  static constexpr int mantissa = 23, bias = 127;
  static constexpr float lowest = -160, highest = 136, integers = 0x1.8p23f;
  static constexpr float plain = 125, ln_plain = 86;  // up to there results are normal numbers
  // near the relative minimax; rounded coefficients chosen together, for the smallest error of the rounded evaluation
  static constexpr float two[] = {1, 0x1.62e432p-1f, 0x1.ebfbe6p-3f, 0x1.c6adfep-5f, 0x1.3b26c6p-7f, 0x1.5f962cp-10f, 0x1.470382p-13f};
  static constexpr float ln_lowest = -110, ln_highest = 94;
  static constexpr float q[] = {0x1.fffffcp-2f, 0x1.555492p-3f, 0x1.5558f2p-5f, 0x1.123a1ep-7f, 0x1.6a23f6p-10f};  // 3e-9
  static constexpr float ln2_high = 0x1.62e4p-1f, ln2_low = 0x1.7f7d1cp-20f;  // high times an exponent is exact
};
template <>
struct exponential_of<double> {
  static constexpr int mantissa = 52, bias = 1023;
  static constexpr double lowest = -1100, highest = 1032, integers = 0x1.8p52;
  static constexpr double plain = 1021, ln_plain = 707;
  // relative minimax: 1.8e-17
  static constexpr double two[] = {1,
                                   0x1.62e42fefa39f3p-1,
                                   0x1.ebfbdff82c598p-3,
                                   0x1.c6b08d7048f31p-5,
                                   0x1.3b2ab6fba1e1cp-7,
                                   0x1.5d87fe7bbbe07p-10,
                                   0x1.4309130961163p-13,
                                   0x1.ffcbee3b0af8cp-17,
                                   0x1.62bfd49ed0adfp-20,
                                   0x1.b54167a0b9061p-24,
                                   0x1.e605f979c7a5dp-28,
                                   0x1.c0638527edf34p-32};
  static constexpr double ln_lowest = -760, ln_highest = 712;
  static constexpr double q[] = {0x1.000000000000ap-1,  0x1.55555555554fap-3,  0x1.5555555550846p-5,  0x1.1111111127c9dp-7,
                                 0x1.6c16c18437305p-10, 0x1.a01a012a3490fp-13, 0x1.a01999e6075c1p-16, 0x1.71df256179348p-19,
                                 0x1.28ad9874f7a3cp-22, 0x1.ad7fbdb0f2a55p-26};  // 4e-18
  static constexpr double ln2_high = 0x1.62e42fefa3p-1, ln2_low = 0x1.3de6af278ece6p-42;
};

//! Horner's rule.
template <int K, class V, class T, std::size_t Count>
TWOFOLD_INLINE V polynomial(const V& r, const T (&c)[Count]) {
  if constexpr (K + 1 == Count) return V(c[K]);
  else return V::multiply_add(r, polynomial<K + 1>(r, c), V(c[K]));
}

#if defined(TWOFOLD_HIGHWAY) && defined(__AVX512F__) && defined(__AVX512DQ__) && HWY_TARGET <= HWY_AVX3
#define TWOFOLD_SCALEF 1  // whole registers: two instructions do what takes seven elsewhere, infinities included
inline constexpr int to_nearest = _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC;
TWOFOLD_INLINE __m512 remainder(__m512 x) { return _mm512_reduce_ps(x, to_nearest); }  // x − nearest integer; 0 for infinities
TWOFOLD_INLINE __m512d remainder(__m512d x) { return _mm512_reduce_pd(x, to_nearest); }
TWOFOLD_INLINE __m512 scaled_register(__m512 v, __m512 n) { return _mm512_scalef_ps(v, n); }
TWOFOLD_INLINE __m512d scaled_register(__m512d v, __m512d n) { return _mm512_scalef_pd(v, n); }
#endif
template <class T, int N>
inline constexpr bool has_scalef =
#if defined(TWOFOLD_SCALEF)
    layout<T, N>::lanes * sizeof(T) == 64;
#else
    false;
#endif

//! v·2^n for integral n in (−2·bias, 2·bias), rounded once; v in [1/2, 2]. Elsewhere than above by two factors, the first of them leaving a
//! normal number: only the second product rounds.
template <class T, int N>
TWOFOLD_INLINE vec<T, N> scaled(const vec<T, N>& v, const vec<T, N>& n) {
  using V = vec<T, N>;
#if defined(TWOFOLD_HIGHWAY)
  return V(V::all, [&](auto i) {
#if defined(TWOFOLD_SCALEF)
    if constexpr (has_scalef<T, N>) return typename V::part{scaled_register(v.p[i].raw, n.p[i].raw)};
    else
#endif
    {
      using E = exponential_of<T>;
      const typename layout<T, N>::tag d;
      const hn::RebindToSigned<decltype(d)> di;
      const auto k = hn::ConvertTo(di, n.p[i]), half = hn::ShiftRight<1>(k), bias = hn::Set(di, E::bias);
      const auto power = [&](auto e) { return hn::BitCast(d, hn::ShiftLeft<E::mantissa>(hn::Add(e, bias))); };
      return hn::Mul(hn::Mul(v.p[i], power(half)), power(hn::Sub(k, half)));
    }
  });
#else
  return V(V::all, [&](auto i) {
    return on::each<T>([&](int l) {
      const T m = n.p[i].v[l];
      return m == m ? static_cast<T>(__builtin_ldexp(v.p[i].v[l], static_cast<int>(m))) : m;
    });
  });
#endif
}

#if defined(TWOFOLD_HIGHWAY)
//! The same where the result is a normal number: one addition to the exponent. n is brought to the last bits of a float, exactly.
template <class T, int N>
TWOFOLD_INLINE vec<T, N> scaled_normal(const vec<T, N>& v, const vec<T, N>& n) {
  using V = vec<T, N>;
  using E = exponential_of<T>;
  return V(V::all, [&](auto i) {
    const typename layout<T, N>::tag d;
    const hn::RebindToSigned<decltype(d)> di;
    const auto k = hn::BitCast(di, hn::Add(n.p[i], hn::Set(d, E::integers)));
    return hn::BitCast(d, hn::Add(hn::BitCast(di, v.p[i]), hn::ShiftLeft<E::mantissa>(k)));
  });
}
#endif

}  // namespace detail

//! @brief  2^x in every lane.
//! @special 2^−inf = 0, 2^inf = inf, NaN gives NaN; above the largest number inf
//! @error  below 1 ulp: bench/results has the measurement for every float; doubles below 1.1 ulp
//! @cost   11 operations a register with AVX-512
template <class T, int N>
TWOFOLD_INLINE vec<T, N> vec<T, N>::exp2(const vec& x) {
  using E = detail::exponential_of<T>;
#if defined(TWOFOLD_SCALEF)
  if constexpr (detail::has_scalef<T, N>) {
    const vec r(all, [&](auto i) { return part{detail::remainder(x.p[i].raw)}; });
    return detail::scaled(detail::polynomial<0>(r, E::two), x - r);  // the difference is exact
  } else
#endif
  {
#if defined(TWOFOLD_HIGHWAY)
    if (__builtin_expect(all_true(fabs(x) <= vec(E::plain)), 1)) {  // the same bits for a third of the work
      const vec n = nearest(x);
      return detail::scaled_normal(detail::polynomial<0>(x - n, E::two), n);
    }
#endif
    const vec y = smaller(vec(E::highest), larger(vec(E::lowest), x));  // NaN, the second argument, stays
    const vec n = nearest(y);
    return detail::scaled(detail::polynomial<0>(y - n, E::two), n);
  }
}
template <class T, int N>
TWOFOLD_INLINE vec<T, N> vec<T, N>::exp2_flushed(const vec& x) {
  return exp2(x);
}

//! @brief  e^x in every lane.
//! @special e^−inf = 0, e^inf = inf, NaN gives NaN; above the largest number inf
//! @error  below 1 ulp: bench/results has the measurement for every float; doubles below 1.1 ulp
template <class T, int N>
TWOFOLD_INLINE vec<T, N> vec<T, N>::exp(const vec& x) {
  using E = detail::exponential_of<T>;
  const auto significand = [](const vec& y, const vec& n) __attribute__((always_inline)) {
    // All fused by name: a product left to the compiler is fused on some machines alone.
    const vec high = multiply_add(n, vec(-E::ln2_high), y);
    const vec r = multiply_add(n, vec(-E::ln2_low), high), lost = multiply_add(n, vec(-E::ln2_low), high - r);
    return (r + multiply_add(r * r, detail::polynomial<0>(r, E::q), lost)) + vec(1);
  };
#if defined(TWOFOLD_HIGHWAY)
  if constexpr (!detail::has_scalef<T, N>)
    if (__builtin_expect(all_true(fabs(x) <= vec(E::ln_plain)), 1)) {
      const vec n = nearest(x * vec(math::log2_e));
      return detail::scaled_normal(significand(x, n), n);
    }
#endif
  const vec y = smaller(vec(E::ln_highest), larger(vec(E::ln_lowest), x));
  const vec n = nearest(y * vec(math::log2_e));
  return detail::scaled(significand(y, n), n);
}

}  // namespace simd
TWOFOLD_END_NAMESPACE
