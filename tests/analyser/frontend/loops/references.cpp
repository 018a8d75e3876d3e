// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file References and pointers that mean one variable or another, moved pointers, copies with an effect: compiled into the test and
//! read by the front end.
#include <algorithm>
#include <cctype>
#include <functional>
#include <numeric>

struct two_sums {
  double up = 0, down = 0;
  double& of(bool positive) { return positive ? up : down; }
};
struct counted {
  int copies = 0;
  counted() = default;
  counted(const counted& o) : copies(o.copies + 1) {}
  counted& operator=(const counted&) = default;
};
struct around {
  counted c;
};
inline void add_to(double& sum, double v) { sum += v; }

double reference_to_either(const double* x, int n) {
  double a = 0, b = 0;
  for (int i = 0; i < n; ++i) {
    double& r = x[i] > 0 ? a : b;
    r += x[i];
    a += 1;
    b += r;
  }
  return a - 2 * b;
}
int counted_either(const double* x, int n) {
  int a = 0, b = 0;
  for (int i = 0; i < n; ++i) ++(x[i] > 0 ? a : b);
  return a - 2 * b;
}
double added_to_either(const double* x, int n) {
  double a = 0, b = 0;
  for (int i = 0; i < n; ++i) add_to(x[i] > 0 ? a : x[i] < -1 ? b : a, x[i]);
  return a - 2 * b;
}
double pointer_to_either(const double* x, int n) {
  double a = 0, b = 0;
  for (int i = 0; i < n; ++i) {
    double* p = &(x[i] > 0 ? a : b);
    *p += x[i];
  }
  return a - 2 * b;
}
double method_of_either(const double* x, int n) {
  two_sums t;
  for (int i = 0; i < n; ++i) t.of(x[i] > 0) += x[i];
  return t.up - 2 * t.down;
}
double field_of_either(const double* x, int n) {
  two_sums t, u;
  for (int i = 0; i < n; ++i) {
    two_sums& r = x[i] > 0 ? t : u;
    r.up += x[i];
    t.down += 1;
    (x[i] < 1 ? t.up : u.down) = r.up;
  }
  return t.up - 2 * t.down + 3 * u.up - 4 * u.down;
}
double larger_while_it_changes(const double* x, int n) {
  double a = 0, s = 0;
  for (int i = 0; i < n; ++i) {
    const double& m = std::max(a, x[i]);
    a += 1;
    s += m;
  }
  return s;
}
double clamped_while_it_changes(const double* x, int n) {
  double low = -1, high = 1, s = 0;
  for (int i = 0; i < n; ++i) {
    const double& m = std::clamp(x[i], low, high);
    low -= 0.5;
    s += m;
    high += 0.25;
    s += 2 * m;
  }
  return s;
}
double larger_kept(const double* x, int n) {
  double m = 0;
  for (int i = 0; i < n; ++i) {
    const double& t = std::max(m, x[i]);
    m = t;
  }
  return m;
}
int copied_with_effect(const double* x, int n) {
  around w;
  for (int i = 0; i < n; ++i) {
    around u = w;
    w.c.copies = u.c.copies + (x[i] > 0);
  }
  return w.c.copies;
}
double moved_pointer(const double* x, int n) {
  double a[4] = {0, 0, 0, 0};
  for (int i = 0; i < n; ++i) {
    double* p = a + (i & 1);
    p[1] += x[i];
    ++p;
    *(p + (x[i] > 0)) += 2;
    --p;
    *p += 1;
  }
  return a[0] + 10 * a[1] + 100 * a[2] + 1000 * a[3];
}
double added_as_integers(const double* x, int n) { return std::accumulate(x, x + n, 0.0, std::plus<int>()); }
int added_as_bytes(const int* x, int n) { return std::accumulate(x, x + n, 0, std::plus<unsigned char>()); }
int subtracted_unsigned(const signed char* x, int n) { return static_cast<int>(std::accumulate(x, x + n, 0, std::minus<unsigned>())); }
