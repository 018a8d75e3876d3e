// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Mean and variance in one walk over the data (Welford 1962).
#include <cstddef>

struct moments {
  double mean;
  double variance;  // of the population: divided by n
};

moments variance(const double* x, std::size_t n) {
  double count = 0, mean = 0, m2 = 0;
  for (std::size_t i = 0; i < n; ++i) {
    count += 1;
    const double delta = x[i] - mean;
    mean += delta / count;
    m2 += delta * (x[i] - mean);
  }
  return {mean, m2 / count};
}
