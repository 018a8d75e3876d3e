// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file bfloat16 in pairs: the schedule of lanes-inl.hpp, the products by tiles of 16 × 32 numbers where there is AMX, else by
//! AVX512_BF16's sums of two products. Keys are read where they lie, queries are packed once per task, values once per call; weights are
//! rounded to bfloat16; outputs are divided by the sum l of the rounded weights, so that they are true averages of values, and log-sum-exps
//! come from the sum of the weights as they were.
#if defined(TWOFOLD_ATTENTION_TILES_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TWOFOLD_ATTENTION_TILES_INL
#undef TWOFOLD_ATTENTION_TILES_INL
#else
#define TWOFOLD_ATTENTION_TILES_INL
#endif

#include "cpu/attention/lanes-inl.hpp"
#include "cpu/attention/packed_values.hpp"

#if HWY_TARGET == HWY_AVX3 && defined(__x86_64__) && HWY_COMPILER_GCC_ACTUAL
#define TWOFOLD_HAS_TILES 1

#include <immintrin.h>

#include <bit>

HWY_BEFORE_NAMESPACE();
namespace twofold::cpu::detail::HWY_NAMESPACE {

#define TWOFOLD_AMX __attribute__((target("amx-tile,amx-bf16,avx512bf16")))

//! Eight tiles of 16 rows of 64 bytes. A thread's tiles are its own: each task sets them and gives them back.
struct tile_shapes {
  alignas(64) std::uint8_t bytes[64] = {};
  tile_shapes() {
    bytes[0] = 1;
    for (int t = 0; t < 8; ++t) bytes[16 + 2 * t] = 64, bytes[48 + t] = 16;
  }
};

//! Sᵀ = K·Qᵀ: rows of keys (32 at a time), depth in pairs of numbers; queries as pairs, `width` lanes.
TWOFOLD_AMX HWY_NOINLINE inline void tile_scores(std::int64_t keys, std::int64_t depth, std::int64_t width, const std::uint16_t* k,
                                                 std::int64_t k_stride, const std::uint32_t* q, float* s) {
  const std::int64_t row = width * 4;
  for (std::int64_t i = 0; i < keys; i += 32)
    for (std::int64_t t = 0; t < width; t += 32) {
      _tile_zero(0);
      _tile_zero(1);
      _tile_zero(2);
      _tile_zero(3);
      for (std::int64_t e = 0; e < depth; e += 32) {
        const auto* a = reinterpret_cast<const std::byte*>(k + e) + i * k_stride;
        const auto* b = q + e / 2 * width + t;
        _tile_loadd(4, a, k_stride);
        _tile_loadd(6, b, row);
        _tile_dpbf16ps(0, 4, 6);
        _tile_loadd(7, b + 16, row);
        _tile_dpbf16ps(1, 4, 7);
        _tile_loadd(5, a + 16 * k_stride, k_stride);
        _tile_dpbf16ps(2, 5, 6);
        _tile_dpbf16ps(3, 5, 7);
      }
      float* c = s + i * width + t;
      _tile_stored(0, c, row);
      _tile_stored(1, c + 16, row);
      _tile_stored(2, c + 16 * width, row);
      _tile_stored(3, c + 16 * width + 16, row);
    }
}

//! Oᵀ += Vᵀ·Pᵀ: columns of values (32 at a time) packed with keys side by side, weights as pairs of keys.
TWOFOLD_AMX HWY_NOINLINE inline void tile_values(std::int64_t columns, std::int64_t keys, std::int64_t width, const std::uint16_t* v,
                                                 const std::uint32_t* p, float* o) {
  const std::int64_t row = width * 4, v_row = packed_values::keys * 2;
  for (std::int64_t i = 0; i < columns; i += 32)
    for (std::int64_t t = 0; t < width; t += 32) {
      float* c = o + i * width + t;
      _tile_loadd(0, c, row);
      _tile_loadd(1, c + 16, row);
      _tile_loadd(2, c + 16 * width, row);
      _tile_loadd(3, c + 16 * width + 16, row);
      for (std::int64_t e = 0; e < keys; e += 32) {
        const auto* a = v + i * packed_values::keys + e;
        const auto* b = p + e / 2 * width + t;
        _tile_loadd(4, a, v_row);
        _tile_loadd(6, b, row);
        _tile_dpbf16ps(0, 4, 6);
        _tile_loadd(7, b + 16, row);
        _tile_dpbf16ps(1, 4, 7);
        _tile_loadd(5, a + 16 * packed_values::keys, v_row);
        _tile_dpbf16ps(2, 5, 6);
        _tile_dpbf16ps(3, 5, 7);
      }
      _tile_stored(0, c, row);
      _tile_stored(1, c + 16, row);
      _tile_stored(2, c + 16 * width, row);
      _tile_stored(3, c + 16 * width + 16, row);
    }
}

//! A thread's tiles are its own: each task sets them and gives them back.
struct amx_products {
  static constexpr std::int64_t depth_unit = 32, column_unit = 32;  // heads are padded to multiples of these
  TWOFOLD_AMX static void begin() {
    const tile_shapes shapes;
    _tile_loadconfig(shapes.bytes);
  }
  TWOFOLD_AMX static void end() { _tile_release(); }
  TWOFOLD_AMX static void scores(std::int64_t keys, std::int64_t depth, std::int64_t width, const std::uint16_t* k, std::int64_t k_stride,
                                 const std::uint32_t* q, float* s) {
    tile_scores(keys, depth, width, k, k_stride, q, s);
  }
  TWOFOLD_AMX static void values(std::int64_t columns, std::int64_t keys, std::int64_t width, const std::uint16_t* v,
                                 const std::uint32_t* p, float* o) {
    tile_values(columns, keys, width, v, p, o);
  }
};

#define TWOFOLD_BF16 __attribute__((target("avx512bf16")))

//! C(m, t) (+)= Σ over pairs e of A(m, e)·B(e, t), two products each: A's pairs are spread, a query per lane of B and C; 16·N lanes, R
//! rows.
template <int R, int N, bool Add>
TWOFOLD_BF16 HWY_INLINE void pair_block(std::int64_t pairs, const std::byte* a, std::int64_t row, const std::uint32_t* b,
                                        std::int64_t width, float* c) {
  __m512 sum[R][N];
#pragma GCC unroll 16
  for (int m = 0; m < R; ++m)
#pragma GCC unroll 16
    for (int n = 0; n < N; ++n) sum[m][n] = Add ? _mm512_loadu_ps(c + m * width + n * 16) : _mm512_setzero_ps();
  for (std::int64_t e = 0; e < pairs; ++e, a += 4, b += width) {
    __m512i x[N];
#pragma GCC unroll 16
    for (int n = 0; n < N; ++n) x[n] = _mm512_loadu_si512(b + n * 16);
#pragma GCC unroll 16
    for (int m = 0; m < R; ++m) {
      std::int32_t pair;
      std::memcpy(&pair, a + m * row, 4);
      const __m512i y = _mm512_set1_epi32(pair);
#pragma GCC unroll 16
      for (int n = 0; n < N; ++n) sum[m][n] = _mm512_dpbf16_ps(sum[m][n], reinterpret_cast<__m512bh>(y), reinterpret_cast<__m512bh>(x[n]));
    }
  }
#pragma GCC unroll 16
  for (int m = 0; m < R; ++m)
#pragma GCC unroll 16
    for (int n = 0; n < N; ++n) _mm512_storeu_ps(c + m * width + n * 16, sum[m][n]);
}
template <int R, int N, bool Add>
TWOFOLD_BF16 HWY_INLINE void pair_rows(int rows, std::int64_t pairs, const std::byte* a, std::int64_t row, const std::uint32_t* b,
                                       std::int64_t width, float* c) {
  if constexpr (R > 0) {
    if (rows == R) return pair_block<R, N, Add>(pairs, a, row, b, width, c);
    pair_rows<R - 1, N, Add>(rows, pairs, a, row, b, width, c);
  }
}
//! All rows, in blocks of nearly the same height.
template <int N, bool Add>
TWOFOLD_BF16 HWY_NOINLINE void pair_panel(std::int64_t rows, std::int64_t pairs, const std::byte* a, std::int64_t row,
                                          const std::uint32_t* b, std::int64_t width, float* c) {
  constexpr int most = N == 4 ? 6 : 12;
  for (std::int64_t blocks = (rows + most - 1) / most; blocks > 0; --blocks) {
    const std::int64_t height = (rows + blocks - 1) / blocks;
    pair_rows<most, N, Add>(static_cast<int>(height), pairs, a, row, b, width, c);
    rows -= height, a += height * row, c += height * width;
  }
}
struct pair_products {
  static constexpr std::int64_t depth_unit = 2, column_unit = 1;
  static void begin() {}
  static void end() {}
  template <bool Add>
  TWOFOLD_BF16 HWY_INLINE static void product(std::int64_t rows, std::int64_t pairs, std::int64_t width, const std::byte* a,
                                              std::int64_t row, const std::uint32_t* b, float* c) {
    std::int64_t t = 0;
    for (; t + 64 <= width; t += 64) pair_panel<4, Add>(rows, pairs, a, row, b + t, width, c + t);
    if (t < width) pair_panel<2, Add>(rows, pairs, a, row, b + t, width, c + t);
  }
  TWOFOLD_BF16 HWY_INLINE static void scores(std::int64_t keys, std::int64_t depth, std::int64_t width, const std::uint16_t* k,
                                             std::int64_t k_stride, const std::uint32_t* q, float* s) {
    product<false>(keys, depth / 2, width, reinterpret_cast<const std::byte*>(k), k_stride, q, s);
  }
  TWOFOLD_BF16 HWY_INLINE static void values(std::int64_t columns, std::int64_t keys, std::int64_t width, const std::uint16_t* v,
                                             const std::uint32_t* p, float* o) {
    product<true>(columns, keys / 2, width, reinterpret_cast<const std::byte*>(v), packed_values::keys * 2, p, o);
  }
};

//! 2^x with a relative error of 2.6e-6, a two hundredth of what rounding to bfloat16 costs.
HWY_INLINE V exp2_for_bfloat16(V x) {
  const D d;
  const V lowest = hn::Set(d, -160.0f), round = hn::Set(d, 0x1.8p23f);
  x = hn::Max(lowest, x);  // NaN, the second, stays
  const V n = hn::Sub(hn::Add(x, round), round), r = hn::Sub(x, n);
  V y = hn::MulAdd(r, hn::Set(d, 0x1.3997d6p-7f), hn::Set(d, 0x1.ca1444p-5f));
  y = hn::MulAdd(r, y, hn::Set(d, 0x1.ec06dap-3f));
  y = hn::MulAdd(r, y, hn::Set(d, 0x1.62e0dcp-1f));
  y = hn::MulAdd(r, y, hn::Set(d, 0x1.ffffe8p-1f));
  return V{_mm512_scalef_ps(y.raw, n.raw)};
}

//! Two rows of weights → pairs of bfloat16, lane by lane (the first in the low half); the rows become what they were rounded to.
TWOFOLD_BF16 HWY_INLINE __m512i round_pair(V& first, V& second) {
  const __m512i both = reinterpret_cast<__m512i>(_mm512_cvtne2ps_pbh(second.raw, first.raw));  // sixteen of the first, then of the second
  const __m512i order = _mm512_set_epi16(31, 15, 30, 14, 29, 13, 28, 12, 27, 11, 26, 10, 25, 9, 24, 8, 23, 7, 22, 6, 21, 5, 20, 4, 19, 3,
                                         18, 2, 17, 1, 16, 0);
  const __m512i pairs = _mm512_permutexvar_epi16(order, both);
  first = V{_mm512_castsi512_ps(_mm512_slli_epi32(pairs, 16))};
  second = V{_mm512_castsi512_ps(_mm512_and_si512(pairs, _mm512_set1_epi32(static_cast<int>(0xffff0000u))))};
  return pairs;
}

//! weigh, of an even number of keys, into pairs.
TWOFOLD_BF16 HWY_INLINE bool weigh_pairs(std::int64_t n, std::int64_t stride, float* s, float c, float* at, float* l, float* exact,
                                         std::int64_t rows, float* o, std::uint32_t* pairs) {
  const D d;
  const V nothing = hn::Set(d, -infinity), scale = hn::Set(d, c);
  V most[2] = {nothing, nothing}, least[2] = {hn::Set(d, infinity), hn::Set(d, infinity)};
  for (std::int64_t j = 0; j < n; j += 2)
    for (int h = 0; h < 2; ++h) {
      const V x = hn::Load(d, s + (j + h) * stride);
      most[h] = hn::Max(most[h], x);
      least[h] = hn::Min(least[h], x);
    }
  const V top = hn::Max(most[0], most[1]), old = hn::Load(d, at), scaled = hn::Mul(top, scale);
  if (HWY_UNLIKELY(!hn::AllTrue(d, plain(top, old, scaled)))) {
    for (std::int64_t i = 0; i < lanes; ++i) weigh_saturated(n, stride, s + i, c, at + i, exact + i, rows, stride, o + i);
    hn::Store(hn::Load(d, exact), d, l);
    for (std::int64_t j = 0; j < n; j += 2) {
      V first = hn::Load(d, s + j * stride), second = hn::Load(d, s + (j + 1) * stride);
      _mm512_store_si512(pairs + j / 2 * stride, round_pair(first, second));
    }
    return true;
  }
  const V reference = moved(old, scaled);
  V sum[2] = {hn::Load(d, l), hn::Zero(d)}, unrounded[2] = {hn::Load(d, exact), hn::Zero(d)};
  if (!hn::AllTrue(d, hn::Eq(old, reference))) {
    const V share = action(old, reference);
    sum[0] = hn::Mul(sum[0], share);
    unrounded[0] = hn::Mul(unrounded[0], share);
    for (std::int64_t r = 0; r < rows; ++r) hn::Store(hn::Mul(hn::Load(d, o + r * stride), share), d, o + r * stride);
    hn::Store(reference, d, at);
  }
  const V safe = hn::IfThenElse(hn::Eq(reference, nothing), hn::Zero(d), reference), minus = hn::Neg(safe);
  const bool absent = !hn::AllTrue(d, hn::Gt(hn::Min(least[0], least[1]), nothing));
  for (std::int64_t j = 0; j < n; j += 2) {
    V p[2];
    for (int h = 0; h < 2; ++h) {
      const V x = hn::Load(d, s + (j + h) * stride);
      p[h] = exp2_for_bfloat16(hn::MulAdd(x, scale, minus));
      if (absent) p[h] = hn::IfThenElse(hn::Eq(x, nothing), hn::Set(d, -0.0f), p[h]);
      unrounded[h] = hn::Add(unrounded[h], p[h]);
    }
    _mm512_store_si512(pairs + j / 2 * stride, round_pair(p[0], p[1]));
    for (int h = 0; h < 2; ++h) sum[h] = hn::Add(sum[h], p[h]);
  }
  hn::Store(hn::Add(sum[0], sum[1]), d, l);
  hn::Store(hn::Add(unrounded[0], unrounded[1]), d, exact);
  return absent;
}

template <class Products>
TWOFOLD_BF16 HWY_INLINE void attend_in_pairs(const block_of_rows& b, const state_sink& to) {
  const attention_problem& p = b.p;
  const auto whole = [](std::int64_t n, std::int64_t unit = 32) { return (n + unit - 1) / unit * unit; };
  const std::int64_t size = whole(p.head_size, Products::depth_unit), columns = whole(p.value_size, Products::column_unit),
                     width = whole(b.count), strip = packed_values::keys;
  scratch memory(4 * static_cast<std::size_t>(width * (size / 2 + columns + strip + strip / 2 + 7) + strip * (size / 2 + p.value_size + 1) +
                                              size + rows_turned * columns) +
                 4096);
  lane_facts f{width, memory.take<std::int32_t>(width), memory.take<std::int32_t>(width), memory.take<float>(width),
               memory.take<float>(width)};
  learn(b, f);
  auto *q = memory.take<std::uint32_t>(size / 2 * width), *pairs = memory.take<std::uint32_t>(strip / 2 * width);
  float *s = memory.take<float>(strip * width), *o = memory.take<float>(columns * width);
  float *at = memory.take<float>(width), *l = memory.take<float>(width), *exact = memory.take<float>(width),
        *row = memory.take<float>(std::max(size + rows_turned * columns, strip));
  auto* k_buffer = memory.take<std::uint16_t>(strip * size);
  float* v_buffer = memory.take<float>(strip * p.value_size);

  for (std::int64_t t = 0; t < width; ++t) {
    at[t] = -infinity, l[t] = exact[t] = 0;
    auto* packed = reinterpret_cast<std::uint16_t*>(row);
    std::memset(packed, 0, static_cast<std::size_t>(size) * 2);
    if (t < b.count) std::memcpy(packed, b.q_row(t), static_cast<std::size_t>(p.head_size) * 2);
    for (std::int64_t e = 0; e < size / 2; ++e) std::memcpy(q + e * width + t, packed + 2 * e, 4);
  }
  std::fill(o, o + columns * width, 0.0f);

  const bool changed = changes_scores(p);
  const auto factor = static_cast<float>(p.score_factor);
  const auto c = static_cast<float>(changed ? math::log2_e : math::log2_e * p.score_factor);
  const row_source keys = b.key_rows(), values = b.value_rows();
  Products::begin();
  // Tiles of values begin at multiples of `strip`, wherever the task's keys do.
  for (std::int64_t j = f.first / strip * strip; j < f.last; j += strip) {
    const std::int64_t n = std::min(strip, b.keys - j), padded = whole(std::min(n, whole(f.last - j)));
    const auto* k = reinterpret_cast<const std::uint16_t*>(keys.row(j));
    std::int64_t k_stride = keys.stride;
    if (p.head_size != size || padded > n || keys.run(j, padded) < padded) {
      for (std::int64_t i = 0; i < padded; ++i) {
        std::uint16_t* to_row = k_buffer + i * size;
        std::memset(to_row, 0, static_cast<std::size_t>(size) * 2);
        if (i < n) std::memcpy(to_row, keys.row(j + i), static_cast<std::size_t>(p.head_size) * 2);
      }
      k = k_buffer, k_stride = size * 2;
    }
    Products::scores(padded, size, width, k, k_stride, q, s);
    if (changed) change_lanes(b, f, j, std::min(n, padded), factor, s, row);
    if (j < f.all_begin || j + padded > f.all_end || b.count < width) mask_lanes(f, j - f.first, padded, s);
    bool absent = false;
    for (std::int64_t g = 0; g < width; g += lanes)
      absent |= weigh_pairs(padded, width, s + g, c, at + g, l + g, exact + g, columns, o + g, pairs + g);
    if (absent && b.values->strange(b.batch, b.kv_head, j / strip)) {
      for (std::int64_t i = 0; i < padded; ++i)
        for (std::int64_t t = 0; t < width; ++t) {
          const std::uint32_t bits = pairs[i / 2 * width + t];
          s[i * width + t] = std::bit_cast<float>(i % 2 ? bits & 0xffff0000u : bits << 16);
        }
      const std::int64_t present = std::min(n, padded);
      const float_rows wide = rows_of(values, j, present, p.value_size, v_buffer);
      for (std::int64_t t = 0; t < width; ++t) add_present(present, p.value_size, s + t, width, wide.data, wide.stride, o + t, width);
    } else {
      Products::values(columns, padded, width, b.values->tile(b.batch, b.kv_head, j / strip), pairs, o);
    }
  }
  Products::end();
  hand_out(b, to, width, at, l, exact, o, row);
}
TWOFOLD_AMX HWY_NOINLINE void attend_tiles(const block_of_rows& b, const state_sink& to) { attend_in_pairs<amx_products>(b, to); }
TWOFOLD_BF16 HWY_NOINLINE void attend_pairs(const block_of_rows& b, const state_sink& to) { attend_in_pairs<pair_products>(b, to); }

}  // namespace twofold::cpu::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
#endif
