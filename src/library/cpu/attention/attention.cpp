// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The schedule around the kernels: a problem is cut into blocks of queries and splits of keys, by its shape alone; threads run them;
//! splits are merged in order.
#include "twofold/cpu/attention.hpp"

#include <memory>
#include <string_view>
#include <vector>

#include "cpu/attention/choose.hpp"
#include "cpu/attention/packed_values.hpp"
#include "cpu/attention/problem.hpp"
#include "twofold/algebra/math.hpp"

TWOFOLD_BEGIN_NAMESPACE
namespace cpu {
namespace {

//! One sequence's part of the problem.
struct sequence {
  std::int64_t query_base, queries, key_base, keys;
};
sequence sequence_of(const attention_problem& p, std::int64_t b) {
  sequence s{0, p.queries, 0, p.keys};
  if (p.query_offsets) s.query_base = p.query_offsets[b], s.queries = p.query_offsets[b + 1] - s.query_base;
  if (p.key_offsets) s.key_base = p.key_offsets[b], s.keys = p.key_offsets[b + 1] - s.key_base;
  if (p.key_lengths) s.keys = std::min<std::int64_t>(s.keys, p.key_lengths[b]);
  return s;
}

struct one_task {
  std::int64_t batch, kv_head, first, count, split;
  std::int64_t cost;
};

struct parts {
  std::int64_t count = 1;
  std::unique_ptr<float[]> numbers;
  std::int64_t rows = 0, columns = 0;
  [[nodiscard]] detail::state_sink of(std::int64_t split) const {
    if (count == 1) return {};
    float* at = numbers.get();
    return {at + split * rows, at + (count + split) * rows, at + 2 * count * rows + split * rows * columns};
  }
};

void run(const attention_problem& p, const attention_plan& plan, const detail::kernels& with, index threads) {
  const std::int64_t group = p.heads / p.kv_heads;
  std::vector<one_task> tasks;
  std::int64_t longest = 0;
  for (std::int64_t b = 0; b < p.batch; ++b) longest = std::max(longest, sequence_of(p, b).keys);
  parts split;
  split.count = std::max<std::int64_t>(1, (longest + plan.keys_per_split - 1) / plan.keys_per_split);
  split.columns = p.value_size;
  split.rows = (p.query_offsets ? p.query_rows : p.batch * p.queries) * p.heads;
  if (split.count > 1) split.numbers.reset(new float[static_cast<std::size_t>(split.count * split.rows * (2 + split.columns))]);
  const auto block_of = [&](const one_task& t) {
    const sequence s = sequence_of(p, t.batch);
    detail::block_of_rows b{p, t.batch, t.kv_head, t.first, t.count, 0, s.keys, s.query_base, s.queries, s.key_base, s.keys};
    if (t.split >= 0) {
      b.key_begin = std::min(s.keys, t.split * plan.keys_per_split);
      b.key_end = std::min(s.keys, b.key_begin + plan.keys_per_split);
    }
    return b;
  };
  for (std::int64_t b = 0; b < p.batch; ++b) {
    const std::int64_t rows = sequence_of(p, b).queries * group;
    for (std::int64_t h = 0; h < p.kv_heads; ++h)
      for (std::int64_t first = 0; first < rows; first += plan.queries)
        for (std::int64_t i = 0; i < split.count; ++i) {
          one_task t{b, h, first, std::min(plan.queries, rows - first), split.count > 1 ? i : -1, 0};
          const auto block = block_of(t);
          t.cost = block.end(t.count - 1) - block.begin(0);
          tasks.push_back(t);
        }
  }
  // Long tasks first: what is left at the end is short.
  std::stable_sort(tasks.begin(), tasks.end(), [](const one_task& x, const one_task& y) { return x.cost > y.cost; });
  const detail::kernel kernel = plan.kernel == std::string_view("rows")    ? with.rows
                                : plan.kernel == std::string_view("lanes") ? with.lanes
                                : plan.kernel == std::string_view("tiles") ? with.tiles
                                                                           : with.pairs;
  const executor run_all = default_executor();
  std::unique_ptr<detail::packed_values> values;
  if (kernel != with.rows && kernel != with.lanes) {
    values = std::make_unique<detail::packed_values>(p, longest);
    const auto pack = [&](index i) {
      const std::int64_t tile = i % values->tiles(), h = i / values->tiles() % p.kv_heads, b = i / values->tiles() / p.kv_heads;
      if (tile * detail::packed_values::keys < sequence_of(p, b).keys) values->pack(block_of({b, h, 0, 0, -1, 0}), tile);
    };
    run_all(static_cast<index>(p.batch * p.kv_heads * values->tiles()), threads, task(pack));
  }
  const auto work = [&](index i) {
    const one_task& t = tasks[static_cast<std::size_t>(i)];
    auto block = block_of(t);
    block.values = values.get();
    kernel(block, split.of(std::max<std::int64_t>(0, t.split)));
  };
  run_all(static_cast<index>(tasks.size()), threads, task(work));
  if (split.count == 1) return;

  const detail::state_sink all = split.of(0);
  const auto merge = [&](index i) {
    one_task t = tasks[static_cast<std::size_t>(i)];
    if (t.split != 0) return;
    const auto block = block_of({t.batch, t.kv_head, t.first, t.count, -1, 0});
    for (std::int64_t r = 0; r < t.count; ++r) {
      const std::int64_t row = block.dense(r);
      detail::merge_row(split.count, split.rows, split.columns, row, all.at, all.l, all.o);
      detail::finish_row(block, r, all.at[row], all.l[row], all.l[row], all.o + row * split.columns);
    }
  };
  run_all(static_cast<index>(tasks.size()), threads, task(merge));
}

}  // namespace

attention_plan plan_of(const attention_problem& given, attention_target at_most) {
  const attention_problem p = detail::with_defaults(given);
  const detail::kernels with = detail::best_kernels(at_most);
  attention_plan plan;
  plan.target = with.target;
  std::int64_t queries = p.queries;
  if (p.query_offsets) {
    queries = 0;
    for (std::int64_t b = 0; b < p.batch; ++b) queries = std::max<std::int64_t>(queries, p.query_offsets[b + 1] - p.query_offsets[b]);
  }
  const std::int64_t rows = queries * (p.kv_heads > 0 ? p.heads / p.kv_heads : 1);
  const bool few = rows < with.lanes_at_least;
  const bool narrow = p.type == attention_type::bfloat16 && p.kv_type == attention_type::bfloat16;
  const bool paired =
      (with.tiles != nullptr || with.pairs != nullptr) && narrow && rows > 64 && p.head_size >= 32;  // packing the values must pay
  plan.kernel = few ? "rows" : !paired ? "lanes" : with.tiles != nullptr ? "tiles" : "pairs";
  plan.queries = few ? std::max<std::int64_t>(rows, 1) : 64;
  // Keys and values that must be widened first are so for more queries at once, where enough blocks are left for many threads.
  if (!few && !paired && p.kv_type != attention_type::float32)
    while (plan.queries < 256 && rows * p.kv_heads * p.batch >= 64 * 2 * plan.queries) plan.queries *= 2;
  plan.keys = few ? 64 : paired ? detail::packed_values::keys : 128;
  if (!few && paired) plan.target = with.tiles != nullptr ? "AMX" : "AVX512_BF16";
  // Splits where there are few blocks: cut by the number of the key, so that a sequence's bits do not depend on its neighbours.
  plan.keys_per_split = (few || rows <= 256) && !paired ? 2048 : std::numeric_limits<std::int64_t>::max() / 4;
  return plan;
}

void attention(const attention_problem& given, index threads, attention_target at_most) {
  const auto answer = can_run(given);
  if (!answer) throw *answer.refusal();
  const attention_problem p = detail::with_defaults(given);
  if (p.batch * p.heads * p.queries == 0) return;
  run(p, plan_of(p, at_most), detail::best_kernels(at_most), threads);
}

void merge_attention_states(index parts, index rows, index value_size, const float* at, const float* l, const float* o, float* out_at,
                            float* out_l, float* out_o) {
  std::vector<float> row(static_cast<std::size_t>(value_size) + 1);
  for (index r = 0; r < rows; ++r) {
    float m = -detail::infinity, sum = 0;
    detail::merge_states(parts, rows, value_size, r, at, l, o, m, sum, row.data());
    if (out_at) out_at[r] = m;
    if (out_l) out_l[r] = sum;
    if (out_o) std::copy_n(row.data(), value_size, out_o + r * value_size);
  }
}

}  // namespace cpu
TWOFOLD_END_NAMESPACE
