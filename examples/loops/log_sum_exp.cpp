// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file log(sum of exp(x[i])) without overflow, in two walks.
#include <algorithm>
#include <cmath>
#include <limits>

double log_sum_exp(const double* x, int n) {
  double m = -std::numeric_limits<double>::infinity();
  for (int i = 0; i < n; ++i) m = std::max(m, x[i]);
  double s = 0;
  for (int i = 0; i < n; ++i) s += std::exp(x[i] - m);
  return m + std::log(s);
}
