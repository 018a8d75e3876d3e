// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file One task of attention, resolved: which rows of which sequence, where its keys and values lie. Knows no instruction set.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>

#include "twofold/cpu/attention.hpp"

namespace twofold::cpu::detail {

inline constexpr float infinity = std::numeric_limits<float>::infinity();

inline constexpr std::int64_t far = std::int64_t{1} << 40;  //!< more than there are positions

//! Rows of keys or values of one head of one sequence, wherever their pages are.
struct row_source {
  const std::byte* data = nullptr;
  std::int64_t stride = 0;  //!< bytes
  attention_type type = attention_type::float32;
  std::int64_t size = 0;  //!< numbers in a row
  const float* scale = nullptr;
  std::int64_t scale_stride = 0;
  const std::int32_t* pages = nullptr;
  std::int64_t page_size = 0, page_stride = 0, scale_page_stride = 0;  //!< page_stride in bytes

  [[nodiscard]] const std::byte* row(std::int64_t j) const {
    if (pages == nullptr) return data + j * stride;
    return data + pages[j / page_size] * page_stride + j % page_size * stride;
  }
  [[nodiscard]] float scale_of(std::int64_t j) const {
    if (scale == nullptr) return 1;
    if (pages == nullptr) return scale[j * scale_stride];
    return scale[pages[j / page_size] * scale_page_stride + j % page_size * scale_stride];
  }
  //! How many of the rows j, …, j + n − 1 are one stride apart.
  [[nodiscard]] std::int64_t run(std::int64_t j, std::int64_t n) const {
    return pages == nullptr ? n : std::min(n, page_size - j % page_size);
  }
};

inline std::int64_t bytes_of(attention_type t) { return t == attention_type::float32 ? 4 : t == attention_type::int8 ? 1 : 2; }

class packed_values;

//! The rows [first, first + count) of one kv head of one sequence at the keys [key_begin, key_end). Row t is query t % queries of head
//! kv_head·group + t / queries: heads that read the same keys are rows of the same task.
struct block_of_rows {
  const attention_problem& p;
  std::int64_t batch, kv_head, first, count, key_begin, key_end;
  std::int64_t query_base = 0, queries = 0, key_base = 0, keys = 0;  //!< of the sequence
  const packed_values* values = nullptr;                             //!< for tiles

  [[nodiscard]] std::int64_t group() const { return p.heads / p.kv_heads; }
  [[nodiscard]] std::int64_t head(std::int64_t t) const { return kv_head * group() + (first + t) / queries; }
  [[nodiscard]] std::int64_t query(std::int64_t t) const { return (first + t) % queries; }
  [[nodiscard]] std::int64_t position(std::int64_t t) const {
    return query(t) + (p.alignment == attention_alignment::bottom_right ? keys - queries : 0);
  }
  //! Keys that row t sees of this task's.
  [[nodiscard]] std::int64_t begin(std::int64_t t) const {
    const std::int64_t at = position(t);
    return std::max(key_begin, p.left >= 0 && p.left < at ? at - p.left : std::int64_t{0});
  }
  [[nodiscard]] std::int64_t end(std::int64_t t) const {
    std::int64_t e = keys;
    if (p.right >= 0) e = std::min(keys, std::max(position(t) + std::min(p.right, far) + 1, p.prefix));
    return std::max(begin(t), std::min(e, key_end));
  }
  //! Where row t lies in the dense outputs.
  [[nodiscard]] std::int64_t dense(std::int64_t t) const {
    const std::int64_t rows = p.query_offsets ? p.query_rows : p.queries;
    return ((p.query_offsets ? 0 : batch) * p.heads + head(t)) * rows + query_base + query(t);
  }
  [[nodiscard]] const std::byte* q_row(std::int64_t t) const {
    const std::int64_t at =
        (p.query_offsets ? 0 : batch) * p.q_stride.batch + head(t) * p.q_stride.head + (query_base + query(t)) * p.q_stride.row;
    return static_cast<const std::byte*>(p.q) + at * bytes_of(p.type);
  }
  [[nodiscard]] std::byte* out_row(std::int64_t t) const {
    const std::int64_t at =
        (p.query_offsets ? 0 : batch) * p.out_stride.batch + head(t) * p.out_stride.head + (query_base + query(t)) * p.out_stride.row;
    return static_cast<std::byte*>(p.out) + at * bytes_of(p.type);
  }
  [[nodiscard]] row_source source(const void* data, const attention_strides& s, const float* scale, const attention_strides& scale_s,
                                  std::int64_t size) const {
    row_source r;
    const std::int64_t bytes = bytes_of(p.kv_type), sequence = p.key_offsets || p.pages ? 0 : batch;
    r.data = static_cast<const std::byte*>(data) + (sequence * s.batch + kv_head * s.head + key_base * s.row) * bytes;
    r.stride = s.row * bytes;
    r.type = p.kv_type;
    r.size = size;
    if (p.kv_type == attention_type::int8) {
      r.scale = scale + sequence * scale_s.batch + kv_head * scale_s.head + key_base * scale_s.row;
      r.scale_stride = scale_s.row;
    }
    if (p.pages) {
      r.pages = p.pages + batch * p.pages_per_sequence;
      r.page_size = p.page_size;
      r.page_stride = s.batch * bytes;
      r.scale_page_stride = scale_s.batch;
    }
    return r;
  }
  [[nodiscard]] row_source key_rows() const { return source(p.k, p.k_stride, p.k_scale, p.k_scale_stride, p.head_size); }
  [[nodiscard]] row_source value_rows() const { return source(p.v, p.v_stride, p.v_scale, p.v_scale_stride, p.value_size); }
};

//! Scores as the products of q and k, or changed by softcap, ALiBi, bias or a function of the user's?
inline bool changes_scores(const attention_problem& p) {
  return p.softcap > 0 || p.alibi_slopes || p.bias || p.score.call || !(p.score_factor > 0);
}

//! Where the state of row t of a task goes: outputs of the problem, or the parts of a split.
struct state_sink {
  float *at = nullptr, *l = nullptr, *o = nullptr;  //!< [rows of the dense outputs]; null: finish the row
};

//! State → outputs of row t (problem.cpp): states, sink, log-sum-exps, division, conversion. `exact` is l before weights were rounded.
void finish_row(const block_of_rows& b, std::int64_t t, float at, float l, float exact, float* o);

//! What a task does: the kernels of one instruction set.
using kernel = void (*)(const block_of_rows& b, const state_sink& to);
struct kernels {
  const char* target;
  kernel rows, lanes;
  kernel tiles, pairs;          //!< bfloat16 by AMX, by AVX512_BF16: null where there is none
  std::int64_t lanes_at_least;  //!< rows of a task from which a lane per query is faster
};

}  // namespace twofold::cpu::detail
