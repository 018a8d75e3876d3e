// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file ln x in every lane, the same bits on every machine with fused multiply-add.
//! x = 2^e·(1 + f), 1 + f between √½ and √2: ln x = e·ln 2 + f − f²/2 + f³·q(f). The sum e·ln 2 + f is kept in two parts, so that where the
//! two cancel nothing is lost.
#pragma once

#include "twofold/cpu/simd/exponential.hpp"

TWOFOLD_BEGIN_NAMESPACE
namespace simd {
namespace detail {

template <class T>
struct logarithm_of;
template <>
struct logarithm_of<float> {
  using bits = std::int32_t;
  static constexpr bits root_half = 0x3f3504f3;
  static constexpr float normal = 0x1p-126f, lift = 0x1p25f, lifted = 25;
  static constexpr float q[] = {0x1.555548p-2f,  -0x1.000006p-2f, 0x1.99a4acp-3f,  -0x1.555c5p-3f, 0x1.2337fcp-3f,
                                -0x1.fc225ap-4f, 0x1.e6e8eap-4f,  -0x1.de37b4p-4f, 0x1.14624p-4f};  // relative minimax: 8e-10
};
template <>
struct logarithm_of<double> {
  using bits = std::int64_t;
  static constexpr bits root_half = 0x3fe6a09e667f3bcd;
  static constexpr double normal = 0x1p-1022, lift = 0x1p54, lifted = 54;
  static constexpr double q[] = {
      0x1.5555555555558p-2, -0x1.0000000000041p-2, 0x1.9999999999142p-3, -0x1.555555554b015p-3, 0x1.24924924dcca0p-3, -0x1.00000004f5068p-3,
      0x1.c71c71a37a93dp-4, -0x1.99999722938eep-4, 0x1.745d1af6044a8p-4, -0x1.5555b0ae34e77p-4, 0x1.3b13aa773ca9bp-4, -0x1.248a4141eef2cp-4,
      0x1.1109059a5043fp-4, -0x1.006c6b8949453p-4, 0x1.e387da47bcac9p-5, -0x1.c0e40051b74d5p-5, 0x1.9be921c2d0c28p-5, -0x1.a912f896c78dep-5,
      0x1.efc71dd3b494ap-5, -0x1.bb24889d4a907p-5, 0x1.706fcbfdaedabp-6};  // 2.4e-19
};

//! The exponent e of positive normal numbers, as numbers, and x·2^−e between √½ and √2.
template <class T, int N>
TWOFOLD_INLINE void take_exponent(vec<T, N>& x, vec<T, N>& e) {
  using L = logarithm_of<T>;
  constexpr int mantissa = exponential_of<T>::mantissa;
  vec<T, N>::each_part([&](auto i) {
#if defined(TWOFOLD_HIGHWAY)
    const typename layout<T, N>::tag d;
    const hn::RebindToSigned<decltype(d)> di;
    const auto b = hn::BitCast(di, x.p[i]), k = hn::ShiftRight<mantissa>(hn::Sub(b, hn::Set(di, L::root_half)));
    e.p[i] = hn::ConvertTo(d, k);
    x.p[i] = hn::BitCast(d, hn::Sub(b, hn::ShiftLeft<mantissa>(k)));
#else
    for (int l = 0; l < N; ++l) {
      using bits = typename L::bits;
      using word = std::make_unsigned_t<bits>;  // of negative numbers the difference wraps round: NaN comes of them in the end
      const word b = __builtin_bit_cast(word, x.p[i].v[l]);
      const bits k = static_cast<bits>(b - static_cast<word>(L::root_half)) >> mantissa;
      e.p[i].v[l] = static_cast<T>(k);
      x.p[i].v[l] = __builtin_bit_cast(T, static_cast<word>(b - (static_cast<word>(k) << mantissa)));
    }
#endif
  });
}

}  // namespace detail

//! @brief  ln x in every lane.
//! @special ln 0 = −inf (either zero), ln inf = inf; below 0 and for NaN: NaN
//! @error  below 1 ulp: bench/results has the measurement for every float
template <class T, int N>
TWOFOLD_INLINE vec<T, N> vec<T, N>::log(const vec& x) {
  using L = detail::logarithm_of<T>;
  using E = detail::exponential_of<T>;
  const auto tiny = x < vec(L::normal);
  vec m = mask<T, N>::select(tiny, x * vec(L::lift), x), e = m;
  detail::take_exponent(m, e);
  e -= mask<T, N>::select(tiny, vec(L::lifted), vec(0));
  const vec f = m - vec(1), square = f * f;
  const vec high = e * vec(E::ln2_high), sum = high + f, lost = f - (sum - high);
  const vec rest =
      multiply_add(square, multiply_add(f, detail::polynomial<0>(f, L::q), vec(T(-0.5))), multiply_add(e, vec(E::ln2_low), lost));
  vec y = sum + rest;
  y = mask<T, N>::select(x < vec(math::infinity<T>), y, x);  // infinity and NaN stay
  y = mask<T, N>::select(x < vec(0), vec(math::nan<T>), y);
  return mask<T, N>::select(x == vec(0), vec(-math::infinity<T>), y);
}

}  // namespace simd
TWOFOLD_END_NAMESPACE
