// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Rows and columns on a device: the witness monoid through every kernel (each element once, in order), refusals before anything is
//! launched, the same bits twice. Values and speed are the business of bench/cuda, which checks against float64.
#include <numeric>

#include "cuda/check.hpp"
#include "twofold/algebra/witness.hpp"
#include "twofold/cuda/cuda.hpp"
#include "twofold/ops/layer_norm.hpp"
#include "twofold/ops/log_sum_exp.hpp"
#include "twofold/ops/softmax.hpp"

namespace tf = twofold;
namespace tc = twofold::cuda;

namespace {

//! 1 where the row's interval is exactly [0, columns).
struct covered {
  int* out;
  tf::index columns;
  __device__ void operator()(tf::index row, const tf::interval& i) const { out[row] = i.covers(columns); }
};

//! The witness whose answer is a map: x plus its own number if the row was complete.
struct mapping_witness : tf::witness {
  struct map {
    tf::interval seen;
    __device__ tf::index operator()(const tf::index& x) const { return x * 2 + (seen.first == 0 ? seen.last : -1); }
  };
  TWOFOLD_HD map finalize(const tf::interval& s) const { return {s}; }
};

//! rows · pitch positions: element j of every row is j; padding is poison.
std::vector<tf::index> positions(tf::index rows, tf::index columns, tf::index pitch) {
  std::vector<tf::index> x(static_cast<std::size_t>(rows * pitch), tf::index(1) << 60);
  for (tf::index r = 0; r < rows; ++r) std::iota(x.begin() + r * pitch, x.begin() + r * pitch + columns, tf::index(0));
  return x;
}

std::vector<tc::row_plan> all_plans(tf::index columns, bool maps, bool dense) {
  std::vector<tc::row_plan> all;
  const tf::index vectors = (columns + 2) / 2;
  for (int v : {1, 2, 4, 8})
    for (int lanes : {1, 2, 8, 32})
      for (int warps : {1, 4, 16})
        for (int blocks : {1, 2, 16}) {
          tc::row_plan p;
          p.vectors = v, p.lanes = lanes, p.warps = warps, p.blocks = blocks, p.teams = 64 / lanes;
          if ((lanes < 32 && warps * blocks > 1) || vectors > tf::index(v) * lanes * warps * blocks) continue;
          all.push_back(p);
        }
  for (int lanes : {1, 4, 32}) {
    tc::row_plan p;
    p.kernel = tc::row_kernel::staged, p.lanes = lanes, p.teams = 64 / lanes;
    if (dense && p.teams * columns * 8 < 48000) all.push_back(p);
  }
  const auto up = [](tf::index a, tf::index b) { return (a + b - 1) / b; };
  if (maps)
    for (int warps : {2, 8}) {
      tc::row_plan p;
      p.kernel = tc::row_kernel::ring, p.vectors = 4, p.warps = warps, p.stages = 2, p.blocks = 1;
      while (p.blocks < 16 && tf::index(p.blocks) * warps * 128 < vectors) p.blocks *= 2;
      if (tf::index(p.blocks) * warps * 128 >= vectors) all.push_back(p);
      p.kernel = tc::row_kernel::spread, p.blocks = 1, p.stages = warps == 2 ? 4 : 6, p.ahead = warps == 2 ? 2 : 3;
      for (tf::index parts : {tf::index(2), tf::index(7), up(vectors, 128 * warps)}) {
        p.parts = parts;
        if (parts >= 2 && parts <= 64 && up(vectors, parts) <= 128 * warps) all.push_back(p);
      }
      for (tf::index parts : {tf::index(1), tf::index(3), tf::index(7)})
        for (tf::index more : {0, 1, 5}) {
          p.kernel = tc::row_kernel::flow, p.parts = parts, p.stages = static_cast<int>(parts + more);
          p.ahead = static_cast<int>(std::min(2 * parts, parts + more - 1));
          if (more == 1) p.ahead = 0;
          if (up(vectors, parts) <= 128 * warps && p.stages * up(vectors, parts) * 16 <= 180 * 1024) all.push_back(p);
        }
    }
  for (tf::index parts : {1, 3, 64}) {
    tc::row_plan p;
    p.kernel = maps ? tc::row_kernel::reread : tc::row_kernel::streamed;
    p.vectors = 4, p.warps = 4, p.parts = parts;
    all.push_back(p);
  }
  return all;
}

void rows(int few) {
  const std::vector<tf::index> all{1, 2, 3, 8, 17, 64, 65, 1000, 1027, 4096, 9001, 65535}, some{17, 1027, 9001}, one{9001};
  for (tf::index columns : few > 1 ? one : few == 1 ? some : all)
    for (tf::index pad : {0, 1}) {
      const tf::index n = columns > 5000 ? 3 : few > 0 ? 5 : 37, pitch = columns + pad;
      const device_array<tf::index> x(positions(n, columns, pitch));
      const tf::row_source<tf::index> in{x.data, n, columns, pitch};
      const device_array<tf::interval> memory(static_cast<std::size_t>(n) * 70);
      const tc::workspace w{memory.data, memory.size * sizeof(tf::interval)};
      for (const auto& p : all_plans(columns, false, pad == 0)) {
        const device_array<int> ok(static_cast<std::size_t>(n));
        ok.poison(), memory.poison();
        tc::reduce_rows_into(tf::witness{}, in, covered{ok.data, columns}, p, w);
        for (int right : ok.host()) expect(right == 1, "every element once and in order", std::to_string(columns) + " " + to_string(p));
      }
      for (const auto& p : all_plans(columns, true, pad == 0)) {
        const device_array<tf::index> y(static_cast<std::size_t>(n * pitch));
        y.poison(), memory.poison();
        tc::map_rows(mapping_witness{}, in, y.data, pitch, p, w);
        const auto got = y.host();
        for (tf::index r = 0; r < n; ++r)
          for (tf::index j = 0; j < pitch; ++j)
            expect(got[r * pitch + j] == (j < columns ? 2 * j + columns : -1), "mapped once, padding untouched",
                   std::to_string(columns) + " " + to_string(p));
      }
    }
}

void columns() {
  for (tf::index length : {1, 5, 64, 1000, 4097})
    for (tf::index inner : {1, 2, 6, 64, 70}) {
      const tf::index outer = 2;
      std::vector<tf::index> x(static_cast<std::size_t>(outer * length * inner));
      for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<tf::index>(i) / inner % length;
      const device_array<tf::index> data(x), y(x.size());
      const tc::column_source<tf::index> in{data.data, outer, length, inner, length * inner, inner};
      const device_array<tf::interval> memory(static_cast<std::size_t>(outer * inner * 40));
      const tc::workspace w{memory.data, memory.size * sizeof(tf::interval)};
      for (bool wide : {false, true})
        for (tf::index parts : {1, 7})
          for (int blocks : {0, 1, 8}) {
            tc::column_plan p;
            p.wide = wide, p.parts = parts, p.warps = wide ? 4 : 8, p.on_chip = blocks > 0, p.blocks = blocks > 0 ? blocks : 1;
            if ((wide && inner % 2) || (p.on_chip && (!wide || parts > 1 || length > 16 * p.warps * blocks))) continue;
            const std::string where = std::to_string(length) + "x" + std::to_string(inner) + " " + to_string(p);
            memory.poison(), y.poison();
            tc::map_columns(mapping_witness{}, in, y.data, length * inner, inner, p, w);
            const auto got = y.host();
            for (std::size_t i = 0; i < x.size(); ++i) expect(got[i] == 2 * x[i] + length, "columns mapped", where);
            if (p.on_chip) continue;
            const device_array<int> ok(static_cast<std::size_t>(outer * inner));
            ok.poison();
            tc::reduce_columns_into(tf::witness{}, in, covered{ok.data, length}, p, w);
            for (int right : ok.host()) expect(right == 1, "columns in order", where);
          }
    }
}

//! A stale or dirty workspace, another launch, a captured graph: the same bits.
void same_bits() {
  const tf::index n = 5, columns = 30011;
  std::vector<float> x(static_cast<std::size_t>(n * columns));
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>((i * 7919) % 1000) / 37;
  const device_array<float> data(x), a(x.size()), b(x.size());
  const tf::row_source<float> in{data.data, n, columns, columns};
  for (const auto kernel : {tc::row_kernel::on_chip, tc::row_kernel::reread, tc::row_kernel::spread, tc::row_kernel::flow}) {
    tc::row_plan p;
    p.kernel = kernel, p.vectors = 8, p.warps = 16, p.blocks = 2;
    if (kernel == tc::row_kernel::reread) p.vectors = 4, p.warps = 8, p.parts = 4;
    if (kernel == tc::row_kernel::spread) p.vectors = 4, p.warps = 8, p.blocks = 1, p.parts = 9, p.stages = 4, p.ahead = 2;
    if (kernel == tc::row_kernel::flow) p.vectors = 4, p.warps = 8, p.blocks = 1, p.parts = 9, p.stages = 11, p.ahead = 6;
    const device_array<char> memory(tc::workspace_bytes<tf::softmax<float>>(p, n) + 16);
    const tc::workspace w{memory.data, memory.size};
    cudaStream_t stream;
    cuda(cudaStreamCreate(&stream));
    tc::map_rows(tf::softmax<float>{}, in, a.data, columns, p, w, stream);
    cuda(cudaStreamSynchronize(stream));
    const auto first = a.host();
    memory.poison(), b.poison();
    cudaGraph_t graph;
    cudaGraphExec_t run;
    cuda(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    tc::map_rows(tf::softmax<float>{}, in, b.data, columns, p, w, stream);
    cuda(cudaStreamEndCapture(stream, &graph));
    cuda(cudaGraphInstantiate(&run, graph, 0));
    for (int i = 0; i < 3; ++i) cuda(cudaGraphLaunch(run, stream));
    cuda(cudaStreamSynchronize(stream));
    const auto again = b.host();
    expect(std::memcmp(first.data(), again.data(), first.size() * 4) == 0, "the same bits from a graph", to_string(p));
    cuda(cudaGraphExecDestroy(run));
    cuda(cudaGraphDestroy(graph));
    cuda(cudaStreamDestroy(stream));
  }
}

void refusals() {
  using R = tf::softmax<float>;
  using L = tf::log_sum_exp<float>;
  float* const some = reinterpret_cast<float*>(4096);
  const tf::row_source<float> in{some, 4, 100, 100};
  const auto p = tc::plan_rows(tc::task_of<R>(in, false));
  expect_error("TF3201", [&] { tc::reduce_rows(L{}, tf::row_source<float>{some, -1, 100, 100}, some, p); });
  expect_error("TF3202", [&] { tc::reduce_rows(L{}, tf::row_source<float>{some, 4, 100, 100, 2}, some, p); });
  expect_error("TF3203", [&] { tc::reduce_rows(L{}, tf::row_source<float>{nullptr, 4, 100, 100}, some, p); });
  expect_error("TF3203", [&] { tc::map_rows(R{}, in, static_cast<float*>(nullptr), 100, p); });
  expect_error("TF3204", [&] { tc::reduce_rows(L{}, tf::row_source<float>{reinterpret_cast<float*>(4098), 4, 100, 100}, some, p); });
  auto small = p;
  small.lanes = 1;
  expect_error("TF3205", [&] { tc::map_rows(R{}, in, some, 100, small); });
  tc::row_plan cut;
  cut.kernel = tc::row_kernel::reread, cut.vectors = 4, cut.warps = 4, cut.parts = 3;
  expect_error("TF3206", [&] { tc::map_rows(R{}, in, some, 100, cut); });
  // What no processor has is refused with the reason, by every kind of plan.
  using N = tf::layer_norm<float, float>;
  const tf::row_source<float> wide{some, 4, 32768, 32768};
  const auto refused_for = [&](const tc::row_plan& plan, const char* why) {
    const auto answer = tc::can_run(tc::map_rows_problem<N, float, float>{{}, wide, some, 32768, plan, {some, std::size_t(1) << 30}});
    expect(!answer && std::string(answer.reason()).find(why) != std::string::npos, why, to_string(plan));
    expect_error("TF3205", [&] { tc::map_rows(N{}, wide, some, 32768, plan, {some, std::size_t(1) << 30}); });
  };
  tc::row_plan ring;
  ring.kernel = tc::row_kernel::ring, ring.vectors = 8, ring.warps = 32, ring.blocks = 2, ring.stages = 4;
  refused_for(ring, "shared memory");
  ring.stages = 0;
  refused_for(ring, "stages");
  tc::row_plan spread;
  spread.kernel = tc::row_kernel::spread, spread.vectors = 8, spread.warps = 8, spread.parts = 4, spread.stages = 8, spread.ahead = 2;
  refused_for(spread, "shared memory");
  spread.stages = 3, spread.ahead = 2;
  refused_for(spread, "ahead");
  spread.stages = 4, spread.warps = 32;
  refused_for(spread, "16 warps");
  spread.warps = 2;
  refused_for(spread, "does not fit");
  spread.parts = 1;
  refused_for(spread, "pieces");
  spread.parts = 65;
  refused_for(spread, "pieces");
  expect(!tc::can_run(tc::map_rows_problem<R, float, float>{{}, in, some, 100, small}), "can_run says no");
  expect(bool(tc::can_run(tc::map_rows_problem<R, float, float>{{}, in, some, 100, p})), "can_run says yes");
}

}  // namespace

//! One argument: few sizes, for tools that watch every access; two: one size.
int main(int count, char**) {
  refusals();
  need_device();
  rows(count - 1);
  if (count == 1) columns();
  same_bits();
  std::printf("%d failures\n", failures);
  return failures != 0;
}
