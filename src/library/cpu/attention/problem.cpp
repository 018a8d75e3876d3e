// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Refusals, defaults, the merge of states and what becomes of a row: all that knows no instruction set.
#include "cpu/attention/problem.hpp"

#include "cpu/attention/choose.hpp"

#include <bit>
#include <cmath>
#include <string>
#include <vector>

#include "twofold/ops/attention.hpp"

TWOFOLD_BEGIN_NAMESPACE
namespace cpu {
namespace detail {
namespace {

struct refusal {
  std::string limit, works;
  explicit operator bool() const { return !limit.empty(); }
};

refusal check(const attention_problem& p) {
  using std::int64_t;
  constexpr int64_t far = int64_t{1} << 30;
  for (const auto& [name, n] : {std::pair{"batch", p.batch}, {"heads", p.heads}, {"queries", p.queries}, {"keys", p.keys}})
    if (n < 0 || n > far) return {std::string(name) + " is " + std::to_string(n), "0 to 2^30"};
  if (p.head_size < 1 || p.head_size > 65536) return {"head_size is " + std::to_string(p.head_size), "1 to 65536"};
  if (p.value_size < 1 || p.value_size > 65536) return {"value_size is " + std::to_string(p.value_size), "1 to 65536, or 0 for head_size"};
  if (p.heads > 0 && (p.kv_heads < 1 || p.heads % p.kv_heads != 0))
    return {"heads is " + std::to_string(p.heads) + ", kv_heads " + std::to_string(p.kv_heads), "heads a multiple of kv_heads"};
  if (p.type == attention_type::int8) return {"queries and outputs of int8", "float32, bfloat16 or float16 with kv_type int8"};
  if (p.kv_type == attention_type::int8 && (!p.k_scale || !p.v_scale))
    return {"int8 keys and values without scales", "k_scale and v_scale, one number per row"};
  if (!std::isfinite(p.score_factor)) return {"score_factor is not finite", "a number; 0 for 1/sqrt(head_size)"};
  if (!(p.softcap >= 0) || !std::isfinite(p.softcap)) return {"softcap is not a positive number", "0 for no cap"};
  if (p.prefix < 0) return {"prefix is negative", "0 for no prefix"};
  if (p.query_offsets && p.bias) return {"bias with packed queries", "a bias for each sequence, one call each"};
  if (p.pages && (p.page_size < 1 || p.pages_per_sequence < (p.keys + p.page_size - 1) / p.page_size))
    return {"pages do not hold the keys", "page_size of at least 1 and pages_per_sequence·page_size of at least keys"};
  if (p.pages && p.key_offsets) return {"pages and packed keys at once", "one of them; key_lengths gives the length of paged sequences"};
  const bool states = p.state_at || p.state_l || p.state_o;
  if (states && !(p.state_at && p.state_l && p.state_o)) return {"of the three parts of the states some are null", "all three, or none"};
  if (p.batch * p.heads * p.queries == 0) return {};
  if (!p.out && !states && !p.lse_ln && !p.lse_log2) return {"there is nowhere to put the result", "out, lse or states"};
  if (!p.q) return {"q is null", "a pointer to the queries"};
  if (p.keys > 0 && (!p.k || !p.v)) return {"k or v is null", "pointers to the keys and values"};
  const auto offsets = [&](const char* name, const std::int32_t* o, int64_t rows) -> refusal {
    if (!o) return {};
    if (rows < 0 || rows > far) return {std::string(name) + " without the number of rows", "query_rows and key_rows of the packed tensors"};
    for (int64_t b = 0; b < p.batch; ++b)
      if (o[b] < 0 || o[b + 1] < o[b] || o[b + 1] > rows)
        return {std::string(name) + " of sequence " + std::to_string(b) + " are " + std::to_string(o[b]) + " to " +
                    std::to_string(o[b + 1]) + " of " + std::to_string(rows) + " rows",
                "offsets that do not decrease and end inside the tensor"};
    return {};
  };
  if (auto no = offsets("query_offsets", p.query_offsets, p.query_rows)) return no;
  if (auto no = offsets("key_offsets", p.key_offsets, p.key_rows)) return no;
  if (p.key_lengths)
    for (int64_t b = 0; b < p.batch; ++b)
      if (p.key_lengths[b] < 0 || p.key_lengths[b] > p.keys)
        return {"key_lengths of sequence " + std::to_string(b) + " is " + std::to_string(p.key_lengths[b]), "0 to keys"};
  return {};
}

float log_sum_ln(float at, float l) { return natural_log(at, l, 0.0f); }

std::uint16_t to_bfloat16(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return static_cast<std::uint16_t>(bits >> 16 | 0x40);  // NaN stays one
  return static_cast<std::uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}
std::uint16_t to_float16(float x) { return std::bit_cast<std::uint16_t>(static_cast<_Float16>(x)); }

}  // namespace

attention_problem with_defaults(attention_problem p) {
  if (p.value_size == 0) p.value_size = p.head_size;
  if (p.score_factor == 0) p.score_factor = 1 / std::sqrt(static_cast<double>(std::max<std::int64_t>(p.head_size, 1)));
  return p;
}

void merge_states(std::int64_t parts, std::int64_t rows, std::int64_t columns, std::int64_t row, const float* at, const float* l,
                  const float* o, float& to_at, float& to_l, float* to_o) {
  float m = -infinity;
  for (std::int64_t i = 0; i < parts; ++i) {
    const float g = at[i * rows + row];
    m = m < g || g != g ? g : m;
  }
  float sum = 0;
  std::fill_n(to_o, columns, 0.0f);
  for (std::int64_t i = 0; i < parts; ++i) {
    const float g = at[i * rows + row], part = l[i * rows + row];
    if (g == -infinity && part == 0) continue;  // nothing
    const float share = g == m ? 1.0f : std::exp2(g - m);
    sum = std::fma(share, part, sum);
    const float* from = o + (i * rows + row) * columns;
    for (std::int64_t r = 0; r < columns; ++r) to_o[r] = std::fma(share, from[r], to_o[r]);
  }
  to_at = m, to_l = sum;
}

void merge_row(std::int64_t parts, std::int64_t rows, std::int64_t columns, std::int64_t row, float* at, float* l, float* o) {
  thread_local std::vector<float> sum;
  sum.resize(static_cast<std::size_t>(columns));
  float to_at = 0, to_l = 0;
  merge_states(parts, rows, columns, row, at, l, o, to_at, to_l, sum.data());
  at[row] = to_at, l[row] = to_l;
  std::copy_n(sum.data(), columns, o + row * columns);
}

void finish_row(const block_of_rows& b, std::int64_t t, float at, float l, float exact, float* o) {
  const attention_problem& p = b.p;
  const std::int64_t dense = b.dense(t);
  const bool nothing = at == -infinity && l == 0;
  if (at == -infinity && !nothing) at = l;  // every visible score is NaN
  if (p.state_o) {
    p.state_at[dense] = at, p.state_l[dense] = l;
    std::copy_n(o, p.value_size, p.state_o + dense * p.value_size);
  }
  if (p.sinks) {  // one more key, of value 0: the monoid's own merge
    const float given = p.sinks[b.head(t)], scaled = given * static_cast<float>(math::log2_e);
    const bool beyond = std::isinf(scaled) && !std::isinf(given);  // of log2 units: the last number stands for it
    const float sink = beyond ? std::copysign(std::numeric_limits<float>::max(), given) : scaled;
    const float joined = std::isnan(sink) ? sink : std::max(at, sink);
    if (joined != -infinity) {
      const float share = at == -infinity ? 0.0f : std::exp2(at - joined);
      const float weight = std::exp2(sink - joined);
      l = std::fma(l, share, weight);
      exact = std::fma(exact, share, weight);
      for (std::int64_t r = 0; r < p.value_size; ++r) o[r] *= share;
      at = joined;
    }
  }
  if (p.lse_ln) p.lse_ln[dense] = log_sum_ln(at, exact);
  if (p.lse_log2) p.lse_log2[dense] = !(at < infinity) || at == -infinity ? at : at + std::log2(exact);
  if (!p.out) return;
  if (at == infinity) l = std::numeric_limits<float>::quiet_NaN();
  std::byte* out = b.out_row(t);
  const auto write = [&](auto* to, auto narrow) {
    for (std::int64_t r = 0; r < p.value_size; ++r) to[r] = narrow(nothing ? l - l : o[r] / l);  // NaN where a sink is
  };
  if (p.type == attention_type::float32) write(reinterpret_cast<float*>(out), [](float x) { return x; });
  else if (p.type == attention_type::bfloat16) write(reinterpret_cast<std::uint16_t*>(out), to_bfloat16);
  else write(reinterpret_cast<std::uint16_t*>(out), to_float16);
}

}  // namespace detail

can_run_answer can_run(const attention_problem& p) {
  if (detail::best_kernels(attention_target::best).lanes == nullptr)
    return can_run_answer(
        error("TF3231", "attention on the CPU", "this library was built without Highway", "install libhwy-dev and build it again"));
  if (auto no = detail::check(detail::with_defaults(p))) return can_run_answer(error("TF3231", "attention on the CPU", no.limit, no.works));
  return {};
}

}  // namespace cpu
TWOFOLD_END_NAMESPACE
