// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Dot product with x quantised on the fly: each x[i] is rounded to a multiple of one eighth of the largest magnitude
//! seen so far.
#include <algorithm>
#include <cmath>

double quantized_dot(const double* x, const double* w, int n) {
  double largest = 0;
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    largest = std::max(largest, std::abs(x[i]));
    const double step = largest / 8;
    if (step > 0) sum += std::round(x[i] / step) * step * w[i];
  }
  return sum;
}
