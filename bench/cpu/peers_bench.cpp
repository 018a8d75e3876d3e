// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file libstdc++'s parallel algorithms, oneTBB and OpenMP, each in its best form.
#include <algorithm>
#include <execution>
#include <limits>
#include <numeric>

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_reduce.h>

#include "contenders.hpp"
#include "user_operator.hpp"

namespace bench {
namespace {

//! Welford's loop and Chan's merge, as a reduction that OpenMP is told of.
struct moments {
  double n = 0, mean = 0, m2 = 0;
  void push(double x) {
    n += 1;
    const double d = x - mean;
    mean += d / n;
    m2 += d * (x - mean);
  }
  void merge(const moments& b) {
    if (b.n == 0) return;
    const double all = n + b.n, d = b.mean - mean;
    mean += d * b.n / all;
    m2 += b.m2 + d * d * n * b.n / all;
    n = all;
  }
};
#if defined(_OPENMP)
#pragma omp declare reduction(merge_moments:moments : omp_out.merge(omp_in))
double openmp_variance(const float* x, twofold::index n) {
  moments m;
#pragma omp parallel for reduction(merge_moments : m)
  for (twofold::index i = 0; i < n; ++i) m.push(x[i]);
  return m.m2 / (m.n - 1);
}
double openmp_sum(const float* x, twofold::index n) {
  float s = 0;
#pragma omp parallel for simd reduction(+ : s)
  for (twofold::index i = 0; i < n; ++i) s += x[i];
  return s;
}
#endif

double tbb_user(const float* x, twofold::index n) {
  const scalar_best_prefix op;
  using range = tbb::blocked_range<twofold::index>;
  return tbb::parallel_reduce(
             range(0, n), op.identity(),
             [&](const range& r, scalar_best_prefix::state s) {
               for (twofold::index i = r.begin(); i < r.end(); ++i) s = op.combine(s, op.lift(x[i]));
               return s;
             },
             [&](const auto& a, const auto& b) { return op.combine(a, b); })
      .best;
}

}  // namespace

void add_peers(std::vector<contender>& all) {
  const float* const x = signal();
  float* const y = room();
  for (const size_class& c : sizes) {
    const twofold::index n = c.elements;
    const auto items = static_cast<double>(n), bytes = 4 * items;
    const truth& t = truth_of(n);
    const auto add = [&](const char* job, const char* who, double moved, auto run, double want, double tolerance) {
      all.push_back({std::string(job) + "/" + c.name + "/" + who, items, moved, run, want, tolerance});
    };
    add(
        "sum", "std_par_unseq", bytes, [=] { return static_cast<double>(std::reduce(std::execution::par_unseq, x, x + n)); }, t.sum,
        1e-4 * items);
    add(
        "max", "std_par_unseq", bytes,
        [=] {
          return static_cast<double>(std::reduce(std::execution::par_unseq, x, x + n, -std::numeric_limits<float>::infinity(),
                                                 [](float a, float b) { return a < b ? b : a; }));
        },
        t.largest, 0);
    add(
        "user", "tbb_scalar", bytes, [=] { return tbb_user(x, n); }, t.best_prefix, 1e-4 * items);
#if defined(_OPENMP)
    add(
        "sum", "openmp", bytes, [=] { return openmp_sum(x, n); }, t.sum, 1e-4 * items);
    add(
        "variance", "openmp_declare_reduction", bytes, [=] { return openmp_variance(x, n); }, t.variance, 1e-9);
#endif
    const auto scanned = [=](auto how) {
      std::inclusive_scan(how, x, x + n, y);
      return static_cast<double>(y[n - 1]);
    };
    add(
        "inclusive_scan", "std_par", 2 * bytes, [=] { return scanned(std::execution::par); }, t.sum, 1e-2 * items);
    add(
        "inclusive_scan", "std_seq", 2 * bytes, [=] { return scanned(std::execution::seq); }, t.sum, 1e-2 * items);
  }
}

}  // namespace bench
