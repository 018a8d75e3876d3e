// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file e^s as an integer times a power of two, by a fixed sequence of multiply-adds: the same bits on every host and device. Every
//! product that meets an addition is one explicit fma, so a compiler has nothing left to contract.
#pragma once

#include "twofold/ops/reproducible/binary.hpp"

TWOFOLD_BEGIN_NAMESPACE
namespace exact {

//! mantissa·2^(exponent − 27), mantissa in [0.69, 1.45)·2^27.
struct weight {
  std::uint32_t mantissa;
  std::int32_t exponent;
};

//! Scores of at least this size are not weighed: see reproducible_log_sum_exp.
inline constexpr float far_score = 0x1p30f;
//! Below this size a score times log2(e) is split in float.
inline constexpr float near_score = 0x1p20f;

namespace detail {
//! 2^f·2^27 rounded towards 2^27, |f| < 0.525.
TWOFOLD_HD inline std::uint32_t mantissa_of(float f) {
  float p = 0x1.41cca2p+14f;  // (2^f − 1)/f · 2^27, minimax of degree 5: 2^−28 of the weight
  p = math::fma(p, f, 0x1.5f612ap+17f);
  p = math::fma(p, f, 0x1.3b2deap+20f);
  p = math::fma(p, f, 0x1.c6aeacp+22f);
  p = math::fma(p, f, 0x1.ebfbdcp+24f);
  p = math::fma(p, f, 0x1.62e430p+26f);
  return static_cast<std::uint32_t>((1 << 27) + static_cast<std::int32_t>(p * f));
}
}  // namespace detail

//! @brief  e^s for |s| < near_score.
//! @error  at most 1.55u relative, 1.34u where |s| < 2^10 (measured over every float: bench/results/reproducible_weights.json)
//! @cost   ten multiply-adds or so, no table
TWOFOLD_HD inline weight near_weight(float s) {
  constexpr float scale = 0x1.715476p+0f, scale_rest = 0x1.4ae0c0p-26f, to_integer = 0x1.8p23f;
  const float shifted = math::fma(s, scale, to_integer);  // the nearest integer, in the last places
  const float f = math::fma(s, scale_rest, math::fma(s, scale, to_integer - shifted));
  return {detail::mantissa_of(f), static_cast<std::int32_t>(__builtin_bit_cast(std::uint32_t, shifted) - 0x4b400000u)};
}

//! @brief  e^s for |s| < far_score: where the product needs it, in double.
TWOFOLD_HD inline weight weight_of(float s) {
  if (s < near_score && s > -near_score) return near_weight(s);
  constexpr double scale = 0x1.71547652b82fep+0, scale_rest = 0x1.777d0ffda0d24p-56, to_integer = 0x1.8p52;
  const double x = s, shifted = math::fma(x, scale, to_integer);
  const double f = math::fma(x, scale_rest, math::fma(x, scale, to_integer - shifted));
  return {detail::mantissa_of(static_cast<float>(f)), static_cast<std::int32_t>(__builtin_bit_cast(std::uint64_t, shifted))};
}

//! @brief  ln(v·2^exponent), v > 0, by divisions and multiply-adds of double.
//! @error  2^−50 relative, near 1 too
template <int W>
TWOFOLD_HD inline double natural_log(const wide_integer<W>& v, int exponent) {
  const auto twice_atanh = [](double t) {
    const double w = t * t;
    double p = 1.0 / 23;
    for (int k = 21; k >= 1; k -= 2) p = math::fma(p, w, 1.0 / k);
    return 2 * t * p;
  };
  if (exponent <= 0 && -exponent < 64 * W - 1) {  // near 1, from the exact difference
    wide_integer<W> beyond_one = v;
    beyond_one.add_at({~std::uint64_t{0}, ~std::uint64_t{0}}, -exponent);  // − 1
    const double d = rounded<double>(beyond_one, exponent);
    if (d < 0.25 && d > -0.25) return twice_atanh(d / (2 + d));
  }
  const double whole = rounded<double>(v, 0);
  const std::uint64_t bits = __builtin_bit_cast(std::uint64_t, whole), fraction = bits & 0xfffffffffffffull;
  const bool upper = fraction > 0x6a09e667f3bcdull;  // √2
  const double z = __builtin_bit_cast(double, fraction | (upper ? 0x3feull : 0x3ffull) << 52);
  const double e = static_cast<double>(static_cast<int>(bits >> 52) - 1023 + (upper ? 1 : 0) + exponent);
  return math::fma(e, 0x1.62e42fefa39efp-1, math::fma(e, 0x1.abc9e3b39803fp-56, twice_atanh((z - 1) / (z + 1))));
}

}  // namespace exact
TWOFOLD_END_NAMESPACE
