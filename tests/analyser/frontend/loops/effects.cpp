// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Loops whose conditions and operands have effects of their own, and loops that use the names that reports invent.
#include <cmath>
#include <cstddef>

int sought_by_condition(const int* x, int n, int key) {
  int i = -1;
  while (++i < n && x[i] != key) {
  }
  return i;
}
int sought_backwards(const int* x, int n) {
  int i = n;
  while (--i >= 0 && x[i] != 4) {
  }
  return i;
}
int counted_down(const int* x, int n) {
  int s = 0, left = n;
  while (left-- > 0 && *x != 3) s += *x++;
  return s * 100 + left;
}
int counted_down_and_left(const int* x, int n) {
  int s = 0, left = n;
  while (left-- > 0) {
    s += *x;
    if (*x++ == 2) break;
  }
  return s * 100 + left;
}
int looks_counted(const int* x, int n) {
  int s = 0, looks = 0, i = 0;
  while (looks++, i < n) s += x[i++];
  return s * 100 + looks;
}
int last_look_kept(const int* x, int n) {
  int s = 0, last = -1;
  for (int i = 0; (last = i) < n; ++i) s += x[i];
  return s * 100 + last;
}
int sign_of_last_look(const int* x, int n) {
  int s = 0, i = 0;
  bool more = false;
  while ((more = i < n)) s += x[i++];
  return more ? s : -s;
}
inline bool another(int& looks, int i, int n) {
  ++looks;
  return i < n;
}
int looks_by_reference(const int* x, int n) {
  int s = 0, looks = 0;
  for (int i = 0; another(looks, i, n); ++i) s += x[i];
  return s * 100 + looks;
}
int stepped_once(const int* x, int n) {
  int s = 0;
  for (int i = 0; i < n; ++i) ++(s += x[i]);
  return s;
}
int operand_with_an_effect(const int* x, int n) {
  int c[2] = {0, 0}, calls = 0;
  const auto where = [&](int v) {
    ++calls;
    return v > 0 ? 1 : 0;
  };
  for (int i = 0; i < n; ++i) {
    const int at = where(x[i]);
    if (at == 1) c[1]++;
    else c[0]--;
  }
  return c[0] * 1000 + c[1] * 10 + calls;
}
int two_positions(const int* x, int n, int d) {
  int s = 0, j = 0;
  for (int i = 0; i < n; ++i, j += d) {
    if (x[i] < 0) break;
    s += x[i];
  }
  return s * 1000 + j;
}
int own_started(const int* x, int n) {
  int m = 0;
  bool started = false;
  for (int i = 0; i < n; ++i) {
    if (i == 0) m = x[0];
    if (x[i] > m) {
      m = x[i];
      started = true;
    }
  }
  return started ? m : -1;
}
int own_previous(const int* x, int n) {
  int x_prev = 0, c = 0;
  for (int i = 0; i < n; ++i) {
    if (i > 0 && x[i] == x[i - 1] && x_prev > 1) ++c;
    if (x[i] > 2) x_prev += 1;
  }
  return c * 10 + x_prev;
}
int previous_beside_array(const int* x, const int* x_prev, int n) {
  int s = 0;
  for (int i = 1; i < n; ++i) s += (x[i] - x[i - 1]) * x_prev[i];
  return s;
}
int chosen_or_infinite(const double* x, int n) {
  int s = 0;
  for (int i = 0; i < n; ++i) {
    double m = -INFINITY;
    if (x[i] > 0) m = x[i];
    if (m > -INFINITY) s += 1;
  }
  return s;
}
double infinite_where_not_positive(const double* x, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i) {
    const double d = x[i] > 0 ? x[i] : INFINITY;
    s += std::isinf(d) ? 100 : x[i];
  }
  return s;
}
int field_beside_array(const int* a_b, const int* a_b_, int n) {
  int s = 0;
  for (int i = 1; i < n; ++i) s += a_b[i - 1] - a_b_[i - 1] + 3 * a_b_[i];
  return s;
}
long wrapped_index(const int* x, int n) {
  long s = 0;
  for (unsigned i = 0; i < static_cast<unsigned>(n); ++i) s += x[i] * (static_cast<long>(i - 1u) + 1);
  return s;
}
long wrapped_comparison(const int* x, int n) {
  long s = 0;
  for (unsigned i = 0; i < static_cast<unsigned>(n); ++i) {
    if (static_cast<long>(i - 1u) + 1 == 0) s = -1;
    else s += 2 * x[i] + (static_cast<long>(i - 1u) + 3 > 100 ? 7 : 0);
  }
  return s;
}
