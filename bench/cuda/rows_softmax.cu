// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Row benchmark: softmax and log-softmax.
#include <cmath>
#include <cstring>

#include "bench/cuda/rows.hpp"
#include "twofold/ops/softmax.hpp"

namespace bench {
namespace {
template <class R, class In>
auto mapping() {
  return [](const void* in, void* out, const shape& s, const tf::cuda::row_plan& p, tf::cuda::workspace w) {
    tf::cuda::map_rows(R{}, source<In>(in, s), static_cast<In*>(out), s.pitch, p, w);
  };
}
template <class In>
void add(cases& all) {
  const auto error = [](const std::vector<double>& x, const unsigned char* got, bool logarithm) {
    double m = -INFINITY, l = 0, worst = 0;
    for (double v : x) m = std::isnan(v) || std::isnan(m) ? NAN : std::max(m, v);
    for (double v : x) l += v == m ? 1 : std::exp(v - m);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double y = to_double<In>(got + i * sizeof(In)), d = x[i] - m;
      double want = logarithm ? d - std::log(l) : std::exp(d) / l;
      if (m == -INFINITY) want = logarithm ? -INFINITY : 0;
      if (m == INFINITY) want = NAN;
      const double finite = std::isfinite(d) ? std::abs(d) : 0;
      // half an ulp of the output, and of float: 16 roundings and the error of the exponent
      const double bound = logarithm ? unit<In> * std::abs(want) + 0x1p-24 * (16 + 4 * finite + 4 * std::log(l))
                                     : want * (1.01 * unit<In> + 0x1p-24 * (16 + 3 * finite)) + tiny<In>;
      worst = std::max(worst, off(y, want, bound));
    }
    return worst;
  };
  all.push_back(make<tf::softmax<float>, In>("softmax", sizeof(In), true, mapping<tf::softmax<float>, In>(),
                                             [=](const auto& x, tf::index, const unsigned char* got) { return error(x, got, false); }));
  all.push_back(make<tf::log_softmax<float>, In>("log_softmax", sizeof(In), true, mapping<tf::log_softmax<float>, In>(),
                                                 [=](const auto& x, tf::index, const unsigned char* got) { return error(x, got, true); }));
}
}  // namespace
void add_softmax(cases& all) {
  add<float>(all);
  add<__nv_bfloat16>(all);
#if !defined(BENCH_TWO_TYPES)  // half the time to compile while developing
  add<__half>(all);
#endif
}
}  // namespace bench
