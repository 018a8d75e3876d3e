// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Many queries: each has a lane. Scores, weights and outputs are kept transposed, a row per key or column of values, so that the
//! operator's loop over keys is the same arithmetic in every lane and K and V are read where they lie.
//!
//!     Sᵀ = K·Qᵀ    weights and references, lane by lane    Oᵀ += Vᵀ·Pᵀ
#if defined(TWOFOLD_ATTENTION_LANES_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TWOFOLD_ATTENTION_LANES_INL
#undef TWOFOLD_ATTENTION_LANES_INL
#else
#define TWOFOLD_ATTENTION_LANES_INL
#endif

#include "cpu/attention/product-inl.hpp"
#include "cpu/attention/scores-inl.hpp"
#include "cpu/attention/scratch.hpp"
#include "cpu/attention/weights-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace twofold::cpu::detail::HWY_NAMESPACE {

inline constexpr std::int64_t keys_of_tile = 128;

//! What every lane of a task knows of its query. Lanes without one see no key.
struct lane_facts {
  std::int64_t width;                       //!< lanes, a multiple of the vector
  std::int32_t *begin, *end;                //!< keys seen, counted from the first key that any lane sees
  float *slope, *position;                  //!< position counted likewise
  std::int64_t first = 0, last = 0;         //!< keys that any lane sees
  std::int64_t all_begin = 0, all_end = 0;  //!< keys that all lanes with a query see
};

HWY_INLINE void learn(const block_of_rows& b, lane_facts& f) {
  f.first = b.key_end, f.last = b.key_begin, f.all_begin = 0, f.all_end = b.key_end;
  for (std::int64_t t = 0; t < b.count; ++t) {
    const std::int64_t begin = b.begin(t), end = b.end(t);
    if (begin < end) f.first = std::min(f.first, begin), f.last = std::max(f.last, end);
    f.all_begin = std::max(f.all_begin, begin), f.all_end = std::min(f.all_end, end);
  }
  for (std::int64_t t = 0; t < f.width; ++t) {
    const bool used = t < b.count && b.begin(t) < b.end(t);
    f.begin[t] = used ? static_cast<std::int32_t>(b.begin(t) - f.first) : 0;
    f.end[t] = used ? static_cast<std::int32_t>(b.end(t) - f.first) : 0;
    f.slope[t] = used && b.p.alibi_slopes ? b.p.alibi_slopes[b.head(t)] : 0.0f;
    f.position[t] = used ? static_cast<float>(b.position(t) - f.first) : 0.0f;
  }
}

//! Keys outside [begin, end) become absent: scores −inf. `first` is counted as begin is.
HWY_INLINE void mask_lanes(const lane_facts& f, std::int64_t first, std::int64_t n, float* s) {
  const D d;
  const hn::RebindToSigned<D> di;
  for (std::int64_t g = 0; g < f.width; g += lanes) {
    const auto begin = hn::LoadU(di, f.begin + g), end = hn::LoadU(di, f.end + g);
    for (std::int64_t j = 0; j < n; ++j) {
      const auto key = hn::Set(di, static_cast<std::int32_t>(first + j));
      const auto hidden = hn::Or(hn::Lt(key, begin), hn::Not(hn::Lt(key, end)));
      float* x = s + j * f.width + g;
      hn::StoreU(hn::IfThenElse(hn::RebindMask(d, hidden), hn::Set(d, -infinity), hn::LoadU(d, x)), d, x);
    }
  }
}

HWY_INLINE void change_lanes(const block_of_rows& b, const lane_facts& f, std::int64_t first, std::int64_t n, float factor, float* s,
                             float* row) {
  const D d;
  const score_shape shape = shape_of(b.p, factor);
  for (std::int64_t g = 0; g < f.width; g += lanes) {
    const V slope = hn::LoadU(d, f.slope + g), position = hn::LoadU(d, f.position + g);
    for (std::int64_t j = 0; j < n; ++j) {
      float* x = s + j * f.width + g;
      const V distance = hn::Sub(hn::Set(d, static_cast<float>(first - f.first + j)), position);
      hn::StoreU(shape(hn::LoadU(d, x), slope, distance), d, x);
    }
  }
  if (!b.p.bias && !b.p.score.call) return;
  for (std::int64_t t = 0; t < b.count; ++t) {
    for (std::int64_t j = 0; j < n; ++j) row[j] = s[j * f.width + t];
    add_bias_and_call(b, t, first, n, row);
    for (std::int64_t j = 0; j < n; ++j) s[j * f.width + t] = row[j];
  }
}

//! Oᵀ += Vᵀ·Pᵀ, careful where a key is absent from some lane: its values may be anything.
HWY_INLINE void add_values(int panels, int vectors, std::int64_t n, std::int64_t columns, const float_rows& v, const float* p, float* o,
                           bool absent) {
  const std::int64_t width = panels * vectors * lanes;
  if (absent && has_strange_value(n, columns, v.data, v.stride)) {
    for (std::int64_t t = 0; t < width; ++t) add_present(n, columns, p + t, width, v.data, v.stride, o + t, width);
    return;
  }
  product<true>(panels, vectors, columns, n, v.data, 1, v.stride, p, o);
}

//! State of every row of the task: columns of o.
HWY_INLINE void hand_out(const block_of_rows& b, const state_sink& to, std::int64_t width, const float* at, const float* l,
                         const float* exact, const float* o, float* row) {
  const std::int64_t columns = b.p.value_size;
  for (std::int64_t t = 0; t < b.count; ++t) {
    if (to.at == nullptr) {
      for (std::int64_t r = 0; r < columns; ++r) row[r] = o[r * width + t];
      finish_row(b, t, at[t], l[t], exact[t], row);
    } else {
      const std::int64_t dense = b.dense(t);
      to.at[dense] = at[t], to.l[dense] = l[t];
      for (std::int64_t r = 0; r < columns; ++r) to.o[dense * columns + r] = o[r * width + t];
    }
  }
}

HWY_NOINLINE void attend_lanes(const block_of_rows& b, const state_sink& to) {
  const attention_problem& p = b.p;
  const std::int64_t size = p.head_size, columns = p.value_size, all = (b.count + lanes - 1) / lanes;
  const int panels = static_cast<int>((all + most_vectors - 1) / most_vectors), vectors = static_cast<int>((all + panels - 1) / panels);
  const std::int64_t width = panels * vectors * lanes;
  scratch memory(
      4 * static_cast<std::size_t>(width * (size + columns + keys_of_tile + 6) + keys_of_tile * (size + columns + 1) + size + columns) +
      2048);
  lane_facts f{width, memory.take<std::int32_t>(width), memory.take<std::int32_t>(width), memory.take<float>(width),
               memory.take<float>(width)};
  learn(b, f);
  float *q = memory.take<float>(size * width), *s = memory.take<float>(keys_of_tile * width), *o = memory.take<float>(columns * width);
  float *at = memory.take<float>(width), *l = memory.take<float>(width), *row = memory.take<float>(std::max(size + columns, keys_of_tile));
  float *k_buffer = memory.take<float>(keys_of_tile * size), *v_buffer = memory.take<float>(keys_of_tile * columns);

  for (std::int64_t t = 0; t < width; ++t) {
    at[t] = -infinity, l[t] = 0;
    if (t < b.count) widen(p.type, b.q_row(t), size, 1, row);
    else std::fill(row, row + size, 0.0f);
    for (std::int64_t r = 0; r < size; ++r) q[r * width + t] = row[r];
  }
  std::fill(o, o + columns * width, 0.0f);

  const bool changed = changes_scores(p);
  const auto factor = static_cast<float>(p.score_factor);
  const auto c = static_cast<float>(changed ? math::log2_e : math::log2_e * p.score_factor);
  const row_source keys = b.key_rows(), values = b.value_rows();
  for (std::int64_t j = f.first; j < f.last;) {
    const std::int64_t n = keys.run(j, std::min(keys_of_tile, f.last - j));
    const float_rows k = rows_of(keys, j, n, size, k_buffer);
    product<false>(panels, vectors, n, size, k.data, k.stride, 1, q, s);
    if (changed) change_lanes(b, f, j, n, factor, s, row);
    if (j < f.all_begin || j + n > f.all_end || b.count < width) mask_lanes(f, j - f.first, n, s);
    bool absent = false;
    for (std::int64_t g = 0; g < width; g += lanes) absent |= weigh(n, width, s + g, c, at + g, l + g, columns, o + g);
    add_values(panels, vectors, n, columns, rows_of(values, j, n, columns, v_buffer), s, o, absent);
    j += n;
  }
  hand_out(b, to, width, at, l, l, o, row);
}

}  // namespace twofold::cpu::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
