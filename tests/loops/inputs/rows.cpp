// Two dimensions, chunked by rows; vectors as state.
#include <algorithm>
#include <cfloat>
#include <climits>
#include <cmath>
#include <cstddef>
#include <vector>

// [H] associative +0
double matrix_sum(const double* a, int rows, int cols) {
  double s = 0;
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < cols; ++j) s += a[i * cols + j];
  return s;
}
// [H] associative +0
double frobenius(const double* a, int rows, int cols) {
  double s = 0;
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < cols; ++j) {
      const double v = a[i * cols + j];
      s += v * v;
    }
  return std::sqrt(s);
}
// [H] associative +0
double largest_entry(const double* a, int rows, int cols) {
  double m = -INFINITY;
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < cols; ++j) m = std::max(m, a[i * cols + j]);
  return m;
}
// [H] associative +0
double best_top_strip(const double* a, int rows, int cols) {
  double s = 0, best = 0;
  for (int i = 0; i < rows; ++i) {
    double r = 0;
    for (int j = 0; j < cols; ++j) r += a[i * cols + j];
    s += r;
    best = std::max(best, s);
  }
  return best;
}
// [A] associative +1
double best_bottom_strip(const double* a, int rows, int cols) {
  double best = 0;
  for (int i = 0; i < rows; ++i) {
    double r = 0;
    for (int j = 0; j < cols; ++j) r += a[i * cols + j];
    best = std::max(best + r, 0.0);
  }
  return best;
}
// [A] associative +2
double best_strip_of_rows(const double* a, int rows, int cols) {
  double here = 0, best = 0;
  for (int i = 0; i < rows; ++i) {
    double r = 0;
    for (int j = 0; j < cols; ++j) r += a[i * cols + j];
    here = std::max(here + r, 0.0);
    best = std::max(best, here);
  }
  return best;
}
// [H] associative +0
double max_of_row_minima(const double* a, int rows, int cols) {
  double best = -INFINITY;
  for (int i = 0; i < rows; ++i) {
    double lo = INFINITY;
    for (int j = 0; j < cols; ++j) lo = std::min(lo, a[i * cols + j]);
    best = std::max(best, lo);
  }
  return best;
}
// [H] associative +0
void column_sums(const double* a, double* out, int rows, int cols) {
  for (int j = 0; j < cols; ++j) out[j] = 0;
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < cols; ++j) out[j] += a[i * cols + j];
}
// [H] associative +0
std::vector<float> column_maxima(const float* a, std::size_t rows, std::size_t cols) {
  std::vector<float> m(cols, -INFINITY);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < cols; ++j) m[j] = std::max(m[j], a[i * cols + j]);
  return m;
}
// [H] associative +0
void column_minima(const int* a, int* lo, int rows, int cols) {
  for (int j = 0; j < cols; ++j) lo[j] = INT_MAX;
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < cols; ++j)
      if (a[i * cols + j] < lo[j]) lo[j] = a[i * cols + j];
}
// [H] associative +0
void matvec_transposed(const float* a, const float* x, float* y, int rows, int cols) {
  for (int j = 0; j < cols; ++j) y[j] = 0;
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < cols; ++j) y[j] += a[i * cols + j] * x[i];
}
// [H] associative +0
double quadratic_form(const double* a, const double* x, const double* y, int rows, int cols) {
  double s = 0;
  for (int i = 0; i < rows; ++i) {
    double t = 0;
    for (int j = 0; j < cols; ++j) t += a[i * cols + j] * y[j];
    s += x[i] * t;
  }
  return s;
}
// [A] associative +1: per column
void column_ema(const float* a, float* h, int rows, int cols, float keep) {
  for (int j = 0; j < cols; ++j) h[j] = 0;
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < cols; ++j) h[j] = keep * h[j] + a[i * cols + j];
}
// [A] associative +1
void gated_linear_state(const float* g, const float* kv, float* h, int rows, int cols) {
  for (int j = 0; j < cols; ++j) h[j] = 0;
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < cols; ++j) h[j] = g[i] * h[j] + kv[i * cols + j];
}
// [H] associative +0: a histogram of few keys
void histogram(const int* key, int n, int* count, int keys) {
  for (int k = 0; k < keys; ++k) count[k] = 0;
  for (int i = 0; i < n; ++i) ++count[key[i]];
}
// [H] associative +0
void weighted_histogram(const int* key, const double* w, int n, double* total, int keys) {
  for (int k = 0; k < keys; ++k) total[k] = 0;
  for (int i = 0; i < n; ++i) total[key[i]] += w[i];
}
// [H] associative +0
void maximum_per_key(const int* key, const double* v, int n, double* best, int keys) {
  for (int k = 0; k < keys; ++k) best[k] = -INFINITY;
  for (int i = 0; i < n; ++i) best[key[i]] = std::max(best[key[i]], v[i]);
}
// [A] associative +1: which keys were seen, for a value may be -1
void last_seen_per_key(const int* key, const int* v, int n, int* last, int keys) {
  for (int k = 0; k < keys; ++k) last[k] = -1;
  for (int i = 0; i < n; ++i) last[key[i]] = v[i];
}
// [A] associative +1
bool row_ranges_increase(const double* a, int rows, int cols) {
  bool ok = true;
  double prev = -INFINITY;
  for (int i = 0; i < rows; ++i) {
    double lo = INFINITY, hi = -INFINITY;
    for (int j = 0; j < cols; ++j) {
      lo = std::min(lo, a[i * cols + j]);
      hi = std::max(hi, a[i * cols + j]);
    }
    if (lo < prev) ok = false;
    prev = hi;
  }
  return ok;
}
// [H] associative +0
bool row_ranges_overlap(const double* a, int rows, int cols) {
  double from = -INFINITY, to = INFINITY;
  for (int i = 0; i < rows; ++i) {
    double lo = INFINITY, hi = -INFINITY;
    for (int j = 0; j < cols; ++j) {
      lo = std::min(lo, a[i * cols + j]);
      hi = std::max(hi, a[i * cols + j]);
    }
    from = std::max(from, lo);
    to = std::min(to, hi);
  }
  return from <= to;
}
// [H] associative +0
double saddle_gap(const double* a, int rows) {
  double c0 = INFINITY, c1 = INFINITY, c2 = INFINITY, best = -INFINITY;
  for (int i = 0; i < rows; ++i) {
    const double x = a[3 * i], y = a[3 * i + 1], z = a[3 * i + 2];
    c0 = std::min(c0, x);
    c1 = std::min(c1, y);
    c2 = std::min(c2, z);
    best = std::max(best, std::min(x, std::min(y, z)));
  }
  return std::max(c0, std::max(c1, c2)) - best;
}
// [H] associative +0
void centre_of_mass(const float* p, const float* mass, int n, float* out) {
  float x = 0, y = 0, z = 0, m = 0;
  for (int i = 0; i < n; ++i) {
    x += mass[i] * p[3 * i];
    y += mass[i] * p[3 * i + 1];
    z += mass[i] * p[3 * i + 2];
    m += mass[i];
  }
  out[0] = x / m;
  out[1] = y / m;
  out[2] = z / m;
}
// [H] associative +0
void online_attention(const float* q, const float* k, const float* v, float* o, int n, int d) {
  float m = -INFINITY, l = 0;
  for (int j = 0; j < d; ++j) o[j] = 0;
  for (int i = 0; i < n; ++i) {
    float s = 0;
    for (int j = 0; j < d; ++j) s += q[j] * k[i * d + j];
    const float next = std::max(m, s);
    const float c = std::exp(m - next), p = std::exp(s - next);
    l = l * c + p;
    for (int j = 0; j < d; ++j) o[j] = o[j] * c + p * v[i * d + j];
    m = next;
  }
  for (int j = 0; j < d; ++j) o[j] /= l;
}
// [A] associative +2: per column
double best_top_left_rectangle(const double* a, int rows, int cols) {
  std::vector<double> c(cols, 0.0);
  double best = 0;
  for (int i = 0; i < rows; ++i) {
    double s = 0;
    for (int j = 0; j < cols; ++j) {
      s += a[i * cols + j];
      c[j] += s;
      best = std::max(best, c[j]);
    }
  }
  return best;
}
// [H] associative +0
double best_left_strip(const double* a, int rows, int cols) {
  std::vector<double> c(cols, 0.0);
  for (int i = 0; i < rows; ++i) {
    double s = 0;
    for (int j = 0; j < cols; ++j) {
      s += a[i * cols + j];
      c[j] += s;
    }
  }
  double best = 0;
  for (int j = 0; j < cols; ++j) best = std::max(best, c[j]);
  return best;
}
// [H] associative +0
double sum_of_row_maxima(const std::vector<double>& a, int cols) {
  double s = 0;
  const int rows = static_cast<int>(a.size()) / cols;
  for (int i = 0; i < rows; ++i) {
    double m = -DBL_MAX;
    for (int j = 0; j < cols; ++j) m = std::max(m, a[i * cols + j]);
    s += m;
  }
  return s;
}
// [H] associative +0
double three_dimensional_sum(const double* a, int p, int q, int r) {
  double s = 0;
  for (int i = 0; i < p; ++i)
    for (int j = 0; j < q; ++j)
      for (int k = 0; k < r; ++k) s += a[(i * q + j) * r + k];
  return s;
}
// [H] associative +0
double three_dimensional_box(const double* a, int p, int q, int r) {
  double s = 0, best = 0;
  for (int i = 0; i < p; ++i) {
    for (int j = 0; j < q; ++j)
      for (int k = 0; k < r; ++k) s += a[(i * q + j) * r + k];
    best = std::max(best, s);
  }
  return best;
}
// [A] associative +2
bool rows_sorted_by_first_cell(const double* a, int rows, int cols) {
  bool ok = true;
  for (int i = 1; i < rows; ++i)
    if (a[i * cols] < a[(i - 1) * cols]) ok = false;
  return ok;
}
// [H] associative +0
double longest_vector(const float* x, int n, int d) {
  double best = 0;
  for (int i = 0; i < n; ++i) {
    double q = 0;
    for (int j = 0; j < d; ++j) q += x[i * d + j] * x[i * d + j];
    if (q > best) best = q;
  }
  return std::sqrt(best);
}
// [A] associative +1
int nearest_row(const float* x, const float* q, int n, int d) {
  double best = INFINITY;
  int at = -1;
  for (int i = 0; i < n; ++i) {
    double s = 0;
    for (int j = 0; j < d; ++j) s += (x[i * d + j] - q[j]) * (x[i * d + j] - q[j]);
    if (s < best) {
      best = s;
      at = i;
    }
  }
  return at;
}
