// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Asking before running: whether the kernels do a problem, why not, and by which schedule.
#pragma once

#include <cmath>
#include <cstddef>
#include <string>

#include "twofold/cuda/attention/problem.hpp"
#include "twofold/cuda/attention/shapes.hpp"
#include "twofold/schedule/can_run.hpp"

namespace twofold::cuda {

//! How a problem will run: a value that can be printed.
struct attention_plan {
  int head = 0;  //!< size of the rows that the kernel works on: head_size and value_size are padded with zeros to it
  attention::mask_kind mask = attention::mask_kind::full;
  attention::score_kind scores = attention::score_kind::plain;
  bool few_keys = false;  //!< the schedule for short sequences
  bool rounded = false;   //!< shared_rounding
  bool gathered = false;  //!< element by element: strides, addresses or sizes of rows are not multiples of 16 bytes
  attention::tile_shape shape{};
  //! Neither changed scores nor anything else that has kernels of its own.
  [[nodiscard]] bool plain() const { return scores == attention::score_kind::plain && !gathered && !rounded; }
  [[nodiscard]] std::string text() const {
    static constexpr const char* masks[] = {"every key", "an end for each row", "a begin and an end for each row"};
    return "rows of " + std::to_string(head) + ", tiles of " + std::to_string(64 * shape.groups) + " queries and " +
           std::to_string(shape.keys) + " keys, " + std::to_string(shape.stages) + " stages, " + masks[static_cast<int>(mask)] +
           (scores == attention::score_kind::plain ? "" : ", changed scores") + (gathered ? ", copied element by element" : "");
  }
};

namespace attention {

//! The first limit that a problem exceeds: {limit, what would work}, or two empty texts.
struct refusal {
  std::string limit, works;
  explicit operator bool() const { return !limit.empty(); }
};

//! Rows, heads and batches that a tensor of a problem has.
struct tensor_size {
  std::int64_t rows, heads, batch;
};
inline tensor_size size_of_q(const attention_problem& p) {
  return p.query_offsets ? tensor_size{p.query_rows, p.heads, 1} : tensor_size{p.queries, p.heads, p.batch};
}
inline tensor_size size_of_k(const attention_problem& p) {
  return p.key_offsets ? tensor_size{p.key_rows, p.kv_heads, 1} : tensor_size{p.keys, p.kv_heads, p.batch};
}

inline refusal check_tensor(const char* name, const void* data, const tensor_size& size) {
  if (size.rows == 0) return {};
  if (data == nullptr) return {std::string(name) + " is null", "device memory"};
  if (reinterpret_cast<std::uintptr_t>(data) % 2 != 0) return {std::string(name) + " does not start at an element", "an even address"};
  return {};
}

//! Rows that are written lie apart.
inline refusal check_written(const attention_strides& s, const tensor_size& size, std::int64_t columns) {
  const auto apart = [&](std::int64_t n, std::int64_t stride) { return n <= 1 || stride >= columns; };
  if (apart(size.rows, s.row) && apart(size.heads, s.head) && apart(size.batch, s.batch)) return {};
  return {"a stride of out is smaller than value_size", "rows that do not overlap"};
}

//! What is read or written number by number, 4 bytes each.
inline refusal check_numbers(const attention_problem& p) {
  const struct {
    const char* name;
    const void* data;
  } all[] = {{"key_lengths", p.key_lengths},
             {"key_starts", p.key_starts},
             {"query_offsets", p.query_offsets},
             {"key_offsets", p.key_offsets},
             {"bias", p.bias},
             {"sinks", p.sinks},
             {"alibi_slopes", p.alibi_slopes},
             {"lse_ln", p.lse_ln},
             {"lse_log2", p.lse_log2},
             {"state_at", p.state_at},
             {"state_l", p.state_l},
             {"state_o", p.state_o}};
  for (const auto& x : all)
    if (reinterpret_cast<std::uintptr_t>(x.data) % 4 != 0)
      return {std::string(x.name) + " does not start at an element", "an address that is a multiple of 4"};
  return {};
}

//! Can the copy engine (or a store of 16 bytes) work on it? Else elements are copied one by one.
inline bool in_whole_words(const void* data, const attention_strides& s, const tensor_size& size) {
  constexpr std::int64_t far = std::int64_t{1} << 38;  // the engine's strides end at 2^40 bytes
  const auto fits = [](std::int64_t n, std::int64_t stride) { return n <= 1 || (stride > 0 && stride % 8 == 0 && stride < far); };
  return reinterpret_cast<std::uintptr_t>(data) % 16 == 0 && fits(size.rows, s.row) && fits(size.heads, s.head) &&
         fits(size.batch, s.batch);
}
inline bool needs_gather(const attention_problem& p) {
  const tensor_size q = size_of_q(p), k = size_of_k(p);
  return p.head_size % 8 != 0 || p.value_size % 8 != 0 || !in_whole_words(p.q, p.q_stride, q) || !in_whole_words(p.k, p.k_stride, k) ||
         !in_whole_words(p.v, p.v_stride, k) || (p.out && !in_whole_words(p.out, p.out_stride, q)) ||
         reinterpret_cast<std::uintptr_t>(p.state_o) % 8 != 0;  // of states, two numbers are written at a time
}

inline refusal check(const attention_problem& p) {
  constexpr std::int64_t far = std::int64_t{1} << 30;
  if (p.type != attention_type::bf16 && p.type != attention_type::fp16)  // from C anything may come
    return {"type is " + std::to_string(static_cast<int>(p.type)), "0 (bf16) or 1 (fp16)"};
  if (p.alignment != attention_alignment::top_left && p.alignment != attention_alignment::bottom_right)
    return {"alignment is " + std::to_string(static_cast<int>(p.alignment)), "0 (top left) or 1 (bottom right)"};
  if (p.batch < 0 || p.heads < 0 || p.kv_heads < 0 || p.queries < 0 || p.keys < 0) return {"a size is negative", "sizes of 0 or more"};
  if (p.queries > far || p.keys > far || p.prefix > far || p.left > far || p.right >= far)
    return {"sequences are longer than 2^30", "fewer rows, merged with merge_attention_states"};
  if (p.head_size < 8 || p.head_size > 256) return {"head_size is " + std::to_string(p.head_size), "8 to 256"};
  if (p.value_size < 8 || p.value_size > 256) return {"value_size is " + std::to_string(p.value_size), "8 to 256"};
  if (p.heads > 0 && (p.kv_heads == 0 || p.heads % p.kv_heads != 0))
    return {"heads is not a multiple of kv_heads", "every kv head read by as many heads as the others"};
  if (p.batch >= far || p.heads >= far || p.batch * p.heads >= far || p.batch * p.heads * ((p.queries + 127) / 128) >= far)
    return {"there are more than 2^30 tiles", "fewer sequences in one call"};
  constexpr double large = 0x1p+100;  // scores are fp32
  if (!(p.score_factor >= 0 && p.score_factor <= large))
    return {"score_factor is not a positive number up to 2^100", "0 for 1/sqrt(head_size)"};
  if (!(p.softcap >= 0 && p.softcap <= large)) return {"softcap is not a positive number up to 2^100", "0 for no cap"};
  if (p.prefix < 0) return {"prefix is negative", "0 for no prefix"};
  if (p.left < -1 || p.right < -1) return {"left or right is below -1", "-1 for every key on that side, 0 for none"};
  const auto rows_given = [](std::int64_t rows, std::int64_t longest) { return rows >= 0 && rows <= far && (rows > 0 || longest == 0); };
  if ((p.query_offsets && !rows_given(p.query_rows, p.queries)) || (p.key_offsets && !rows_given(p.key_rows, p.keys)))
    return {"packed sequences need query_rows and key_rows", "the number of rows of the packed tensors"};
  const bool states = p.state_at || p.state_l || p.state_o;
  if (states && !(p.state_at && p.state_l && p.state_o)) return {"of the three parts of the states some are null", "all three, or none"};
  if (!p.out && !states && p.batch * p.heads * p.queries > 0) return {"there is nowhere to put the result", "out, or states, or both"};
  if (auto no = check_numbers(p)) return no;
  if (p.batch == 0 || p.heads == 0 || p.queries == 0) return {};  // nothing is read or written
  const tensor_size q = size_of_q(p), k = size_of_k(p);
  if (auto no = check_tensor("q", p.q, q)) return no;
  if (auto no = check_tensor("k", p.k, k)) return no;
  if (auto no = check_tensor("v", p.v, k)) return no;
  if (!p.out) return {};
  if (auto no = check_tensor("out", p.out, q)) return no;
  return check_written(p.out_stride, q, p.value_size);
}

}  // namespace attention

//! The schedule of a problem that can run.
inline attention_plan plan_of(const attention_problem& p) {
  attention_plan plan;
  const std::int64_t widest = p.head_size > p.value_size ? p.head_size : p.value_size;
  plan.head = widest <= 64 ? 64 : widest <= 128 ? 128 : widest <= 192 && p.value_size <= 128 ? 192 : 256;
  // One kernel does shared_rounding with changed scores, however tensors lie.
  plan.gathered = attention::needs_gather(p) || (p.shared_rounding && (p.bias || p.softcap > 0 || p.alibi_slopes));
  plan.scores = p.bias || plan.gathered           ? attention::score_kind::biased
                : p.softcap > 0 || p.alibi_slopes ? attention::score_kind::shaped
                                                  : attention::score_kind::plain;
  plan.rounded = p.shared_rounding;
  plan.mask = p.left >= 0 || p.prefix > 0 || plan.rounded || plan.scores == attention::score_kind::biased ? attention::mask_kind::band
              : p.right >= 0 || plan.scores == attention::score_kind::shaped                              ? attention::mask_kind::upper
                                                                                                          : attention::mask_kind::full;
  plan.few_keys = p.keys <= attention::short_keys(plan.head, plan.mask, plan.scores);
  plan.shape = attention::shape_of(plan.head, plan.mask, plan.scores, plan.few_keys, plan.gathered, plan.rounded);
  return plan;
}

//! @brief  Would attention_forward accept this? Reads no device memory; whether there is a device is only known when it runs.
inline can_run_answer can_run(const attention_problem& p) {
  if (auto no = attention::check(p)) return can_run_answer(error("TF3221", "attention on the device", no.limit, no.works));
  return {};
}

//! Bytes of workspace, whatever they hold.
inline std::size_t attention_workspace_bytes(const attention_problem&) { return 16; }

}  // namespace twofold::cuda
