// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Row benchmark: sum, max, argmax.
#include <cmath>
#include <cstring>

#include "bench/cuda/rows.hpp"
#include "twofold/ops/arg_min_max.hpp"
#include "twofold/ops/min_max.hpp"
#include "twofold/ops/sum.hpp"

namespace bench {
namespace {
template <class R, class In, class Out>
auto reducing(const R& r) {
  return [r](const void* in, void* out, const shape& s, const tf::cuda::row_plan& p, tf::cuda::workspace w) {
    tf::cuda::reduce_rows(r, source<In>(in, s), static_cast<Out*>(out), p, w);
  };
}
template <class In>
void add(cases& all) {
  all.push_back(make<tf::sum<float>, In>("sum", 4, false, reducing<tf::sum<float>, In, float>({}),
                                         [](const std::vector<double>& x, tf::index, const unsigned char* got) {
                                           double sum = 0, size = 0;
                                           for (double v : x) sum += v, size += std::abs(v);
                                           return off(to_double<float>(got), sum, 64 * 0x1p-24 * size + 1e-300);
                                         }));
  all.push_back(make<tf::max<float>, In>("max", 4, false, reducing<tf::max<float>, In, float>({}),
                                         [](const std::vector<double>& x, tf::index, const unsigned char* got) {
                                           double m = -INFINITY;
                                           for (double v : x) m = std::isnan(v) || std::isnan(m) ? NAN : std::max(m, v);
                                           return off(to_double<float>(got), m, 1e-300);
                                         }));
  all.push_back(make<tf::argmax<float>, In>("argmax", 8, false, reducing<tf::argmax<float>, In, std::int64_t>({}),
                                            [](const std::vector<double>& x, tf::index, const unsigned char* got) {
                                              tf::index at = -1;
                                              for (tf::index i = 0; i < tf::index(x.size()); ++i)
                                                if (at < 0 || x[i] > x[at] || (std::isnan(x[i]) && !std::isnan(x[at]))) at = i;
                                              std::int64_t position;
                                              std::memcpy(&position, got, 8);
                                              return position == at ? 0.0 : 1e30;
                                            }));
}
}  // namespace
void add_plain(cases& all) {
  add<float>(all);
  add<__nv_bfloat16>(all);
#if !defined(BENCH_TWO_TYPES)  // half the time to compile while developing
  add<__half>(all);
#endif
}
}  // namespace bench
