// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file What stands between q·k and a weight: factor, softcap, ALiBi, bias, the user's function, the mask. Masks are ranges
//! of keys and stand where they are applied (lanes-inl.hpp, rows-inl.hpp).
#if defined(TWOFOLD_ATTENTION_SCORES_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TWOFOLD_ATTENTION_SCORES_INL
#undef TWOFOLD_ATTENTION_SCORES_INL
#else
#define TWOFOLD_ATTENTION_SCORES_INL
#endif

#include "cpu/attention/numbers-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace twofold::cpu::detail::HWY_NAMESPACE {

//! The part that is arithmetic on vectors: products → scores in nats, `distance` from the query to the key.
struct score_shape {
  float factor, cap;
  bool alibi;
  HWY_INLINE V operator()(V x, V slope, V distance) const {
    const D d;
    x = hn::Mul(x, hn::Set(d, factor));
    if (cap > 0) x = hn::Mul(hn::Set(d, cap), tanh_of(hn::Div(x, hn::Set(d, cap))));
    return alibi ? hn::MulAdd(slope, distance, x) : x;
  }
};
HWY_INLINE score_shape shape_of(const attention_problem& p, float factor) {
  return {factor, static_cast<float>(p.softcap), p.alibi_slopes != nullptr};
}

//! The rest: bias and the user's function, on the scores of row t at the keys first, first + 1, ….
HWY_INLINE void add_bias_and_call(const block_of_rows& b, std::int64_t t, std::int64_t first, std::int64_t n, float* s) {
  const attention_problem& p = b.p;
  const std::int64_t head = b.head(t), query = b.query(t);
  if (p.bias) {
    const float* bias =
        p.bias + b.batch * p.bias_stride.batch + head * p.bias_stride.head + query * p.bias_stride.row + first * p.bias_column;
    for (std::int64_t j = 0; j < n; ++j) s[j] += bias[j * p.bias_column];
  }
  if (p.score.call) p.score.call(p.score.self, b.batch, head, query, first, n, s);
}

//! n products of row t with the keys first, first + 1, … → scores in nats, side by side (room for whole vectors).
HWY_INLINE void change_row(const block_of_rows& b, std::int64_t t, std::int64_t first, std::int64_t n, float factor, float* s) {
  const D d;
  const score_shape shape = shape_of(b.p, factor);
  const V slope = hn::Set(d, shape.alibi ? b.p.alibi_slopes[b.head(t)] : 0.0f);
  for (std::int64_t j = 0; j < n; j += lanes) {
    const V distance = hn::Iota(d, static_cast<float>(first + j - b.position(t)));
    hn::StoreU(shape(hn::LoadU(d, s + j), slope, distance), d, s + j);
  }
  add_bias_and_call(b, t, first, n, s);
}

}  // namespace twofold::cpu::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
