// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Position of the largest element, the first of several; -1 where there is none.
#include <limits>

int argmax(const float* x, int n) {
  float best = -std::numeric_limits<float>::infinity();
  int where = -1;
  for (int i = 0; i < n; ++i) {
    if (x[i] > best) {
      best = x[i];
      where = i;
    }
  }
  return where;
}
