// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Row benchmark: log-sum-exp and cross-entropy.
#include <cmath>
#include <cstring>

#include "bench/cuda/rows.hpp"
#include "twofold/cuda/cross_entropy.cuh"
#include "twofold/ops/log_sum_exp.hpp"

namespace bench {
namespace {
double log_sum_exp(const std::vector<double>& x) {
  double m = -INFINITY, l = 0;
  for (double v : x) m = std::isnan(v) || std::isnan(m) ? NAN : std::max(m, v);
  if (!(std::abs(m) < INFINITY)) return m;
  for (double v : x) l += std::exp(v - m);
  return m + std::log(l);
}
template <class In>
void add(cases& all) {
  all.push_back(make<tf::log_sum_exp<float>, In>(
      "logsumexp", 4, false,
      [](const void* in, void* out, const shape& s, const tf::cuda::row_plan& p, tf::cuda::workspace w) {
        tf::cuda::reduce_rows(tf::log_sum_exp<float>{}, source<In>(in, s), static_cast<float*>(out), p, w);
      },
      [](const std::vector<double>& x, tf::index, const unsigned char* got) {
        const double want = log_sum_exp(x);
        return off(to_double<float>(got), want, 0x1p-24 * (16 + 4 * std::abs(want)));
      }));
  all.push_back(make<tf::log_softmax<float>, In>(
      "cross_entropy", 4, false,
      [](const void* in, void* out, const shape& s, const tf::cuda::row_plan& p, tf::cuda::workspace w) {
        tf::cuda::cross_entropy(source<In>(in, s), targets_of(s), static_cast<float*>(out), p, w);
      },
      [](const std::vector<double>& x, tf::index row, const unsigned char* got) {
        const tf::index target = target_of(row, tf::index(x.size()));
        if (target < 0) return off(to_double<float>(got), 0, 1e-30);
        const double z = log_sum_exp(x), t = x[target];
        // log-softmax: minus infinity where nothing is visible, NaN where +inf is
        const double want = z == -INFINITY ? INFINITY : z == INFINITY ? NAN : z - t;
        return off(to_double<float>(got), want, 0x1p-24 * (16 + 4 * std::abs(want)));
      }));
  all.back().row_bytes = sizeof(int);
}
}  // namespace
void add_exponential(cases& all) {
  add<float>(all);
  add<__nv_bfloat16>(all);
#if !defined(BENCH_TWO_TYPES)  // half the time to compile while developing
  add<__half>(all);
#endif
}
}  // namespace bench
