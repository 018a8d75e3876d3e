// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Elements of tensors: float and double as they are, float16 and bfloat16 as 16 bits that are widened to float.
#pragma once

#include "twofold/cpu/load.hpp"

TWOFOLD_BEGIN_NAMESPACE

//! The upper half of a float.
struct bfloat16 {
  std::uint16_t bits = 0;
  constexpr bfloat16() = default;
  constexpr explicit bfloat16(float x) {  // to the nearest, ties to even; a NaN stays one
    const auto b = __builtin_bit_cast(std::uint32_t, x);
    bits = static_cast<std::uint16_t>(x != x ? (b >> 16) | 0x40u : (b + 0x7fffu + ((b >> 16) & 1u)) >> 16);
  }
  constexpr operator float() const { return __builtin_bit_cast(float, static_cast<std::uint32_t>(bits) << 16); }
};

//! IEEE binary16.
struct float16 {
  std::uint16_t bits = 0;
  constexpr float16() = default;
  constexpr explicit float16(float x) {  // to the nearest, ties to even
    const auto b = __builtin_bit_cast(std::uint32_t, x);
    const std::uint32_t sign = (b >> 16) & 0x8000u, magnitude = b & 0x7fffffffu;
    std::uint32_t h = 0;
    if (magnitude > 0x7f800000u) h = 0x7e00u | ((magnitude >> 13) & 0x3ffu);
    else if (magnitude >= 0x477ff000u) h = 0x7c00u;  // 65520 and above
    else if (magnitude >= 0x38800000u) h = (magnitude - 0x38000000u + 0xfffu + ((magnitude >> 13) & 1u)) >> 13;
    else h = __builtin_bit_cast(std::uint32_t, __builtin_bit_cast(float, magnitude) + 0.5f) - 0x3f000000u;  // in units of 2^−24
    bits = static_cast<std::uint16_t>(sign | h);
  }
  constexpr operator float() const {
    const std::uint32_t sign = (bits & 0x8000u) << 16, magnitude = bits & 0x7fffu;
    if (magnitude >= 0x7c00u) return __builtin_bit_cast(float, sign | 0x7f800000u | ((magnitude & 0x3ffu) << 13));
    if (magnitude >= 0x400u) return __builtin_bit_cast(float, sign | ((magnitude << 13) + 0x38000000u));
    const float x = static_cast<float>(magnitude) * 0x1p-24f;
    return sign != 0 ? -x : x;
  }
};

namespace cpu {

//! What an element is computed in: itself, or float where it is narrower.
template <class E>
using working = std::conditional_t<std::is_same_v<E, double>, double, float>;
template <class E>
inline constexpr bool is_element =
    std::is_same_v<E, float> || std::is_same_v<E, double> || std::is_same_v<E, float16> || std::is_same_v<E, bfloat16>;

namespace detail {

//! to[i] ← x[i·stride], widened.
template <class E>
void widen_here(const E* x, index stride, index n, working<E>* to) {
  index i = 0;
#if defined(TWOFOLD_HIGHWAY)
  if constexpr (sizeof(E) == 2) {
    namespace hn = simd::hn;
    const hn::ScalableTag<float> d;
    const index step = static_cast<index>(hn::Lanes(d));
    if (stride == 1)
      for (; i + step <= n; i += step) {
        if constexpr (std::is_same_v<E, bfloat16>) {
          const hn::RebindToUnsigned<decltype(d)> du;
          const hn::Rebind<std::uint16_t, decltype(d)> half;
          const auto b = hn::PromoteTo(du, hn::LoadU(half, reinterpret_cast<const std::uint16_t*>(x + i)));
          hn::StoreU(hn::BitCast(d, hn::ShiftLeft<16>(b)), d, to + i);
        } else {
          const hn::Rebind<hwy::float16_t, decltype(d)> half;
          hn::StoreU(hn::PromoteTo(d, hn::LoadU(half, reinterpret_cast<const hwy::float16_t*>(x + i))), d, to + i);
        }
      }
  }
#endif
  for (; i < n; ++i) to[i] = static_cast<working<E>>(x[i * stride]);
}

//! to[i·stride] ← x[i], rounded to the nearest.
template <class E>
void narrow_here(const working<E>* x, index n, E* to, index stride) {
  index i = 0;
#if defined(TWOFOLD_HIGHWAY) && (HWY_TARGET <= HWY_AVX2 || !HWY_ARCH_X86)
  if constexpr (std::is_same_v<E, float16>) {
    namespace hn = simd::hn;
    const hn::ScalableTag<float> d;
    const hn::Rebind<hwy::float16_t, decltype(d)> half;
    const index step = static_cast<index>(hn::Lanes(d));
    if (stride == 1)
      for (; i + step <= n; i += step) hn::StoreU(hn::DemoteTo(half, hn::LoadU(d, x + i)), half, reinterpret_cast<hwy::float16_t*>(to + i));
  }
#endif
  for (; i < n; ++i) to[i * stride] = static_cast<E>(x[i]);
}

}  // namespace detail
}  // namespace cpu
TWOFOLD_END_NAMESPACE
