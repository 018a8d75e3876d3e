// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The shapes of row benchmarks, and what the last element of the last row should be.
#pragma once

#include <cmath>

#include "contenders.hpp"

namespace bench {

struct shape {
  const char* name;
  twofold::index rows, columns;
};
inline constexpr shape shapes[] = {
    {"524288x128", 1 << 19, 1 << 7}, {"16384x4096", 1 << 14, 1 << 12}, {"2048x32768", 1 << 11, 1 << 15}, {"16x4096", 16, 1 << 12}};

struct row_truth {
  double softmax, log_softmax, layer_norm, rms_norm;
};
inline row_truth truth_of(const shape& s) {
  const float* const x = signal() + (s.rows - 1) * s.columns;
  long double sum = 0, squares = 0, weights = 0;
  for (twofold::index j = 0; j < s.columns; ++j)
    sum += x[j], squares += static_cast<long double>(x[j]) * x[j], weights += std::exp(static_cast<long double>(x[j]));
  const auto n = static_cast<long double>(s.columns);
  const long double mean = sum / n, variance = squares / n - mean * mean, last = x[s.columns - 1], logs = last - std::log(weights);
  return {static_cast<double>(std::exp(logs)), static_cast<double>(logs), static_cast<double>((last - mean) / std::sqrt(variance + 1e-5L)),
          static_cast<double>(last / std::sqrt(squares / n + 1e-5L))};
}

template <class F>
void add_map(std::vector<contender>& all, const char* job, const shape& s, const char* who, const F& run, double want, double tolerance) {
  const auto items = static_cast<double>(s.rows * s.columns);
  const float* const last = room() + s.rows * s.columns - 1;
  all.push_back({std::string(job) + "/" + s.name + "/" + who, items, 8 * items,
                 [run, last] {
                   run();
                   return static_cast<double>(*last);
                 },
                 want, tolerance});
}

}  // namespace bench
