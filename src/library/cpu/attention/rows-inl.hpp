// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Few queries (decoding): lanes run along the head. K and V stream through once; every row of the task that shares them uses them
//! while they are in registers.
#if defined(TWOFOLD_ATTENTION_ROWS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TWOFOLD_ATTENTION_ROWS_INL
#undef TWOFOLD_ATTENTION_ROWS_INL
#else
#define TWOFOLD_ATTENTION_ROWS_INL
#endif

#include <array>

#include "cpu/attention/lanes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace twofold::cpu::detail::HWY_NAMESPACE {

inline constexpr std::int64_t keys_of_strip = 64;

//! The sums of Keys·R vectors: that of vector i to to[(i % R)·row + i / R]. Sixteen at once are added while they are turned round, with a
//! third of the instructions of sixteen sums.
template <int Keys, int R>
HWY_INLINE void sums(const V (&x)[Keys * R], float* to, std::int64_t row) {
  const D d;
#if HWY_TARGET == HWY_AVX3
  if constexpr (Keys * R == 16) {
    __m512 halves[8], quarters[4], pairs[2];
#pragma GCC unroll 8
    for (int i = 0; i < 8; ++i)
      halves[i] = _mm512_add_ps(_mm512_shuffle_f32x4(x[i].raw, x[i + 8].raw, 0x44), _mm512_shuffle_f32x4(x[i].raw, x[i + 8].raw, 0xee));
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i)
      quarters[i] =
          _mm512_add_ps(_mm512_shuffle_f32x4(halves[i], halves[i + 4], 0x88), _mm512_shuffle_f32x4(halves[i], halves[i + 4], 0xdd));
#pragma GCC unroll 2
    for (int i = 0; i < 2; ++i)
      pairs[i] = _mm512_add_ps(_mm512_unpacklo_ps(quarters[i], quarters[i + 2]), _mm512_unpackhi_ps(quarters[i], quarters[i + 2]));
    const __m512d a = _mm512_castps_pd(pairs[0]), b = _mm512_castps_pd(pairs[1]);
    const __m512 all = _mm512_add_ps(_mm512_castpd_ps(_mm512_unpacklo_pd(a, b)), _mm512_castpd_ps(_mm512_unpackhi_pd(a, b)));
    // The sum of vector i stands in lane `place[i]`; rows are to lie one behind the other.
    constexpr auto place = [](int i) { return (i / 8 % 2 + i / 4 % 2 * 2) * 4 + i / 2 % 2 + i % 2 * 2; };
    alignas(64) static constexpr std::array<int, 16> order = [place] {
      std::array<int, 16> o{};
      for (int r = 0; r < R; ++r)
        for (int j = 0; j < Keys; ++j) o[static_cast<std::size_t>(r * Keys + j)] = place(j * R + r);
      return o;
    }();
    alignas(64) float rows[16];
    _mm512_store_ps(rows, _mm512_permutexvar_ps(_mm512_load_si512(order.data()), all));
    for (int r = 0; r < R; ++r) std::memcpy(to + r * row, rows + r * Keys, Keys * sizeof(float));
    return;
  }
#endif
  for (int i = 0; i < Keys * R; ++i) to[i % R * row + i / R] = hn::GetLane(hn::SumOfLanes(d, x[i]));
}

//! s[r][j] = q[r]·k[j] for R rows (size apart) and all n keys; size is a multiple of the vector.
template <attention_type Type, int R>
HWY_INLINE void strip_scores(std::int64_t n, std::int64_t size, const float* q, const std::byte* k, std::int64_t stride, float* s) {
  const D d;
  constexpr int together = many_registers ? 16 / R : R == 4 ? 2 : 4;
  std::int64_t j = 0;
  const auto strip = [&]<int Keys>() HWY_ATTR {
    V sum[Keys * R];
#pragma GCC unroll 32
    for (int i = 0; i < Keys * R; ++i) sum[i] = hn::Zero(d);
    for (std::int64_t e = 0; e < size; e += lanes) {
      V y[R];
#pragma GCC unroll 4
      for (int r = 0; r < R; ++r) y[r] = hn::LoadU(d, q + r * size + e);
#pragma GCC unroll 16
      for (int i = 0; i < Keys; ++i) {
        const V x = read<Type>(k + (j + i) * stride, e);
#pragma GCC unroll 4
        for (int r = 0; r < R; ++r) sum[i * R + r] = hn::MulAdd(x, y[r], sum[i * R + r]);
      }
    }
    sums<Keys, R>(sum, s + j, keys_of_strip);
  };
  for (; j + together <= n; j += together) strip.template operator()<together>();
  for (; j < n; ++j) strip.template operator()<1>();
}

//! o[r] += Σ p[r][j]·v[j]; columns is a multiple of the vector.
template <attention_type Type, int R, int N>
HWY_INLINE void strip_values_part(std::int64_t n, std::int64_t columns, const float* p, const std::byte* v, std::int64_t stride,
                                  std::int64_t e, float* o) {
  const D d;
  V sum[R * N];
#pragma GCC unroll 32
  for (int i = 0; i < R * N; ++i) sum[i] = hn::LoadU(d, o + i / N * columns + e + i % N * lanes);
  for (std::int64_t j = 0; j < n; ++j) {
    V x[N];
#pragma GCC unroll 8
    for (int i = 0; i < N; ++i) x[i] = read<Type>(v + j * stride, e + i * lanes);
#pragma GCC unroll 4
    for (int r = 0; r < R; ++r) {
      const V w = hn::Set(d, p[r * keys_of_strip + j]);
#pragma GCC unroll 8
      for (int i = 0; i < N; ++i) sum[r * N + i] = hn::MulAdd(w, x[i], sum[r * N + i]);
    }
  }
#pragma GCC unroll 32
  for (int i = 0; i < R * N; ++i) hn::StoreU(sum[i], d, o + i / N * columns + e + i % N * lanes);
}
template <attention_type Type, int R>
HWY_INLINE void strip_values(std::int64_t n, std::int64_t columns, const float* p, const std::byte* v, std::int64_t stride, float* o) {
  constexpr int most = many_registers ? (R <= 2 ? 8 : 4) : (R <= 2 ? 4 : 2);
  std::int64_t e = 0;
  for (; e + most * lanes <= columns; e += most * lanes) strip_values_part<Type, R, most>(n, columns, p, v, stride, e, o);
  if constexpr (most > 4)
    for (; e + 4 * lanes <= columns; e += 4 * lanes) strip_values_part<Type, R, 4>(n, columns, p, v, stride, e, o);
  for (; e < columns; e += lanes) strip_values_part<Type, R, 1>(n, columns, p, v, stride, e, o);
}

//! Rows of keys or values as the strips read them: where they lie if whole vectors fit, else widened and padded.
struct strip_rows {
  const std::byte* data;
  std::int64_t stride;
  attention_type type;
};
HWY_INLINE strip_rows strip_of(const row_source& from, std::int64_t j, std::int64_t n, std::int64_t padded, float* buffer) {
  if (from.type != attention_type::int8 && from.size == padded) return {from.row(j), from.stride, from.type};
  const float_rows r = rows_of(from, j, n, padded, buffer);
  return {reinterpret_cast<const std::byte*>(r.data), r.stride * 4, attention_type::float32};
}

//! f for the type of the rows and for R rows at a time, the rest one by one.
template <class F>
HWY_INLINE void over_rows(attention_type type, std::int64_t count, const F& f) {
  const auto typed = [&]<attention_type Type>() HWY_ATTR {
    std::int64_t t = 0;
    for (; t + 4 <= count; t += 4) f.template operator()<Type, 4>(t);
    if (t + 2 <= count) f.template operator()<Type, 2>(t), t += 2;
    if (t < count) f.template operator()<Type, 1>(t);
  };
  if (type == attention_type::float32) typed.template operator()<attention_type::float32>();
  else if (type == attention_type::float16) typed.template operator()<attention_type::float16>();
  else typed.template operator()<attention_type::bfloat16>();
}

HWY_NOINLINE void attend_rows(const block_of_rows& b, const state_sink& to) {
  const attention_problem& p = b.p;
  const auto whole = [](std::int64_t n) { return (n + lanes - 1) / lanes * lanes; };
  const std::int64_t size = whole(p.head_size), columns = whole(p.value_size), rows = b.count;
  scratch memory(4 * static_cast<std::size_t>(rows * (size + columns + keys_of_strip + 2) + keys_of_strip * (size + columns)) + 2048);
  float *q = memory.take<float>(rows * size), *o = memory.take<float>(rows * columns), *s = memory.take<float>(rows * keys_of_strip);
  float *at = memory.take<float>(rows), *l = memory.take<float>(rows);
  float *k_buffer = memory.take<float>(keys_of_strip * size), *v_buffer = memory.take<float>(keys_of_strip * columns);
  std::int64_t first = b.key_end, last = b.key_begin;
  for (std::int64_t t = 0; t < rows; ++t) {
    at[t] = -infinity, l[t] = 0;
    widen(p.type, b.q_row(t), p.head_size, 1, q + t * size);
    std::fill(q + t * size + p.head_size, q + (t + 1) * size, 0.0f);
    if (b.begin(t) < b.end(t)) first = std::min(first, b.begin(t)), last = std::max(last, b.end(t));
  }
  std::fill(o, o + rows * columns, 0.0f);

  const bool changed = changes_scores(p);
  const auto factor = static_cast<float>(p.score_factor);
  const auto c = static_cast<float>(changed ? math::log2_e : math::log2_e * p.score_factor);
  const row_source keys = b.key_rows(), values = b.value_rows();
  for (std::int64_t j = first; j < last;) {
    const std::int64_t n = keys.run(j, std::min(keys_of_strip, last - j));
    const strip_rows k = strip_of(keys, j, n, size, k_buffer), v = strip_of(values, j, n, columns, v_buffer);
    over_rows(k.type, rows, [&]<attention_type Type, int R>(std::int64_t t) HWY_ATTR {
      strip_scores<Type, R>(n, size, q + t * size, k.data, k.stride, s + t * keys_of_strip);
    });
    bool absent = false;
    for (std::int64_t t = 0; t < rows; ++t) {
      float* x = s + t * keys_of_strip;
      if (changed) change_row(b, t, j, n, factor, x);
      const std::int64_t begin = std::min(std::max(b.begin(t) - j, std::int64_t{0}), n), end = std::min(std::max(b.end(t) - j, begin), n);
      std::fill(x, x + begin, -infinity);
      std::fill(x + end, x + n, -infinity);
      absent |= weigh_row(n, x, c, at + t, l + t, columns, o + t * columns);
    }
    if (absent) {  // values of absent keys may be anything
      const float_rows wide = rows_of(values, j, n, columns, v_buffer);
      if (has_strange_value(n, p.value_size, wide.data, wide.stride)) {
        for (std::int64_t t = 0; t < rows; ++t)
          add_present(n, p.value_size, s + t * keys_of_strip, 1, wide.data, wide.stride, o + t * columns, 1);
        j += n;
        continue;
      }
    }
    over_rows(v.type, rows, [&]<attention_type Type, int R>(std::int64_t t) HWY_ATTR {
      strip_values<Type, R>(n, columns, s + t * keys_of_strip, v.data, v.stride, o + t * columns);
    });
    j += n;
  }
  for (std::int64_t t = 0; t < rows; ++t) {
    if (to.at == nullptr) {
      finish_row(b, t, at[t], l[t], l[t], o + t * columns);
      continue;
    }
    const std::int64_t dense = b.dense(t);
    to.at[dense] = at[t], to.l[dense] = l[t];
    std::copy(o + t * columns, o + t * columns + p.value_size, to.o + dense * p.value_size);
  }
}

}  // namespace twofold::cpu::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
