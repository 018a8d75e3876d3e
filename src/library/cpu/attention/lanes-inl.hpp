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
HWY_INLINE void add_values(int vectors, std::int64_t n, std::int64_t columns, const float_rows& v, const float* p, float* o, bool absent,
                           next_rows& next) {
  const std::int64_t width = vectors * lanes;
  if (absent && has_strange_value(n, columns, v.data, v.stride)) {
    for (std::int64_t t = 0; t < width; ++t) add_present(n, columns, p + t, width, v.data, v.stride, o + t, width);
    return;
  }
  product<true>(vectors, columns, n, v.data, 1, v.stride, p, o, next);
}

inline constexpr std::int64_t rows_turned = 16;

//! State of every row of the task: columns of o. `rows` has room for rows_turned rows.
HWY_INLINE void hand_out(const block_of_rows& b, const state_sink& to, std::int64_t width, const float* at, const float* l,
                         const float* exact, const float* o, float* rows) {
  const std::int64_t columns = b.p.value_size;
  for (std::int64_t first = 0; first < b.count; first += rows_turned) {
    const std::int64_t n = std::min(rows_turned, b.count - first);
    turn(columns, n, o + first, width, rows, columns);
    for (std::int64_t i = 0, t = first; i < n; ++i, ++t) {
      float* row = rows + i * columns;
      if (to.at == nullptr) {
        finish_row(b, t, at[t], l[t], exact[t], row);
      } else {
        const std::int64_t dense = b.dense(t);
        to.at[dense] = at[t], to.l[dense] = l[t];
        std::copy_n(row, columns, to.o + dense * columns);
      }
    }
  }
}

//! As many queries as a block of registers is wide: rows of their own, so that what one of them sees says which tiles it needs.
struct lane_panel {
  lane_facts f;
  float *q, *o;   //!< [head size or columns, width]
  float *at, *l;  //!< [width]
};
HWY_INLINE block_of_rows rows_of_panel(const block_of_rows& b, std::int64_t first, std::int64_t width) {
  block_of_rows part = b;
  part.first += first;
  part.count = std::clamp<std::int64_t>(b.count - first, 0, width);
  return part;
}

HWY_INLINE void begin_panel(const block_of_rows& part, const lane_panel& panel, float* rows) {
  const std::int64_t size = part.p.head_size, width = panel.f.width;
  for (std::int64_t first = 0; first < width; first += rows_turned) {
    const std::int64_t n = std::min(rows_turned, width - first);
    for (std::int64_t t = 0; t < n; ++t) {
      if (first + t < part.count) widen(part.p.type, part.q_row(first + t), size, 1, rows + t * size);
      else std::fill_n(rows + t * size, size, 0.0f);
    }
    turn(n, size, rows, size, panel.q + first, width);
  }
  std::fill_n(panel.at, width, -infinity);
  std::fill_n(panel.l, width, 0.0f);
  std::fill_n(panel.o, part.p.value_size * width, 0.0f);
}

//! The rows j, j + 1, … of the tile that begins there; where the keys end, a line that is there anyway.
HWY_INLINE next_rows rows_to_come(const row_source& from, std::int64_t j, std::int64_t last) {
  if (j >= last) return {reinterpret_cast<std::uintptr_t>(&from), reinterpret_cast<std::uintptr_t>(&from), 0, 0, 0};
  const auto at = reinterpret_cast<std::uintptr_t>(from.row(j));
  const std::int64_t bytes = from.size * bytes_of(from.type);
  return {at, at + static_cast<std::uintptr_t>(bytes), bytes, from.stride, from.run(j, std::min(keys_of_tile, last - j)) - 1};
}

HWY_NOINLINE void attend_lanes(const block_of_rows& b, const state_sink& to) {
  const attention_problem& p = b.p;
  const std::int64_t size = p.head_size, columns = p.value_size, all = (b.count + lanes - 1) / lanes;
  const std::int64_t panels = (all + most_vectors - 1) / most_vectors;
  const int vectors = static_cast<int>((all + panels - 1) / panels);
  const std::int64_t width = vectors * lanes, longest = std::max(size, columns);
  scratch memory(4 * static_cast<std::size_t>(panels * width * (size + columns + 6) + keys_of_tile * (width + size + columns + 1) +
                                              rows_turned * longest) +
                 sizeof(lane_panel) * static_cast<std::size_t>(panels) + 128 * static_cast<std::size_t>(8 * panels + 6));
  auto* panel = memory.take<lane_panel>(panels);
  float *s = memory.take<float>(keys_of_tile * width), *row = memory.take<float>(keys_of_tile),
        *rows = memory.take<float>(rows_turned * longest);
  float *k_buffer = memory.take<float>(keys_of_tile * size), *v_buffer = memory.take<float>(keys_of_tile * columns);
  std::int64_t first = b.key_end, last = b.key_begin;
  for (std::int64_t i = 0; i < panels; ++i) {
    const lane_facts f{width, memory.take<std::int32_t>(width), memory.take<std::int32_t>(width), memory.take<float>(width),
                       memory.take<float>(width)};
    panel[i] = {f, memory.take<float>(size * width), memory.take<float>(columns * width), memory.take<float>(width),
                memory.take<float>(width)};
    const block_of_rows part = rows_of_panel(b, i * width, width);
    learn(part, panel[i].f);
    begin_panel(part, panel[i], rows);
    first = std::min(first, panel[i].f.first), last = std::max(last, panel[i].f.last);
  }

  const bool changed = changes_scores(p);
  const auto factor = static_cast<float>(p.score_factor);
  const auto c = static_cast<float>(changed ? math::log2_e : math::log2_e * p.score_factor);
  const row_source keys = b.key_rows(), values = b.value_rows();
  // Tiles end at multiples of their length, so that a row's bits do not depend on the rows beside it.
  for (std::int64_t j = first; j < last;) {
    const std::int64_t n = keys.run(j, std::min(keys_of_tile - j % keys_of_tile, last - j));
    const float_rows k = rows_of(keys, j, n, size, k_buffer), v = rows_of(values, j, n, columns, v_buffer);
    next_rows next_k = rows_to_come(keys, j + n, last), next_v = rows_to_come(values, j + n, last);
    for (std::int64_t i = 0; i < panels; ++i) {
      const lane_facts& f = panel[i].f;
      float *at = panel[i].at, *l = panel[i].l, *o = panel[i].o;
      if (j + n <= f.first || j >= f.last) continue;
      product<false>(vectors, n, size, k.data, k.stride, 1, panel[i].q, s, next_k);
      if (changed) change_lanes(rows_of_panel(b, i * width, width), f, j, n, factor, s, row);
      if (j < f.all_begin || j + n > f.all_end || (i + 1) * width > b.count) mask_lanes(f, j - f.first, n, s);
      const bool absent = weigh(vectors, n, s, c, at, l, columns, o);
      add_values(vectors, n, columns, v, s, o, absent, next_v);
    }
    j += n;
  }
  for (std::int64_t i = 0; i < panels; ++i)
    hand_out(rows_of_panel(b, i * width, width), to, width, panel[i].at, panel[i].l, panel[i].l, panel[i].o, rows);
}

}  // namespace twofold::cpu::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
