// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Loops over integers, characters and truth values.
#include <algorithm>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <string_view>
#include <vector>

long kadane(const std::vector<int>& x) {
  long here = 0, best = 0;
  for (int v : x) {
    here = std::max(here + v, 0L);
    best = std::max(best, here);
  }
  return best;
}
int max_from_first(const int* x, int n) {
  int m = x[0];
  for (int i = 1; i < n; ++i) m = x[i] > m ? x[i] : m;
  return m;
}
int max_from_minimum(const int* x, int n) {
  int m = INT_MIN;
  for (int i = 0; i < n; ++i) m = std::max(m, x[i]);
  return m;
}
bool sorted_previous(const int* x, int n) {
  bool ok = true;
  int prev = INT_MIN;
  for (int i = 0; i < n; ++i) {
    if (x[i] < prev) ok = false;
    prev = x[i];
  }
  return ok;
}
bool sorted_neighbours(const int* x, int n) {
  for (int i = 1; i < n; ++i)
    if (x[i - 1] > x[i]) return false;
  return true;
}
bool balanced(const char* s, int n) {
  int depth = 0;
  bool ok = true;
  for (int i = 0; i < n && ok; ++i) {
    switch (s[i]) {
      case '(': ++depth; break;
      case ')': --depth; break;
      default: break;
    }
    ok &= depth >= 0;
  }
  return ok && depth == 0;
}
int words(std::string_view text) {
  int count = 0;
  bool inside = false;
  for (char c : text) {
    const bool blank = c == ' ' || c == '\n';
    if (!blank && !inside) count++;
    inside = !blank;
  }
  return count;
}
int majority(const int* v, int n) {
  int candidate = 0, count = 0;
  for (int i = 0; i < n; ++i) {
    if (count == 0) { candidate = v[i]; count = 1; }
    else count += v[i] == candidate ? 1 : -1;
  }
  return candidate;
}
int longest_run(const bool* b, int n) {
  int best = 0, run = 0;
  for (int i = 0; i < n; ++i) {
    run = b[i] ? run + 1 : 0;
    if (run > best) best = run;
  }
  return best;
}
unsigned parse_number(const char* s, int n) {
  unsigned v = 0;
  for (int i = 0; i < n; ++i) v = v * 10 + static_cast<unsigned>(s[i] - '0');
  return v;
}
std::uint32_t polynomial_hash(const std::uint8_t* s, std::size_t n) {
  std::uint32_t h = 2166136261u;
  for (std::size_t i = 0; i < n; ++i) h = h * 31u + s[i];
  return h;
}
std::uint16_t checksum16(const std::uint16_t* x, int n) {
  std::uint16_t s = 0;
  for (int i = 0; i < n; ++i) s += x[i];
  return s;
}
std::uint8_t xor_all(const std::uint8_t* x, int n) {
  std::uint8_t s = 0;
  for (int i = 0; i < n; ++i) s ^= x[i];
  return s;
}
std::int64_t sum_of_bytes(const std::int8_t* x, int n) {
  std::int64_t s = 0;
  for (int i = 0; i < n; ++i) s += x[i];
  return s;
}
int average_of_bytes(const std::uint8_t* x, int n) {
  int s = 0;
  for (int i = 0; i < n; ++i) s += x[i] * x[i] - 3;
  return s / 7 + s % 5;
}
std::uint64_t shifts(const std::uint64_t* x, int n) {
  std::uint64_t h = 1;
  for (int i = 0; i < n; ++i) h = (h << 5 | h >> 59) ^ x[i];
  return h;
}
std::uint32_t adler(const std::uint8_t* data, std::size_t n) {
  std::uint32_t a = 1, b = 0;
  for (std::size_t i = 0; i < n; ++i) {
    a = (a + data[i]) % 65521;
    b = (b + a) % 65521;
  }
  return b << 16 | a;
}
long count_even(const int* x, int n) {
  return std::count_if(x, x + n, [](int v) { return v % 2 == 0; });
}
bool any_zero(const int* x, int n) {
  return std::any_of(x, x + n, [](int v) { return v == 0; });
}
int first_index(const int* x, int n, int key) {
  int i = 0;
  while (i < n && x[i] != key) ++i;
  return i;
}
int index_with_break(const int* x, int n, int key) {
  int at = -1;
  for (int i = 0; i < n; ++i)
    if (x[i] == key) {
      at = i;
      break;
    }
  return at;
}
int last_index(const int* x, int n, int key) {
  int at = -1;
  for (int i = 0; i != n; i++)
    if (x[i] == key) at = i;
  return at;
}
long weighted_by_index(const int* x, int n) {
  long s = 0;
  for (int i = 0; i < n; ++i) s += static_cast<long>(i) * x[i];
  return s;
}
int alternating(const int* x, int n) {
  int s = 0, sign = 1;
  for (int i = 0; i < n; ++i) {
    s += sign * x[i];
    sign = -sign;
  }
  return s;
}
int gcd_all(const int* x, int n) {
  int g = 0;
  for (int i = 0; i < n; ++i) g = std::gcd(g, x[i]);
  return g;
}
std::size_t countdown(const int* x, std::size_t n) {
  std::size_t c = 0;
  while (n--) c += *x++ > 0;
  return c;
}
int two_counters(const int* x, int n) {
  int s = 0;
  for (int i = 0, j = n - 1; i < n; ++i, --j) s += x[i] * 2;
  return s;
}
enum class mode { idle, reading, done };
int automaton(const char* s, int n) {
  mode m = mode::idle;
  int seen = 0;
  for (int i = 0; i < n; ++i) {
    switch (m) {
      case mode::idle:
        if (s[i] == '(') m = mode::reading;
        break;
      case mode::reading:
        if (s[i] == ')') {
          m = mode::idle;
          ++seen;
        } else if (s[i] == ' ') {
          m = mode::done;
        }
        break;
      case mode::done: break;
    }
  }
  return seen * 3 + static_cast<int>(m);
}
static const int steps[4] = {1, -2, 3, 5};
int table_walk(const std::uint8_t* x, int n) {
  int s = 0;
  for (int i = 0; i < n; ++i) s += steps[x[i] & 3];
  return s;
}
void histogram(const std::uint8_t* x, int n, int* bins) {
  for (int b = 0; b < 32; ++b) bins[b] = 0;
  for (int i = 0; i < n; ++i) bins[x[i] & 31]++;
}
int small_histogram(const std::uint8_t* x, int n) {
  int bins[4] = {};
  for (int i = 0; i < n; ++i) ++bins[x[i] % 4];
  return bins[0] + 10 * bins[1] + 100 * bins[2] + 1000 * bins[3];
}
int second_largest(const int* x, int n) {
  int a = INT_MIN, b = INT_MIN;
  for (int i = 0; i < n; ++i) {
    if (x[i] > a) {
      b = a;
      a = x[i];
    } else if (x[i] > b) {
      b = x[i];
    }
  }
  return b;
}
int truncated(const float* x, int n) {
  int s = 0;
  for (int i = 0; i < n; ++i) s += static_cast<int>(x[i]);
  return s;
}
bool early_exits(const int* x, int n) {
  bool odd = false;
  for (int i = 0; i < n; ++i) {
    if (x[i] == 0) return odd;
    if (x[i] < -100) break;
    odd = !odd;
  }
  return !odd;
}
int longest_equal_run(const int* x, int n) {
  int best = 0, run = 0;
  for (int i = 0; i < n; ++i) {
    if (i > 0 && x[i] == x[i - 1]) ++run;
    else run = 1;
    if (run > best) best = run;
  }
  return best;
}
