// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file 2^x in vector lanes for every float against double, as JSON: g++ -std=c++20 -O2 -march=native -I include, then >
//! bench/results/cpu_exp2.json
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>

#include "twofold/cpu/simd/exponential.hpp"

int main() {
  using V = twofold::simd::vec<float, 16>;
  double worst = 0;
  float at = 0;
  std::uint64_t bits_of_all = 1469598103934665603u, wrong = 0;
  for (std::uint64_t first = 0; first < (std::uint64_t{1} << 32); first += 16) {
    float x[16], y[16];
    for (std::uint32_t i = 0; i < 16; ++i) x[i] = __builtin_bit_cast(float, static_cast<std::uint32_t>(first) + i);
    V::exp2(V::load(x)).store(y);
    for (int i = 0; i < 16; ++i) {
      const bool nan = std::isnan(y[i]);
      bits_of_all = (bits_of_all ^ (nan ? 0x7fc00000u : __builtin_bit_cast(std::uint32_t, y[i]))) * 1099511628211u;
      if (std::isnan(x[i]) || x[i] >= 128 || x[i] < -150) {
        wrong += std::isnan(x[i]) ? !nan : x[i] >= 128 ? y[i] != HUGE_VALF : y[i] != 0;
        continue;
      }
      const double want = std::exp2(static_cast<double>(x[i]));
      int e = 0;
      std::frexp(want, &e);
      const double error = std::fabs(y[i] - want) / std::ldexp(1.0, std::max(e - 24, -149));
      if (error > worst) worst = error, at = x[i];
    }
  }
  std::printf(
      "{\"schema\": 1, \"what\": \"exp2 of every float, in ulp of the result\", \"date\": \"2026-11-30\", \"parts\": %d, \"worst_ulp\": "
      "%.4f, \"at\": %.9g, "
      "\"special_values_wrong\": %llu, \"hash_of_all_results\": \"%llx\"}\n",
      twofold::simd::layout<float, 16>::parts, worst, static_cast<double>(at), static_cast<unsigned long long>(wrong),
      static_cast<unsigned long long>(bits_of_all));
}
