// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Exponential moving average: every output is the average so far, older samples counting less and less.
void smooth(const float* x, float* y, int n, float alpha) {
  float average = 0;
  for (int i = 0; i < n; ++i) {
    average = (1 - alpha) * average + alpha * x[i];
    y[i] = average;
  }
}
