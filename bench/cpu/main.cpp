// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Checks every contender against the wide reference, then times them, interleaved at random. Exit 1 if one is wrong: it is named.
#include <benchmark/benchmark.h>
#include <sys/mman.h>

#include <cmath>
#include <cstdio>
#include <map>
#include <memory>
#include <random>

#include "contenders.hpp"
#include "twofold/cpu/threads.hpp"

namespace bench {
namespace {

constexpr twofold::index chunk = 1 << 16;

//! On large pages where the system gives them, as NumPy's arrays are: for all contenders alike.
std::unique_ptr<float[], decltype(&std::free)> memory(twofold::index n) {
  const std::size_t bytes = static_cast<std::size_t>(n) * sizeof(float);
  auto* const p = static_cast<float*>(std::aligned_alloc(std::size_t{1} << 21, bytes));
#if defined(MADV_HUGEPAGE)
  madvise(p, bytes, MADV_HUGEPAGE);
#endif
  return {p, &std::free};
}
template <class F>
void by_chunks(twofold::index n, const F& f) {
  const auto some = [&](twofold::index k) { f(k * chunk, std::min((k + 1) * chunk, n)); };
  twofold::cpu::threads_executor()((n + chunk - 1) / chunk, 0, twofold::task(some));
}

}  // namespace

const float* signal() {
  static const auto data = [] {
    auto x = memory(in_memory.elements);
    by_chunks(in_memory.elements, [&](twofold::index first, twofold::index last) {
      std::minstd_rand g(static_cast<unsigned>(first / chunk + 1));
      std::normal_distribution<float> normal(1, 2);
      for (twofold::index i = first; i < last; ++i) x[static_cast<std::size_t>(i)] = normal(g);
    });
    return x;
  }();
  return data.get();
}

float* room() {
  static const auto data = [] {
    auto y = memory(in_memory.elements);
    by_chunks(in_memory.elements, [&](twofold::index first, twofold::index last) {
      std::fill(&y[static_cast<std::size_t>(first)], &y[static_cast<std::size_t>(last - 1)] + 1, 0.0f);
    });
    return y;
  }();
  return data.get();
}

const truth& truth_of(twofold::index n) {
  static std::map<twofold::index, truth> known;
  if (const auto at = known.find(n); at != known.end()) return at->second;
  const float* const x = signal();
  long double sum = 0, squares = 0, weights = 0, best = -HUGE_VALL;
  float largest = x[0];
  for (twofold::index i = 0; i < n; ++i) {
    sum += x[i];
    best = std::max(best, sum);
    largest = std::max(largest, x[i]);
  }
  const long double mean = sum / static_cast<long double>(n);
  for (twofold::index i = 0; i < n; ++i) {
    squares += (x[i] - mean) * (x[i] - mean);
    weights += static_cast<long double>(std::exp(static_cast<double>(x[i] - largest)));
  }
  return known[n] = {static_cast<double>(sum), largest, static_cast<double>(squares / static_cast<long double>(n - 1)),
                     static_cast<double>(largest + std::log(weights)), static_cast<double>(best)};
}

}  // namespace bench

int main(int argc, char** argv) {
  std::vector<bench::contender> all;
  bench::add_ceilings(all);
  bench::add_reductions(all);
  bench::add_scans(all);
  bench::add_rows(all);
  bench::add_peers(all);
  bench::add_header_peers(all);
  bench::add_row_peers(all);
  int wrong = 0;
  for (const bench::contender& c : all) {
    const double got = c.run();
    if (std::fabs(got - c.want) <= c.tolerance) continue;
    std::fprintf(stderr, "wrong: %s gives %.9g where %.9g ± %.2g is right\n", c.name.c_str(), got, c.want, c.tolerance);
    wrong += c.name.ends_with("twofold") ? 1 : 0;  // a peer that is wrong is reported, not fatal
  }
  if (wrong > 0) return 1;
  for (const bench::contender& c : all)
    benchmark::RegisterBenchmark(c.name.c_str(), [&c](benchmark::State& state) {
      for (auto _ : state) benchmark::DoNotOptimize(c.run());
      state.counters["items"] = benchmark::Counter(c.items, benchmark::Counter::kIsIterationInvariantRate);
      state.counters["bytes"] = benchmark::Counter(c.bytes, benchmark::Counter::kIsIterationInvariantRate);
    })->UseRealTime();
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
