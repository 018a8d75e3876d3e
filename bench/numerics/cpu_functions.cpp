// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file 2^x, e^x and ln x in vector lanes for every float against double, as JSON: g++ -std=c++20 -O2 -march=native -I include, then >
//! bench/results/cpu_functions.json
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>

#include "twofold/cpu/simd/logarithm.hpp"

namespace {

using V = twofold::simd::vec<float, 16>;

struct measured {
  double worst = 0;
  float at = 0;
  std::uint64_t bits_of_all = 1469598103934665603u, wrong = 0;
};

//! `exact`: the same function in double, whose rounding to float tells infinities, zeros and NaN.
template <class F, class G>
measured measure(const F& function, const G& exact) {
  measured m;
  for (std::uint64_t first = 0; first < (std::uint64_t{1} << 32); first += 16) {
    float x[16], y[16];
    for (std::uint32_t i = 0; i < 16; ++i) x[i] = __builtin_bit_cast(float, static_cast<std::uint32_t>(first) + i);
    function(V::load(x)).store(y);
    for (int i = 0; i < 16; ++i) {
      m.bits_of_all = (m.bits_of_all ^ (std::isnan(y[i]) ? 0x7fc00000u : __builtin_bit_cast(std::uint32_t, y[i]))) * 1099511628211u;
      const double want = exact(static_cast<double>(x[i]));
      const auto rounded = static_cast<float>(want);
      if (!std::isfinite(rounded) || rounded == 0) {
        m.wrong += std::isnan(rounded)                   ? !std::isnan(y[i])
                   : std::fabs(want) > 0 && rounded == 0 ? std::fabs(y[i]) > 0x1p-149f
                                                         : y[i] != rounded;
        continue;
      }
      int e = 0;
      std::frexp(want, &e);
      const double error = std::fabs(y[i] - want) / std::ldexp(1.0, std::max(e - 24, -149));
      if (!(error <= m.worst)) m.worst = error, m.at = x[i];
    }
  }
  return m;
}

void print(const char* name, const measured& m, const char* after) {
  std::printf(
      "  {\"function\": \"%s\", \"worst_ulp\": %.4f, \"at\": %.9g, \"special_values_wrong\": %llu, \"hash_of_all_results\": \"%llx\"}%s\n",
      name, m.worst, static_cast<double>(m.at), static_cast<unsigned long long>(m.wrong), static_cast<unsigned long long>(m.bits_of_all),
      after);
}

}  // namespace

int main() {
  std::printf(
      "{\"schema\": 1, \"what\": \"functions in vector lanes of every float, in ulp of the result\", \"date\": \"2026-11-30\", "
      "\"registers_a_vector\": %d, \"rows\": [\n",
      twofold::simd::layout<float, 16>::parts);
  print("exp2", measure([](const V& x) { return V::exp2(x); }, [](double x) { return std::exp2(x); }), ",");
  print("exp", measure([](const V& x) { return V::exp(x); }, [](double x) { return std::exp(x); }), ",");
  print("log", measure([](const V& x) { return V::log(x); }, [](double x) { return std::log(x); }), "");
  std::printf("]}\n");
}
