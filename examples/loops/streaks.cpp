// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Length of the longest run of non-zero elements.
#include <algorithm>

int longest_run(const int* x, int n) {
  int best = 0, current = 0;
  for (int i = 0; i < n; ++i) {
    current = x[i] != 0 ? current + 1 : 0;
    best = std::max(best, current);
  }
  return best;
}
