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

#include "cpu/attention/product-inl.hpp"
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
HWY_INLINE V weight_of(V score, V scale, V minus_reference) {
  const D d;
  const V p = exp2_of(hn::MulAdd(score, scale, minus_reference));
  return hn::IfThenElse(hn::Eq(score, hn::Set(d, -infinity)), hn::Set(d, -0.0f), p);
}

//! Scores of n rows of N vectors become weights, which are added to the sums.
template <int N, bool Absent>
HWY_INLINE void weights_of_rows(std::int64_t n, float* s, V scale, const V* minus, V* sum) {
  const D d;
  for (const float* end = s + n * N * lanes; s != end; s += N * lanes)
#pragma GCC unroll 4
    for (int i = 0; i < N; ++i) {
      const V score = hn::LoadU(d, s + i * lanes);
      const V p = Absent ? weight_of(score, scale, minus[i]) : exp2_of(hn::MulAdd(score, scale, minus[i]));
      sum[i] = hn::Add(sum[i], p);
      hn::StoreU(p, d, s + i * lanes);
    }
}

//! @brief  N vectors of queries over n keys: scores s[j·N·lanes + t] (score·c in log2 units) become weights in place; at and l move on,
//!         and with them o, `rows` rows of N vectors. Row by row, as the scores were made: a vector alone would walk the first-level cache
//!         in strides, and every chain would wait for itself.
//! @return whether a key may be absent
template <int N>
HWY_NOINLINE bool weigh_panel(std::int64_t n, float* s, float c, float* at, float* l, std::int64_t rows, float* o) {
  constexpr std::int64_t stride = N * lanes;
  constexpr int deep = N >= 3 ? 1 : 4 / N;  // rows at a time: chains that hide the latency of a maximum
  const D d;
  const V nothing = hn::Set(d, -infinity), scale = hn::Set(d, c);
  V most[N * deep], least[N * deep];
#pragma GCC unroll 4
  for (int i = 0; i < N * deep; ++i) most[i] = nothing, least[i] = hn::Set(d, infinity);
  std::int64_t j = 0;
  for (; j + deep <= n; j += deep) {
#pragma GCC unroll 4
    for (int i = 0; i < N * deep; ++i) {
      const V x = hn::LoadU(d, s + j * stride + i * lanes);
      most[i] = hn::Max(most[i], x), least[i] = hn::Min(least[i], x);
    }
  }
  for (; j < n; ++j)
#pragma GCC unroll 4
    for (int i = 0; i < N; ++i) {
      const V x = hn::LoadU(d, s + j * stride + i * lanes);
      most[i] = hn::Max(most[i], x), least[i] = hn::Min(least[i], x);
    }
#pragma GCC unroll 4
  for (int i = N; i < N * deep; ++i) most[i % N] = hn::Max(most[i % N], most[i]), least[i % N] = hn::Min(least[i % N], least[i]);

  bool all_plain = true, absent = false;
#pragma GCC unroll 4
  for (int i = 0; i < N; ++i) {
    all_plain &= hn::AllTrue(d, plain(most[i], hn::LoadU(d, at + i * lanes), hn::Mul(most[i], scale)));
    absent |= !hn::AllTrue(d, hn::Gt(least[i], nothing));
  }
  if (HWY_UNLIKELY(!all_plain)) {
    for (std::int64_t t = 0; t < stride; ++t) weigh_saturated(n, stride, s + t, c, at + t, l + t, rows, stride, o + t);
    return true;
  }
  V minus[N], sum[N];
#pragma GCC unroll 4
  for (int i = 0; i < N; ++i) {
    const V old = hn::LoadU(d, at + i * lanes), reference = moved(old, hn::Mul(most[i], scale));
    sum[i] = hn::LoadU(d, l + i * lanes);
    if (!hn::AllTrue(d, hn::Eq(old, reference))) {
      const V share = action(old, reference);
      sum[i] = hn::Mul(sum[i], share);
      for (std::int64_t r = 0; r < rows; ++r) {
        float* x = o + r * stride + i * lanes;
        hn::StoreU(hn::Mul(hn::LoadU(d, x), share), d, x);
      }
      hn::StoreU(reference, d, at + i * lanes);
    }
    minus[i] = hn::Neg(hn::IfThenElse(hn::Eq(reference, nothing), hn::Zero(d), reference));
  }
  if (absent) weights_of_rows<N, true>(n, s, scale, minus, sum);
  else weights_of_rows<N, false>(n, s, scale, minus, sum);
#pragma GCC unroll 4
  for (int i = 0; i < N; ++i) hn::StoreU(sum[i], d, l + i * lanes);
  return absent;
}
HWY_INLINE bool weigh(int vectors, std::int64_t n, float* s, float c, float* at, float* l, std::int64_t rows, float* o) {
  if constexpr (most_vectors > 2) {
    if (vectors == 4) return weigh_panel<4>(n, s, c, at, l, rows, o);
    if (vectors == 3) return weigh_panel<3>(n, s, c, at, l, rows, o);
  }
  return vectors == 2 ? weigh_panel<2>(n, s, c, at, l, rows, o) : weigh_panel<1>(n, s, c, at, l, rows, o);
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
  const V minus = hn::Neg(hn::IfThenElse(hn::Eq(reference, nothing), hn::Zero(d), reference));
  V sum = hn::Zero(d);
  for (std::int64_t j = 0; j < padded; j += lanes) {
    const V p = weight_of(hn::LoadU(d, s + j), scale, minus);
    sum = hn::Add(sum, p);
    hn::StoreU(p, d, s + j);
  }
  *l += hn::GetLane(hn::SumOfLanes(d, sum));
  return !hn::AllTrue(d, hn::Gt(least, nothing));
}

}  // namespace twofold::cpu::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
