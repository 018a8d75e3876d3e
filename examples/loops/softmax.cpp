// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Softmax as the textbook writes it: the maximum, the sum of exponentials, the quotients.
#include <algorithm>
#include <cmath>
#include <limits>

void softmax(const float* x, float* out, int n) {
  float m = -std::numeric_limits<float>::infinity();
  for (int i = 0; i < n; ++i) m = std::max(m, x[i]);

  float sum = 0;
  for (int i = 0; i < n; ++i) sum += std::exp(x[i] - m);

  for (int i = 0; i < n; ++i) out[i] = std::exp(x[i] - m) / sum;
}
