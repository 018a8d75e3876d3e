// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Dot product of two vectors.
float dot(const float* a, const float* b, int n) {
  float sum = 0;
  for (int i = 0; i < n; ++i) sum += a[i] * b[i];
  return sum;
}
