// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file 2^x, e^x and ln x in vector lanes for every float, against lanes of double (tests hold those against long double), as JSON: g++
//! -std=c++20 -O2 -march=native -I include, then > bench/results/cpu_functions.json. A name, exp2, exp or log, measures that one alone.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>

#include "twofold/cpu/simd/logarithm.hpp"

namespace {

using V = twofold::simd::vec<float, 16>;
using W = twofold::simd::vec<double, 16>;

struct measured {
  double worst = 0;
  float at = 0;
  std::uint64_t bits_of_all = 1469598103934665603u, wrong = 0;
};

//! The distance of two neighbouring floats at this number.
double ulp_of(double x) {
  const auto e = static_cast<std::int64_t>(__builtin_bit_cast(std::uint64_t, x) >> 52 & 0x7ff) - 1023 - 23;
  return __builtin_bit_cast(double, static_cast<std::uint64_t>(std::max<std::int64_t>(e, -149) + 1023) << 52);
}

//! `exact`: the same function in double, whose rounding to float tells infinities, zeros and NaN.
template <class F, class G>
measured measure(const F& function, const G& exact) {
  measured m;
  for (std::uint64_t first = 0; first < (std::uint64_t{1} << 32); first += 16) {
    float x[16], y[16];
    double want[16];
    for (std::uint32_t i = 0; i < 16; ++i) x[i] = __builtin_bit_cast(float, static_cast<std::uint32_t>(first) + i);
    function(V::load(x)).store(y);
    exact(W(V::load(x))).store(want);
    for (int i = 0; i < 16; ++i) {
      m.bits_of_all = (m.bits_of_all ^ (y[i] != y[i] ? 0x7fc00000u : __builtin_bit_cast(std::uint32_t, y[i]))) * 1099511628211u;
      const auto rounded = static_cast<float>(want[i]);
      if (rounded != rounded || rounded - rounded != 0) {
        m.wrong += rounded != rounded ? y[i] == y[i] : y[i] != rounded;
        continue;
      }
      const double error = std::fabs(static_cast<double>(y[i]) - want[i]) / ulp_of(want[i]);
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

int main(int count, char** words) {
  const auto wanted = [&](const std::string& name) { return count < 2 || words[1] == name; };
  std::printf(
      "{\"schema\": 1, \"what\": \"functions in vector lanes of every float, in ulp of the result\", \"date\": \"2026-11-30\", "
      "\"registers_a_vector\": %d, \"rows\": [\n",
      twofold::simd::layout<float, 16>::parts);
  if (wanted("exp2")) print("exp2", measure([](const V& x) { return V::exp2(x); }, [](const W& x) { return W::exp2(x); }), ",");
  if (wanted("exp")) print("exp", measure([](const V& x) { return V::exp(x); }, [](const W& x) { return W::exp(x); }), ",");
  if (wanted("log")) print("log", measure([](const V& x) { return V::log(x); }, [](const W& x) { return W::log(x); }), "");
  std::printf("]}\n");
}
