// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Row benchmark: mean and variance, layer norm, RMS norm.
#include <cmath>
#include <cstring>

#include "bench/cuda/rows.hpp"
#include "twofold/ops/layer_norm.hpp"

namespace bench {
namespace {
struct moments_of {
  double mean = 0, variance = 0, size = 0;
  explicit moments_of(const std::vector<double>& x) {
    for (double v : x) mean += v, size += std::abs(v);
    mean /= double(x.size()), size /= double(x.size());
    for (double v : x) variance += (v - mean) * (v - mean);
    variance /= double(x.size());
  }
};
struct mean_and_variance {
  float2* out;
  __device__ void operator()(tf::index row, const tf::variance_result<float>& a) const { out[row] = {a.mean, a.variance}; }
};
template <class In>
void add(cases& all) {
  using var = tf::welford<float, float>;
  using layer = tf::layer_norm<float, float>;
  using rms = tf::rms_norm<float, float>;
  all.push_back(make<var, In>(
      "var_mean", 8, false,
      [](const void* in, void* out, const shape& s, const tf::cuda::row_plan& p, tf::cuda::workspace w) {
        tf::cuda::reduce_rows_into(var{}, source<In>(in, s), mean_and_variance{static_cast<float2*>(out)}, p, w);
      },
      [](const std::vector<double>& x, tf::index, const unsigned char* got) {
        const moments_of m(x);
        const double n = double(x.size()), sample = n > 1 ? m.variance * n / (n - 1) : NAN;
        const double mean = off(to_double<float>(got), m.mean, 64 * 0x1p-24 * m.size + 1e-300);
        return std::max(mean, off(to_double<float>(got + 4), sample, 64 * 0x1p-24 * sample + 1e-300));
      }));
  const auto mapped = [](const std::vector<double>& x, const unsigned char* got, double mean, double variance, double size) {
    double worst = 0;
    const double scale = 1 / std::sqrt(variance + 1e-5);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double want = (x[i] - mean) * scale;
      worst = std::max(worst, off(to_double<In>(got + i * sizeof(In)), want,
                                  std::abs(want) * (1.01 * unit<In> + 64 * 0x1p-24) + 32 * 0x1p-24 * size * scale + tiny<In>));
    }
    return worst;
  };
  all.push_back(make<layer, In>(
      "layer_norm", sizeof(In), true,
      [](const void* in, void* out, const shape& s, const tf::cuda::row_plan& p, tf::cuda::workspace w) {
        tf::cuda::map_rows(layer{}, source<In>(in, s), static_cast<In*>(out), s.pitch, p, w);
      },
      [=](const std::vector<double>& x, tf::index, const unsigned char* got) {
        const moments_of m(x);
        return mapped(x, got, m.mean, m.variance, m.size);
      }));
  all.push_back(make<rms, In>(
      "rms_norm", sizeof(In), true,
      [](const void* in, void* out, const shape& s, const tf::cuda::row_plan& p, tf::cuda::workspace w) {
        tf::cuda::map_rows(rms{}, source<In>(in, s), static_cast<In*>(out), s.pitch, p, w);
      },
      [=](const std::vector<double>& x, tf::index, const unsigned char* got) {
        double square = 0;
        for (double v : x) square += v * v;
        return mapped(x, got, 0, square / double(x.size()), 0);
      }));
}
}  // namespace
void add_norms(cases& all) {
  add<float>(all);
  add<__nv_bfloat16>(all);
#if !defined(BENCH_TWO_TYPES)  // half the time to compile while developing
  add<__half>(all);
#endif
}
}  // namespace bench
