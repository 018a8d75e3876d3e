// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Majority vote (Boyer and Moore): the element that occurs more than n/2 times, if there is one.
int majority(const int* votes, int n) {
  int candidate = 0;
  int count = 0;
  for (int i = 0; i < n; ++i) {
    if (count == 0) {
      candidate = votes[i];
      count = 1;
    } else if (votes[i] == candidate) {
      ++count;
    } else {
      --count;
    }
  }
  return candidate;
}
