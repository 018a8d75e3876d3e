// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The forms in which a loop's function may take its arrays and give its answers. Read and run by run_test.cpp.
#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace user {
double total(const std::vector<double>& x) {
  double s = 0;
  for (std::size_t i = 0; i < x.size(); ++i) s += x[i];
  return s;
}
}  // namespace user

struct range {
  float lo, hi;
};
void range_by_reference(const float* x, int n, range& r) {
  float lo = std::numeric_limits<float>::infinity(), hi = -std::numeric_limits<float>::infinity();
  for (int i = 0; i < n; ++i) {
    lo = std::min(lo, x[i]);
    hi = std::max(hi, x[i]);
  }
  r.lo = lo;
  r.hi = hi;
}

void scalars_by_reference(const float* x, int n, float& lo, float& hi) {
  lo = std::numeric_limits<float>::infinity();
  hi = -std::numeric_limits<float>::infinity();
  for (int i = 0; i < n; ++i) {
    lo = std::min(lo, x[i]);
    hi = std::max(hi, x[i]);
  }
}

void mean_by_pointer(const double* x, int n, double* mean) {
  double s = 0;
  for (int i = 0; i < n; ++i) s += x[i];
  *mean = s / n;
}

struct view {
  const float* data;
  int n;
};
float of_view(view v) {
  float s = 0;
  for (int i = 0; i < v.n; ++i) s += v.data[i];
  return s;
}

void rows_of_fixed_length(const float (*rows)[4], std::array<float, 4>& out, int n) {
  for (int j = 0; j < 4; ++j) out[j] = 0;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < 4; ++j) out[j] += rows[i][j];
}

void running_maximum(const std::vector<float>& x, std::vector<float>& y) {
  float m = -std::numeric_limits<float>::infinity();
  for (std::size_t i = 0; i < x.size(); ++i) {
    m = std::max(m, x[i]);
    y[i] = m;
  }
}

std::array<double, 2> pair_of_sums(std::span<const double> x) {
  double s = 0, q = 0;
  for (const double v : x) {
    s += v;
    q += v * v;
  }
  return {s, q};
}

int backwards(const int* x, int n) {
  int last = -1;
  for (int i = n - 1; i >= 0; --i)
    if (x[i] == 3) last = i;
  return last;
}

void sums_before(const int* x, int* y, int n) {
  int s = 0;
  for (int i = 0; i < n; ++i) {
    y[i] = s;
    s += x[i];
  }
}

std::uint32_t hash(const std::int8_t* text, int n) {
  std::uint32_t h = 5381;
  for (int i = 0; i < n; ++i) h = h * 33u + static_cast<std::uint32_t>(text[i]);
  return h;
}
