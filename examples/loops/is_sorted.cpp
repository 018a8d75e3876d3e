// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Whether the elements ascend.
#include <cstddef>
#include <limits>

bool is_sorted(const double* x, std::size_t n) {
  bool sorted = true;
  double previous = -std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < n; ++i) {
    if (x[i] < previous) sorted = false;
    previous = x[i];
  }
  return sorted;
}
