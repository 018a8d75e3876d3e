// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Scores become weights, the state's reference moves: the twist of ops/attention.hpp with a query in every lane. The gauge is
//! integer and lazy: references are integers in log2 units, rescaling is exact, and happens only where a score exceeds the reference by
//! more than 8.
#if defined(TWOFOLD_ATTENTION_WEIGHTS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TWOFOLD_ATTENTION_WEIGHTS_INL
#undef TWOFOLD_ATTENTION_WEIGHTS_INL
#else
#define TWOFOLD_ATTENTION_WEIGHTS_INL
#endif

#include "cpu/attention/numbers-inl.hpp"
#include "cpu/attention/saturated.hpp"

HWY_BEFORE_NAMESPACE();
namespace twofold::cpu::detail::HWY_NAMESPACE {

inline constexpr float lazy = 8;

//! References at which every exponent is one multiply-add: neither infinite nor far (score_scale::plain).
HWY_INLINE M plain(V most, V at, V scaled) {
  const D d;
  const V far = hn::Set(d, 0x1p24f), nothing = hn::Set(d, -infinity);
  const M score = hn::Or(hn::Eq(most, nothing), hn::Lt(hn::Abs(scaled), far));
  return hn::And(score, hn::Or(hn::Eq(at, nothing), hn::Lt(hn::Abs(at), far)));
}

//! The reference after scores of at most `scaled`.
HWY_INLINE V moved(V at, V scaled) {
  const D d;
  return hn::IfThenElse(hn::Gt(scaled, hn::Add(at, hn::Set(d, lazy))), hn::Ceil(scaled), at);
}

//! What sums at reference `from` are multiplied by at reference `to`.
HWY_INLINE V action(V from, V to) {
  const D d;
  return hn::IfThenElse(hn::Eq(from, to), hn::Set(d, 1.0f), exp2_of(hn::Sub(from, to)));
}

//! A weight of exactly 0 with the sign bit marks an absent key: where a value is not finite its weight of 0 may not be multiplied.
HWY_INLINE V weight_of(V score, V scale, V reference) {
  const D d;
  const V p = exp2_of(hn::MulAdd(score, scale, hn::Neg(reference)));
  return hn::IfThenElse(hn::Eq(score, hn::Set(d, -infinity)), hn::Set(d, -0.0f), p);
}

//! @brief  One vector of queries over n keys: scores s[j·stride] (score·c in log2 units) become weights in place; at and l move on, and
//! with
//!         them o, rows of `rows` numbers, one stride apart.
//! @return whether a key was absent
HWY_INLINE bool weigh(std::int64_t n, std::int64_t stride, float* s, float c, float* at, float* l, std::int64_t rows, float* o) {
  const D d;
  const V nothing = hn::Set(d, -infinity), scale = hn::Set(d, c);
  V most = nothing, least = hn::Set(d, infinity);
  for (std::int64_t j = 0; j < n; ++j) {
    const V x = hn::LoadU(d, s + j * stride);
    most = hn::Max(most, x);
    least = hn::Min(least, x);
  }
  const V old = hn::LoadU(d, at), scaled = hn::Mul(most, scale);
  if (HWY_UNLIKELY(!hn::AllTrue(d, plain(most, old, scaled)))) {
    for (std::int64_t i = 0; i < lanes; ++i) weigh_saturated(n, stride, s + i, c, at + i, l + i, rows, stride, o + i);
    return true;
  }
  const V reference = moved(old, scaled), share = action(old, reference);
  V sum = hn::LoadU(d, l);
  if (!hn::AllTrue(d, hn::Eq(old, reference))) {
    sum = hn::Mul(sum, share);
    for (std::int64_t r = 0; r < rows; ++r) hn::StoreU(hn::Mul(hn::LoadU(d, o + r * stride), share), d, o + r * stride);
    hn::StoreU(reference, d, at);
  }
  const V safe = hn::IfThenElse(hn::Eq(reference, nothing), hn::Zero(d), reference);
  const bool absent = !hn::AllTrue(d, hn::Gt(least, nothing));
  if (absent) {
    for (std::int64_t j = 0; j < n; ++j) {
      const V p = weight_of(hn::LoadU(d, s + j * stride), scale, safe);
      sum = hn::Add(sum, p);
      hn::StoreU(p, d, s + j * stride);
    }
  } else {
    const V minus = hn::Neg(safe);
    for (std::int64_t j = 0; j < n; ++j) {
      const V p = exp2_of(hn::MulAdd(hn::LoadU(d, s + j * stride), scale, minus));
      sum = hn::Add(sum, p);
      hn::StoreU(p, d, s + j * stride);
    }
  }
  hn::StoreU(sum, d, l);
  return absent;
}

//! The same of one query whose n scores lie side by side; s has room for whole vectors.
HWY_INLINE bool weigh_row(std::int64_t n, float* s, float c, float* at, float* l, std::int64_t rows, float* o) {
  const D d;
  const V nothing = hn::Set(d, -infinity), scale = hn::Set(d, c);
  const std::int64_t padded = (n + lanes - 1) / lanes * lanes;
  for (std::int64_t j = n; j < padded; ++j) s[j] = -infinity;
  V most = nothing, least = hn::Set(d, infinity);
  for (std::int64_t j = 0; j < padded; j += lanes) {
    const V x = hn::LoadU(d, s + j);
    most = hn::Max(most, x);
    least = hn::Min(least, x);
  }
  most = hn::MaxOfLanes(d, most);
  const V old = hn::Set(d, *at), scaled = hn::Mul(most, scale);
  if (HWY_UNLIKELY(!hn::AllTrue(d, plain(most, old, scaled)))) {
    weigh_saturated(n, 1, s, c, at, l, rows, 1, o);
    return true;
  }
  const V reference = moved(old, scaled);
  if (!hn::AllTrue(d, hn::Eq(old, reference))) {
    const V share = action(old, reference);
    *l *= hn::GetLane(share);
    std::int64_t r = 0;
    for (; r + lanes <= rows; r += lanes) hn::StoreU(hn::Mul(hn::LoadU(d, o + r), share), d, o + r);
    for (; r < rows; ++r) o[r] *= hn::GetLane(share);
    *at = hn::GetLane(reference);
  }
  const V safe = hn::IfThenElse(hn::Eq(reference, nothing), hn::Zero(d), reference);
  V sum = hn::Zero(d);
  for (std::int64_t j = 0; j < padded; j += lanes) {
    const V p = weight_of(hn::LoadU(d, s + j), scale, safe);
    sum = hn::Add(sum, p);
    hn::StoreU(p, d, s + j);
  }
  *l += hn::GetLane(hn::SumOfLanes(d, sum));
  return !hn::AllTrue(d, hn::Gt(least, nothing));
}

}  // namespace twofold::cpu::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
