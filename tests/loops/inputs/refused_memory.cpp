// Accesses whose meaning depends on aliases, data or order: to be refused with place and reason.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

// [H] associative +0: a table read at what the element says
double gather_sum(const double* x, const int* at, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i) s += x[at[i]];
  return s;
}
// [N] unknown: the power of a table
int pointer_jumping(const int* next, int n) {
  int at = 0, s = 0;
  for (int i = 0; i < n; ++i) {
    at = next[at];
    s += at;
  }
  return s;
}
// [R] refused
void scatter(const double* x, const int* at, double* y, int n) {
  for (int i = 0; i < n; ++i) y[at[i]] = x[i];
}
// [R] refused TF4008
double halve_in_place_and_sum(const double* x, int n) {
  double* w = const_cast<double*>(x);
  double s = 0;
  for (int i = 0; i < n; ++i) {
    w[i] = w[i] / 2;
    s += w[i];
  }
  return s;
}
// [R] refused
double uninitialised_start(const double* x, int n) {
  double s;
  for (int i = 0; i < n; ++i) s += x[i];
  return s;
}
// [R] refused
double read_past_the_end(const double* x, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i) s += x[i] * x[n - 1 - i];
  return s;
}
// [R] refused
double strided(const double* x, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i) s += x[i * i];
  return s;
}
// [R] refused
double modulo_access(const double* x, const double* w, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i) s += x[i] * w[i % 4];
  return s;
}
// [R] refused
float reinterpret_bits(const std::uint32_t* x, int n) {
  float s = 0;
  for (int i = 0; i < n; ++i) {
    float f;
    std::memcpy(&f, &x[i], 4);
    s += f;
  }
  return s;
}
// [R] refused
int type_punning(const float* x, int n) {
  int s = 0;
  for (int i = 0; i < n; ++i) s += *reinterpret_cast<const int*>(&x[i]);
  return s;
}
union number {
  int i;
  float f;
};
// [R] refused
float union_sum(const int* x, int n) {
  number u;
  u.f = 0;
  for (int i = 0; i < n; ++i) u.i += x[i];
  return u.f;
}
struct flags {
  unsigned a : 3;
  unsigned b : 5;
};
// [R] refused TF4003
unsigned bit_fields(const unsigned* x, int n) {
  flags f{0, 0};
  for (int i = 0; i < n; ++i) f.a += x[i];
  return f.a;
}
// [R] refused TF4003
long double extended_sum(const long double* x, int n) {
  long double s = 0;
  for (int i = 0; i < n; ++i) s += x[i];
  return s;
}
// [R] refused
double two_rows_swapped(const double* x, int n, int d, double* a, double* b) {
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < d; ++j) b[j] = a[j] + x[i * d + j];
    std::swap(a, b);
  }
  return a[0];
}
// [A] associative +2: what is overwritten is carried
double blur_in_place(double* x, int n) {
  double s = 0;
  for (int i = 1; i < n; ++i) {
    x[i] = 0.5 * (x[i] + x[i - 1]);
    s += x[i];
  }
  return s;
}
// [R] refused: Fibonacci in the output
void fibonacci_in_output(const double* x, double* y, int n) {
  y[0] = 1;
  y[1] = 1;
  for (int i = 2; i < n; ++i) y[i] = y[i - 1] + y[i - 2] + x[i];
}
// [H] associative +0: no state at all
void stencil_twice(const double* x, double* y, double* z, int n) {
  for (int i = 0; i < n; ++i) y[i] = 2 * x[i];
  for (int i = 1; i < n - 1; ++i) z[i] = y[i - 1] + y[i + 1];
}
// [R] refused
double triangular(const double* a, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i)
    for (int j = i; j < n; ++j) s += a[i * n + j];
  return s;
}
// [R] refused
double matrix_by_columns_and_rows(const double* a, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) s += a[i * n + j] * a[j * n + i];
  return s;
}
// [R] refused
void outer_product(const double* x, const double* y, double* z, int n) {
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) z[i * n + j] = x[i] * y[j];
}
// [R] refused
double other_range(const double* x, int n, const double* y, int m) {
  double s = 0;
  for (int i = 0; i < n; ++i) s += x[i];
  for (int i = 0; i < m; ++i) s += y[i];
  return s;
}
// [R] refused
double half_of_the_range_twice(const double* x, int n) {
  double a = 0, b = 0;
  for (int i = 0; i < n / 2; ++i) a += x[i];
  for (int i = n / 2; i < n; ++i) b += x[i];
  return a - b;
}
// [R] refused
double running_from_both(const double* x, int n) {
  double a = 0, b = 0;
  for (int i = 0; i < n; ++i) a = 0.5 * a + x[i];
  for (int i = n - 1; i >= 0; --i) b = 0.5 * b + x[i];
  return a + b;
}
// [R] refused
int choose_array_by_data(const int* a, const int* b, const bool* c, int n) {
  int s = 0;
  const int* p = a;
  for (int i = 0; i < n; ++i) {
    if (c[i]) p = b;
    s += p[i];
  }
  return s;
}
// [R] refused
double unique_pointer_state(const double* x, int n) {
  auto s = std::make_unique<double>(0.0);
  for (int i = 0; i < n; ++i) *s += x[i];
  return *s;
}
// [R] refused
void prefix_written_twice(const double* x, double* y, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i) {
    s += x[i];
    y[i] = s;
    y[n - 1 - i] = s;
  }
}
// [R] refused
int write_and_break(const int* x, int* y, int n) {
  int k = 0;
  for (int i = 0; i < n; ++i) {
    if (x[i] < 0) break;
    y[i] = ++k;
  }
  return k;
}
// [R] refused
int compact(const int* x, int* y, int n) {
  int k = 0;
  for (int i = 0; i < n; ++i)
    if (x[i] > 0) y[k++] = x[i];
  return k;
}
// [R] refused
void reverse_copy(const double* x, double* y, int n) {
  for (int i = 0; i < n; ++i) y[n - 1 - i] = x[i];
}
// [R] refused
double nan_as_nothing(const double* x, int n) {
  double last = NAN, s = 0;
  for (int i = 0; i < n; ++i) {
    if (!std::isnan(last)) s += x[i] - last;
    last = x[i];
  }
  return s;
}
// [H] associative +0: looks one ahead, of n + 1 entries
double difference_ahead(const double* x, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i) s += x[i + 1] - x[i];
  return s;
}
struct guard {
  int* at;
  ~guard() { ++*at; }
};
// [R] refused TF4003
int with_destructor(const int* x, int n) {
  int s = 0, k = 0;
  for (int i = 0; i < n; ++i) {
    guard g{&k};
    s += x[i];
  }
  return s + k;
}
// [R] refused
double diagonal(const double* a, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      if (j == i) s += a[j * n + i] * a[i * n + j] * a[(n - 1 - i) * n + j];
  return s;
}
// [R] refused: an output that is also read one ahead
void shift_in_place(double* x, int n) {
  for (int i = 0; i + 1 < n; ++i) x[i] = x[i + 1] - x[i] * x[i + 1];
  for (int i = n - 1; i > 0; --i) x[i] = x[i - 1];
}
// [R] refused
int permutation_cycles(const int* p, int n) {
  std::vector<bool> seen(n);
  int cycles = 0;
  for (int i = 0; i < n; ++i) {
    if (seen[i]) continue;
    ++cycles;
    for (int j = i; !seen[j]; j = p[j]) seen[j] = true;
  }
  return cycles;
}
// [R] refused
double interpolation_on_a_grid(const double* x, const double* grid, int n, int m) {
  double s = 0;
  int at = 0;
  for (int i = 0; i < n; ++i) {
    while (at + 1 < m && grid[at + 1] < x[i]) ++at;
    s += grid[at];
  }
  return s;
}
// [R] refused
void fill_from_neighbours(double* a, int rows, int cols) {
  for (int i = 1; i < rows; ++i)
    for (int j = 1; j < cols; ++j) a[i * cols + j] += a[(i - 1) * cols + j - 1];
}
// [R] refused
int edit_distance(const char* a, int n, const char* b, int m, int* row) {
  for (int j = 0; j <= m; ++j) row[j] = j;
  for (int i = 0; i < n; ++i) {
    int diagonal = row[0];
    row[0] = i + 1;
    for (int j = 1; j <= m; ++j) {
      const int up = row[j];
      row[j] = std::min(std::min(up, row[j - 1]) + 1, diagonal + (a[i] != b[j - 1]));
      diagonal = up;
    }
  }
  return row[m];
}
