// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Ranges with two ends, unsigned numbers that wrap, previous entries that the first iteration leaves alone, classes of
//! characters: compiled into the test and read by the front end.
#include <cctype>

double stopped_at(const double* x, int n, int stop) {
  double s = 0;
  for (int i = 0; i < n && i != stop; ++i) s += x[i];
  return s;
}
double two_ends(const double* x, int n, int end) {
  double s = 0;
  int i = 0;
  for (; i != n && i != end; ++i) s = s / 2 + x[i];
  return s;
}
long wrapped_and_widened(const int* x, unsigned n) {
  long s = 0;
  for (unsigned i = 0; i < n; ++i) s += static_cast<long>(i - 1u) * x[i];
  return s;
}
double table_by_wrapped_sum(const unsigned* x, int n) {
  const double t[4] = {1, 2, 4, 8};
  double s = 0;
  for (int i = 0; i < n; ++i) s += x[i] < 4 ? t[(x[i] * 0xAAAAAAABu + x[i] * 0x55555556u) & 3u] : 0;
  return s;
}
double decayed_output(const double* x, int n, double* y) {
  double s = 0;
  for (int i = 0; i < n; ++i) {
    if (i > 0) s += x[i] * x[i - 1];
    y[i] = s;
  }
  return s;
}
double pairs_after_first(const double* x, int n) {
  double s = 0;
  bool seen = false;
  for (int i = 0; i < n; ++i) {
    s += seen ? x[i] * x[i - 1] : 1;
    seen = true;
  }
  return s;
}
int digits(const char* x, int n) {
  int c = 0;
  for (int i = 0; i < n; ++i) {
    const int digit = std::isdigit(x[i]);
    if (digit && !std::isspace(x[i])) ++c;
    c += (std::isalpha(x[i]) != 0) + (0 == std::isupper(x[i]));
  }
  return c;
}
void decayed_if_not_first(const double* x, int n, double* y) {
  for (int i = 0; i < n; ++i) y[i] = i > 0 ? y[i - 1] * 0.5 + x[i] : x[i];
}
