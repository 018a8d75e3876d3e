// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Entries read elsewhere than at the index, do-while with exits, arrays of structs, bits: compiled into the test and read by the
//! front end.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

// --- entries at a position that is carried, first and last ones
int last_of_the_largest(const float* x, int n) {
  int at = 0;
  for (int i = 1; i < n; ++i)
    if (x[i] >= x[at]) at = i;
  return at;
}
double value_of_the_smallest(const double* x, int n) {
  int at = 0;
  for (int i = 1; i < n; ++i)
    if (x[i] < x[at]) at = i;
  return x[at] + at;
}
double largest_by_pointer(const double* x, int n) {
  const double* best = x;
  for (const double* p = x + 1; p != x + n; ++p)
    if (*p > *best) best = p;
  return *best;
}
int last_above_previous_hit(const int* x, int n) {
  int at = -1;
  for (int i = 0; i < n; ++i)
    if (at < 0 || x[i] > x[at] + 1) at = i;
  return at;
}
int first_and_last(const int* x, int n) {
  int first = x[0], last = x[0];
  for (int i = 1; i < n; ++i) last = x[i];
  return last - first;
}
double spread_and_ends(const double* x, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i) s += x[i];
  return s + x[0] - 2 * x[n - 1];
}
double shifted_sum_of_squares(const double* x, int n) {
  const double shift = x[0];
  double s = 0;
  for (int i = 0; i < n; ++i) s += (x[i] - shift) * (x[i] - shift);
  return s;
}
double above_first(const double* x, int n) {
  double s = 0;
  for (int i = 1; i < n; ++i) s += x[i] > x[0] ? x[i] : -1;
  return s;
}

// --- do-while
int summed_until_marker(const int* x, int n) {
  int s = 0, i = 0;
  if (n == 0) return 0;
  do {
    s += x[i];
    if (x[i] == 0) break;
    ++i;
  } while (i < n);
  return s;
}
int left_in_two_ways(const int* x, int n) {
  int s = 0, i = 0;
  if (n < 1) return 0;
  do {
    if (x[i] < -2) break;
    s += x[i];
  } while (++i < n && x[i] != 3);
  return s * 100 + i;
}
int until_the_sum_is_large(const int* x, int n) {
  int s = 0, i = 0;
  do {
    s += x[i] + 2;
    i++;
  } while (i < n && s < 7);
  return s * 100 + i;
}
int counted_in_the_condition(const int* x, int n) {
  int s = 1, k = 0;
  if (n <= 0) return -1;
  do s = s * 2 + x[k++];
  while (--n > 0);
  return s + 1000 * k;
}
int continued(const int* x, int n) {
  int s = 0, i = -1;
  if (n == 0) return 0;
  do {
    ++i;
    if (x[i] < 0) continue;
    s += x[i];
  } while (i + 1 < n && x[i] != 2);
  return s;
}

// --- two loops that may be left
int two_sought(const int* x, int n, int key) {
  int a = 0, b = 0;
  for (int i = 0; i < n; ++i) {
    if (x[i] == key) break;
    ++a;
  }
  for (int i = 0; i < n; ++i) {
    if (x[i] < 0) break;
    b += x[i];
  }
  return 100 * a + b;
}
int sought_with_the_index_moved(const int* x, int n, int key) {
  int i = 0;
  while (i < n && x[i++] != key) {
  }
  return i;
}
double smallest_or_minus_one(const double* x, int n) {
  double m = INFINITY;
  for (int i = 0; i < n; ++i)
    if (x[i] > 0 && x[i] < m) m = x[i];
  return m == INFINITY ? -1 : m;
}

// --- arrays of structs
struct place_on_line {
  double at;
  int who;
};
place_on_line leftmost(const place_on_line* p, int n) {
  place_on_line best{100, -1};
  for (int i = 0; i < n; ++i)
    if (p[i].at < best.at) best = p[i];
  return best;
}
place_on_line earliest_leftmost(const std::vector<place_on_line>& all) {
  place_on_line best{100, -1};
  for (const place_on_line& p : all)
    if (p.at < best.at || (p.at == best.at && p.who < best.who)) best = p;
  return best;
}
double weighted(const place_on_line* p, int n) {
  double s = 0;
  for (const place_on_line* q = p; q < p + n; ++q) s += q->at * q->who;
  return s;
}

// --- bits
int longest_run_of_true(const std::vector<bool>& x) {
  int best = 0, run = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    run = x[i] ? run + 1 : 0;
    best = std::max(best, run);
  }
  return best;
}
int count_of_true(const std::vector<bool>& x) {
  int c = 0;
  for (bool b : x) c += b;
  return c;
}
int bits_set(const std::uint32_t* x, int n) {
  int c = 0;
  for (int i = 0; i < n; ++i) c += __builtin_popcount(x[i]) + std::popcount(static_cast<std::uint8_t>(x[i]));
  return c;
}
int parity_of_all(const std::uint64_t* x, int n) {
  int p = 0;
  for (int i = 0; i < n; ++i) p ^= __builtin_parityll(x[i]);
  return p;
}

// --- std::optional
std::optional<double> first_larger(std::span<const double> x, double c) {
  for (double v : x)
    if (v > c) return v;
  return std::nullopt;
}
int largest_if_any(const int* x, int n) {
  std::optional<int> best;
  for (int i = 0; i < n; ++i)
    if (x[i] > 0 && (!best || x[i] > *best)) best = x[i];
  return best.value_or(-100);
}
std::optional<int> since_reset(const int* x, int n) {
  std::optional<int> s = 1;
  for (int i = 0; i < n; ++i) {
    if (x[i] == 0) s.reset();
    else if (s.has_value()) s = *s + x[i];
    else if (x[i] == 2) s.emplace(7);
    else if (x[i] == 3) s = std::nullopt;
  }
  return s;
}
