// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Row benchmark: the gradient of cross-entropy.
#include <cmath>
#include <cstring>

#include "bench/cuda/rows.hpp"
#include "twofold/cuda/cross_entropy.cuh"

namespace bench {
namespace {
__global__ void fill_targets(int* targets, tf::index rows, tf::index columns) {
  for (tf::index r = blockIdx.x * static_cast<tf::index>(blockDim.x) + threadIdx.x; r < rows;
       r += static_cast<tf::index>(gridDim.x) * blockDim.x)
    targets[r] = static_cast<int>(target_of(r, columns));
}
}  // namespace

const int* targets_of(const shape& s) {
  static int* targets = nullptr;
  static shape last{-1, 0, 0};
  if (targets == nullptr && cudaMalloc(&targets, std::size_t(4) << 24) != cudaSuccess) std::exit(1);
  if (last.rows != s.rows || last.columns != s.columns) fill_targets<<<256, 256>>>(targets, s.rows, s.columns);
  last = s;
  return targets;
}

namespace {
template <class In>
void add(cases& all) {
  all.push_back(make<tf::softmax<float>, In>(
      "cross_entropy_backward", sizeof(In), true,
      [](const void* in, void* out, const shape& s, const tf::cuda::row_plan& p, tf::cuda::workspace w) {
        tf::cuda::cross_entropy_backward(source<In>(in, s), targets_of(s), nullptr, 0.5f, static_cast<In*>(out), s.pitch, p, w);
      },
      [](const std::vector<double>& x, tf::index row, const unsigned char* got) {
        double m = -INFINITY, l = 0, worst = 0;
        for (double v : x) m = std::isnan(v) || std::isnan(m) ? NAN : std::max(m, v);
        for (double v : x) l += v == m ? 1 : std::exp(v - m);
        const tf::index target = target_of(row, static_cast<tf::index>(x.size()));
        for (std::size_t i = 0; i < x.size(); ++i) {
          const double y = to_double<In>(got + i * sizeof(In)), d = x[i] - m;
          double weight = m == -INFINITY ? 0 : std::exp(d) / l;
          if (m == INFINITY) weight = NAN;
          const double finite = std::isfinite(d) ? std::abs(d) : 0;
          const bool hit = static_cast<tf::index>(i) == target;
          const double want = target < 0 ? 0 : 0.5 * (hit ? weight - 1 : weight);
          const double bound = std::abs(want) * 1.01 * unit<In> + 0.5 * ((hit ? 1 : 0) + weight) * 0x1p-24 * (16 + 3 * finite) + tiny<In>;
          worst = std::max(worst, off(y, want, bound));
        }
        return worst;
      }));
  all.back().row_bytes = sizeof(int);
}
}  // namespace
void add_gradient(cases& all) {
  add<float>(all);
  add<__nv_bfloat16>(all);
#if !defined(BENCH_TWO_TYPES)  // half the time to compile while developing
  add<__half>(all);
#endif
}
}  // namespace bench
