// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The largest sum of consecutive elements, the empty segment included (Kadane).
#include <algorithm>
#include <vector>

long max_segment_sum(const std::vector<int>& x) {
  long ending_here = 0;
  long best = 0;
  for (int v : x) {
    ending_here = std::max(ending_here + v, 0L);
    best = std::max(best, ending_here);
  }
  return best;
}
