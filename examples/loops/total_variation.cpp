// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file How much a signal moves: the sum of the distances between neighbouring samples.
#include <cmath>

double total_variation(const double* x, int n) {
  double sum = 0;
  for (int i = 1; i < n; ++i) sum += std::abs(x[i] - x[i - 1]);
  return sum;
}

// The same where samples arrive one at a time and cannot be read again.
double of_arrivals(const double* x, int n) {
  double sum = 0;
  double previous = 0;
  bool started = false;
  for (int i = 0; i < n; ++i) {
    if (started) sum += std::abs(x[i] - previous);
    previous = x[i];
    started = true;
  }
  return sum;
}
