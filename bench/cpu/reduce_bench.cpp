// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Reductions of 2^22 floats in memory, for several operators and schedules, beside the plain loop that a
//! programmer writes.
#include <benchmark/benchmark.h>

#include <cmath>
#include <vector>

#include "twofold/twofold.hpp"

namespace tf = twofold;

namespace {

const std::vector<float>& signal() {
  static const std::vector<float> x = [] {
    std::vector<float> v(1 << 22);
    for (std::size_t i = 0; i < v.size(); ++i) v[i] = std::sin(static_cast<float>(i));
    return v;
  }();
  return x;
}

void count_bytes(benchmark::State& state) {
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(signal().size() * sizeof(float)));
}

template <class R>
void twofold_reduce(benchmark::State& state, const R& op, const tf::schedule& s) {
  for (auto _ : state) benchmark::DoNotOptimize(tf::reduce(op, signal(), s));
  count_bytes(state);
}

void loop_sum(benchmark::State& state) {
  for (auto _ : state) {
    float s = 0;
    for (float x : signal()) s += x;
    benchmark::DoNotOptimize(s);
  }
  count_bytes(state);
}

void loop_log_sum_exp(benchmark::State& state) {
  for (auto _ : state) {
    float m = -INFINITY, s = 0;
    for (float x : signal()) m = std::fmax(m, x);
    for (float x : signal()) s += std::exp(x - m);
    benchmark::DoNotOptimize(m + std::log(s));
  }
  count_bytes(state);
}

void loop_welford(benchmark::State& state) {
  for (auto _ : state) {
    double n = 0, mean = 0, m2 = 0;
    for (float x : signal()) {
      n += 1;
      const double d = x - mean;
      mean += d / n;
      m2 += d * (x - mean);
    }
    benchmark::DoNotOptimize(mean);
    benchmark::DoNotOptimize(m2);
  }
  count_bytes(state);
}

BENCHMARK(loop_sum);
BENCHMARK_CAPTURE(twofold_reduce, sum / fold, tf::sum<float>{}, tf::fold{});
BENCHMARK_CAPTURE(twofold_reduce, sum / tiles_tree, tf::sum<float>{}, tf::tiles{512} | tf::tree{});
BENCHMARK_CAPTURE(twofold_reduce, sum / threads, tf::sum<float>{}, tf::threads{} | tf::tiles{512} | tf::tree{});
BENCHMARK(loop_log_sum_exp);
BENCHMARK_CAPTURE(twofold_reduce, log_sum_exp / fold, tf::log_sum_exp<float>{}, tf::fold{});
BENCHMARK_CAPTURE(twofold_reduce, log_sum_exp / tiles_tree, tf::log_sum_exp<float>{}, tf::tiles{512} | tf::tree{});
BENCHMARK_CAPTURE(twofold_reduce, log_sum_exp / threads, tf::log_sum_exp<float>{}, tf::threads{} | tf::tiles{512} | tf::tree{});
BENCHMARK(loop_welford);
BENCHMARK_CAPTURE(twofold_reduce, welford / fold, tf::welford<float>{}, tf::fold{});
BENCHMARK_CAPTURE(twofold_reduce, welford / tiles_tree, tf::welford<float>{}, tf::tiles{512} | tf::tree{});
BENCHMARK_CAPTURE(twofold_reduce, welford / threads, tf::welford<float>{}, tf::threads{} | tf::tiles{512} | tf::tree{});

}  // namespace
