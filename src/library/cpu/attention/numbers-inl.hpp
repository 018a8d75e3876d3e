// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Vectors of floats: numbers of every type widened to them, 2^x, tanh. Compiled once per instruction set.
#if defined(TWOFOLD_ATTENTION_NUMBERS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TWOFOLD_ATTENTION_NUMBERS_INL
#undef TWOFOLD_ATTENTION_NUMBERS_INL
#else
#define TWOFOLD_ATTENTION_NUMBERS_INL
#endif

#include <hwy/highway.h>

#include "cpu/attention/work.hpp"

HWY_BEFORE_NAMESPACE();
namespace twofold::cpu::detail::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::CappedTag<float, 16>;
using V = hn::Vec<D>;
using M = hn::Mask<D>;
inline constexpr std::int64_t lanes = static_cast<std::int64_t>(hn::MaxLanes(D()));
inline constexpr bool scales_by_powers = HWY_TARGET <= HWY_AVX3 && lanes == 16;  //!< has an instruction for y·2^n

//! 2^x; x of at most about 2^7. −inf gives 0, NaN gives NaN. At most 1 ulp; results below the smallest normal number are flushed or rounded
//! once.
HWY_INLINE V exp2_of(V x) {
  const D d;
  const hn::RebindToSigned<D> di;
  // relative minimax of 2^r on [−1/2, 1/2]: 2.6e-9
  const V lowest = hn::Set(d, -160.0f), round = hn::Set(d, 0x1.8p23f);
  if constexpr (!scales_by_powers) x = hn::IfThenElse(hn::Lt(x, lowest), lowest, x);
  const V n = hn::Sub(hn::Add(x, round), round), r = hn::Sub(x, n);
  V y = hn::MulAdd(r, hn::Set(d, 0x1.470b4ap-13f), hn::Set(d, 0x1.5f7276p-10f));
  y = hn::MulAdd(r, y, hn::Set(d, 0x1.3b270ep-7f));
  y = hn::MulAdd(r, y, hn::Set(d, 0x1.c6ae72p-5f));
  y = hn::MulAdd(r, y, hn::Set(d, 0x1.ebfbe2p-3f));
  y = hn::MulAdd(r, y, hn::Set(d, 0x1.62e432p-1f));
  y = hn::MulAdd(r, y, hn::Set(d, 1.0f));
#if HWY_TARGET <= HWY_AVX3
  if constexpr (scales_by_powers) return V{_mm512_scalef_ps(y.raw, n.raw)};  // 0 for y = NaN, n = −inf
#endif
  const auto k = hn::ConvertTo(di, n), half = hn::ShiftRight<1>(k), bias = hn::Set(di, 127);
  const V low = hn::BitCast(d, hn::ShiftLeft<23>(hn::Add(half, bias))),
          high = hn::BitCast(d, hn::ShiftLeft<23>(hn::Add(hn::Sub(k, half), bias)));
  return hn::Mul(hn::Mul(y, low), high);
}

//! tanh with a relative error of some ulp: x·P(x²) near 0, where 1 − 2/(e^2x + 1) would cancel.
HWY_INLINE V tanh_of(V x) {
  const D d;
  const V size = hn::Abs(x), square = hn::Mul(x, x), one = hn::Set(d, 1.0f);
  V y = hn::MulAdd(square, hn::Set(d, -0.0088632355f), hn::Set(d, 0.021869488f));  // Taylor's coefficients: |x| ≤ 1/4
  y = hn::MulAdd(square, y, hn::Set(d, -0.053968254f));
  y = hn::MulAdd(square, y, hn::Set(d, 0.13333334f));
  y = hn::MulAdd(square, y, hn::Set(d, -0.33333334f));
  const V small = hn::MulAdd(hn::Mul(x, square), y, x);
  const V bounded = hn::IfThenElse(hn::Gt(size, hn::Set(d, 20.0f)), hn::Set(d, 20.0f), size);
  const V power = exp2_of(hn::Mul(bounded, hn::Set(d, 2.8853900817779268f)));
  const V large = hn::CopySign(hn::Sub(one, hn::Div(hn::Set(d, 2.0f), hn::Add(power, one))), x);
  return hn::IfThenElse(hn::Lt(size, hn::Set(d, 0.25f)), small, hn::IfThenElse(hn::Eq(x, x), large, x));
}

//! A vector of numbers of any type, as floats.
template <attention_type Type>
HWY_INLINE V read(const std::byte* row, std::int64_t i) {
  const D d;
  if constexpr (Type == attention_type::float32) return hn::LoadU(d, reinterpret_cast<const float*>(row) + i);
  else if constexpr (Type == attention_type::float16) {
    const hn::Rebind<hwy::float16_t, D> narrow;
    return hn::PromoteTo(d, hn::LoadU(narrow, reinterpret_cast<const hwy::float16_t*>(row) + i));
  } else if constexpr (Type == attention_type::bfloat16) {
    const hn::Rebind<std::uint16_t, D> narrow;
    const hn::RebindToUnsigned<D> wide;
    return hn::BitCast(d, hn::ShiftLeft<16>(hn::PromoteTo(wide, hn::LoadU(narrow, reinterpret_cast<const std::uint16_t*>(row) + i))));
  } else {
    const hn::Rebind<std::int8_t, D> narrow;
    const hn::RebindToSigned<D> wide;
    return hn::ConvertTo(d, hn::PromoteTo(wide, hn::LoadU(narrow, reinterpret_cast<const std::int8_t*>(row) + i)));
  }
}

template <attention_type Type>
HWY_INLINE void widen_row(const std::byte* row, std::int64_t n, float scale, float* to) {
  const D d;
  const V f = hn::Set(d, scale);
  std::int64_t i = 0;
  const auto at = [&](std::int64_t e) HWY_ATTR {
    V x = read<Type>(row, e);
    if constexpr (Type == attention_type::int8) x = hn::Mul(x, f);
    hn::StoreU(x, d, to + e);
  };
  for (; i + lanes <= n; i += lanes) at(i);
  if (i < n && n >= lanes) {
    at(n - lanes);     // some of it once more
  } else if (i < n) {  // from a copy: nothing behind the row is read, nothing behind `to` written
    alignas(64) std::byte rest[64] = {};
    const auto bytes = static_cast<std::size_t>(Type == attention_type::float32 ? 4 : Type == attention_type::int8 ? 1 : 2);
    std::memcpy(rest, row + static_cast<std::size_t>(i) * bytes, static_cast<std::size_t>(n - i) * bytes);
    V x = read<Type>(rest, 0);
    if constexpr (Type == attention_type::int8) x = hn::Mul(x, f);
    alignas(64) float wide[16];
    hn::Store(x, d, wide);
    std::memcpy(to + i, wide, static_cast<std::size_t>(n - i) * sizeof(float));
  }
}

//! n numbers of any type → floats.
HWY_INLINE void widen(attention_type type, const std::byte* row, std::int64_t n, float scale, float* to) {
  switch (type) {
    case attention_type::float32:
      return widen_row<attention_type::float32>(row, n, scale, to);
    case attention_type::float16:
      return widen_row<attention_type::float16>(row, n, scale, to);
    case attention_type::bfloat16:
      return widen_row<attention_type::bfloat16>(row, n, scale, to);
    case attention_type::int8:
      return widen_row<attention_type::int8>(row, n, scale, to);
  }
}

//! to[c·to_stride + r] = from[r·from_stride + c]: squares of four by four in registers, of 16 by 16 in the first-level cache.
HWY_INLINE void turn(std::int64_t rows, std::int64_t columns, const float* from, std::int64_t from_stride, float* to,
                     std::int64_t to_stride) {
#if HWY_TARGET == HWY_SCALAR
  const std::int64_t whole_rows = 0, whole_columns = 0;
#else
  const hn::FixedTag<float, 4> four;
  const hn::FixedTag<std::uint64_t, 2> two;
  const std::int64_t whole_rows = rows & ~std::int64_t{3}, whole_columns = columns & ~std::int64_t{3};
  for (std::int64_t i = 0; i < whole_rows; i += 16)
    for (std::int64_t j = 0; j < whole_columns; j += 16)
      for (std::int64_t r = i; r < std::min(i + 16, whole_rows); r += 4)
        for (std::int64_t c = j; c < std::min(j + 16, whole_columns); c += 4) {
          const float* x = from + r * from_stride + c;
          float* y = to + c * to_stride + r;
          const auto x0 = hn::LoadU(four, x), x1 = hn::LoadU(four, x + from_stride), x2 = hn::LoadU(four, x + 2 * from_stride),
                     x3 = hn::LoadU(four, x + 3 * from_stride);
          const auto a = hn::BitCast(two, hn::InterleaveLower(four, x0, x1)), b = hn::BitCast(two, hn::InterleaveLower(four, x2, x3));
          const auto e = hn::BitCast(two, hn::InterleaveUpper(four, x0, x1)), f = hn::BitCast(two, hn::InterleaveUpper(four, x2, x3));
          hn::StoreU(hn::BitCast(four, hn::InterleaveLower(two, a, b)), four, y);
          hn::StoreU(hn::BitCast(four, hn::InterleaveUpper(two, a, b)), four, y + to_stride);
          hn::StoreU(hn::BitCast(four, hn::InterleaveLower(two, e, f)), four, y + 2 * to_stride);
          hn::StoreU(hn::BitCast(four, hn::InterleaveUpper(two, e, f)), four, y + 3 * to_stride);
        }
#endif
  for (std::int64_t r = 0; r < rows; ++r)
    for (std::int64_t c = r < whole_rows ? whole_columns : 0; c < columns; ++c) to[c * to_stride + r] = from[r * from_stride + c];
}

//! Rows as floats: where they lie if they are, else widened into `buffer`, with `padded` numbers from row to row.
struct float_rows {
  const float* data;
  std::int64_t stride;
};
HWY_INLINE float_rows rows_of(const row_source& from, std::int64_t j, std::int64_t n, std::int64_t padded, float* buffer) {
  if (from.type == attention_type::float32 && from.size == padded && from.run(j, n) == n)
    return {reinterpret_cast<const float*>(from.row(j)), from.stride / 4};
  for (std::int64_t i = 0; i < n; ++i) {
    float* to = buffer + i * padded;
    widen(from.type, from.row(j + i), from.size, from.scale_of(j + i), to);
    for (std::int64_t r = from.size; r < padded; ++r) to[r] = 0;
  }
  return {buffer, padded};
}

}  // namespace twofold::cpu::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
