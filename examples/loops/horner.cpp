// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Value of a polynomial at x, its highest coefficient first (Horner).
double horner(const double* coefficient, int n, double x) {
  double value = 0;
  for (int i = 0; i < n; ++i) value = value * x + coefficient[i];
  return value;
}
