// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Loops over real numbers, in many hands' idioms: compiled into the test and read by the front end.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <memory>
#include <numeric>
#include <span>
#include <vector>

struct welford_result {
  double mean, variance;
};
struct softmax_state {
  float m = -INFINITY;
  float l = 0;
};
struct accumulator {
  double total = 0;
  int n = 0;
  void add(double x) { total += x; ++n; }
  double mean() const { return n > 0 ? total / n : 0.0; }
};

float online_softmax(const float* x, std::size_t n) {
  float m = -INFINITY, l = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const float next = std::max(m, x[i]);
    l = l * std::exp(m - next) + std::exp(x[i] - next);
    m = next;
  }
  return l;
}
float online_softmax_branch(const float* x, int n) {
  softmax_state s;
  for (int i = 0; i < n; i++) {
    if (x[i] > s.m) {
      s.l = s.l * std::exp(s.m - x[i]) + 1.0f;
      s.m = x[i];
    } else {
      s.l += std::exp(x[i] - s.m);
    }
  }
  return s.l;
}
void softmax_three_walks(const float* x, float* out, int n) {
  float m = x[0];
  for (int i = 1; i < n; i++)
    if (x[i] > m) m = x[i];
  float sum = 0.0f;
  for (int i = 0; i < n; i++) {
    out[i] = expf(x[i] - m);
    sum += out[i];
  }
  for (int i = 0; i < n; i++) out[i] /= sum;
}
void softmax_in_place(double* x, int n) {
  double m = -HUGE_VAL;
  for (int i = 0; i < n; ++i) m = std::fmax(m, x[i]);
  double l = 0;
  for (int i = 0; i < n; ++i) {
    x[i] = std::exp(x[i] - m);
    l += x[i];
  }
  for (int i = 0; i < n; ++i) x[i] = x[i] / l;
}
double log_sum_exp_numeric(const std::vector<double>& x) {
  const double m = *std::max_element(x.begin(), x.end());
  const double s = std::transform_reduce(x.begin(), x.end(), 0.0, std::plus<>(), [m](double v) { return std::exp(v - m); });
  return m + std::log(s);
}
welford_result welford(const double* x, std::size_t n) {
  std::size_t count = 0;
  double mean = 0, m2 = 0;
  for (std::size_t i = 0; i < n; ++i) {
    ++count;
    const double delta = x[i] - mean;
    mean += delta / static_cast<double>(count);
    m2 += delta * (x[i] - mean);
  }
  return {mean, m2 / static_cast<double>(count)};
}
double welford_by_index(const double* x, int n) {
  double mean = 0;
  for (int i = 0; i < n; ++i) mean += (x[i] - mean) / (i + 1);
  return mean;
}
double variance_two_walks(std::span<const double> x) {
  const double mean = std::accumulate(x.begin(), x.end(), 0.0) / static_cast<double>(x.size());
  double s = 0;
  for (const double& v : x) {
    const double d = v - mean;
    s += d * d;
  }
  return s / static_cast<double>(x.size());
}
double mean_of_struct(const double* x, int n) {
  accumulator a;
  for (const double* p = x; p != x + n; ++p) a.add(*p);
  return a.mean();
}
void ema(const float* x, float* y, int n, float a) {
  float s = 0;
  for (int i = 0; i < n; ++i) y[i] = s = a * s + (1 - a) * x[i];
}
double ema_from_first(const double* x, int n, double a) {
  double s = x[0];
  for (int i = 1; i < n; ++i) s = a * x[i] + (1 - a) * s;
  return s;
}
double horner_pointer(const double* c, int n, double x) {
  double v = 0;
  const double* const end = c + n;
  while (c < end) v = v * x + *c++;
  return v;
}
double horner_reverse(const double* c, int n, double x) {
  double v = 0;
  for (int i = n - 1; i >= 0; --i) v = v * x + c[i];
  return v;
}
double reverse_unsigned(const double* c, std::size_t n, double x) {
  double v = 0;
  for (std::size_t i = n; i-- > 0;) v = v * x + c[i];
  return v;
}
double dot(const double* a, const double* b, std::size_t n) { return std::inner_product(a, a + n, b, 0.0); }
float dot_iterators(const std::vector<float>& a, const std::vector<float>& b) {
  float s = 0;
  auto j = b.begin();
  for (auto i = a.begin(); i != a.end(); ++i, ++j) s += *i * *j;
  return s;
}
double total_variation(const double* x, int n) {
  double s = 0, prev = x[0];
  for (int i = 1; i < n; ++i) {
    s += std::fabs(x[i] - prev);
    prev = x[i];
  }
  return s;
}
double total_variation_flag(const double* x, int n) {
  double s = 0, prev = 0;
  for (int i = 0; i < n; ++i) {
    if (i == 0) prev = x[0];
    s += std::abs(x[i] - prev);
    prev = x[i];
  }
  return s;
}
double trapezoid(const double* x, const double* y, int n) {
  double area = 0;
  for (int i = 0; i + 1 < n; ++i) area += 0.5 * (x[i + 1] - x[i]) * (y[i] + y[i + 1]);
  return area;
}
float quantised(const float* x, const float* w, int n) {
  float scale = 0, acc = 0;
  for (int i = 0; i < n; ++i) {
    scale = std::max(scale, std::fabs(x[i]));
    if (scale > 0) acc += std::round(x[i] / scale * 127.0f) * w[i];
  }
  return acc * scale / 127.0f;
}
double range_of(const double* x, int n) {
  double lo = std::numeric_limits<double>::infinity(), hi = -lo;
  for (int i = 0; i < n; ++i) lo = std::min(lo, x[i]), hi = std::max(hi, x[i]);
  return hi - lo;
}
void range_out(const double* x, int n, double& lo, double* hi) {
  lo = x[0];
  *hi = x[0];
  for (int i = 1; i < n; ++i) {
    if (x[i] < lo) lo = x[i];
    if (x[i] > *hi) *hi = x[i];
  }
}
int argmax(const double* x, int n) {
  int at = 0;
  double best = x[0];
  for (int i = 1; i < n; ++i)
    if (x[i] > best) {
      best = x[i];
      at = i;
    }
  return at;
}
double clamp_walk(const double* x, int n) {
  double h = 0;
  for (int i = 0; i < n; ++i) h = std::clamp(h + x[i], -2.0, 2.0);
  return h;
}
double sum_until_negative(const double* x, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i) {
    if (x[i] < 0) break;
    s += x[i];
  }
  return s;
}
double first_above(const double* x, int n, double limit) {
  for (int i = 0; i < n; ++i)
    if (x[i] > limit) return x[i];
  return -1;
}
double skip_negative(const double* x, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i) {
    if (x[i] < 0) continue;
    s += std::sqrt(x[i]);
  }
  return s;
}
double lambda_sum(const double* x, int n, double c) {
  double s = 0;
  const auto f = [c, &s](double v) { s += v > c ? v - c : 0.0; };
  for (int i = 0; i < n; ++i) f(x[i]);
  return s;
}
template <class T>
static T square(T v) { return v * v; }
float norm(const float* x, int n) {
  float s = 0;
  for (int i = 0; i < n; ++i) s += square(x[i]);
  return std::sqrt(s);
}
void attention(const float* q, const float* k, const float* v, float* o, int n, int d) {
  std::vector<float> s(n);
  float m = -INFINITY;
  for (int i = 0; i < n; ++i) {
    float dot = 0;
    for (int j = 0; j < d; ++j) dot += q[j] * k[i * d + j];
    s[i] = dot / std::sqrt(static_cast<float>(d));
    m = std::max(m, s[i]);
  }
  float l = 0;
  for (int i = 0; i < n; ++i) {
    s[i] = std::exp(s[i] - m);
    l += s[i];
  }
  for (int j = 0; j < d; ++j) o[j] = 0;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < d; ++j) o[j] += s[i] / l * v[i * d + j];
}
void attention_online(const float* q, const float* k, const float* v, float* o, int n, int d) {
  float m = -INFINITY, l = 0;
  auto acc = std::make_unique<float[]>(d);
  for (int i = 0; i < n; ++i) {
    const float* ki = k + i * d;
    const float* vi = v + i * d;
    float s = 0;
    for (int j = 0; j < d; ++j) s += q[j] * ki[j];
    const float next = std::max(m, s), c = std::exp(m - next), p = std::exp(s - next);
    l = l * c + p;
    for (int j = 0; j < d; ++j) acc[j] = acc[j] * c + p * vi[j];
    m = next;
  }
  for (int j = 0; j < d; ++j) o[j] = acc[j] / l;
}
double matrix_sum(const double* a, int n, int d) {
  double s = 0;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < d; ++j) s += a[i * d + j];
  return s;
}
double max_of_row_minima(const double* a, int n, int d) {
  double best = -INFINITY;
  for (int i = 0; i < n; ++i) {
    double low = INFINITY;
    for (int j = 0; j < d; ++j) low = std::min(low, a[i * d + j]);
    best = std::max(best, low);
  }
  return best;
}
void column_means(const double* a, double* mean, int n, int d) {
  for (int j = 0; j < d; ++j) mean[j] = 0;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < d; ++j) mean[j] += a[i * d + j];
  for (int j = 0; j < d; ++j) mean[j] /= n;
}
double pairs(const double* xy, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i) s += xy[2 * i] * xy[2 * i + 1];
  return s;
}
void prefix_sum(const double* x, double* out, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i) {
    out[i] = s;
    s += x[i];
  }
}
void normalise(const double* x, double* out, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i) s += x[i] * x[i];
  const double scale = s > 0 ? 1 / std::sqrt(s) : 0;
  for (int i = 0; i < n; ++i) out[i] = x[i] * scale;
}
float mixed_precision(const float* x, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i) s += static_cast<double>(x[i]) * x[i];
  return static_cast<float>(s / n);
}
float makes_no_difference(const float* x, int n) {
  float m = -INFINITY, l = 0;
  for (int i = 0; i < n; ++i) {
    const float next = std::max(m, x[i]);
    const float c = m == -INFINITY ? 0.0f : std::exp(m - next);
    l = l * c + std::exp(x[i] - next);
    m = next;
  }
  return m == -INFINITY ? 0.0f : l;
}
float tells_the_first(const float* x, int n) {
  float m = -INFINITY, s = 0;
  for (int i = 0; i < n; ++i) {
    if (m == -INFINITY) s = 100;
    else s += x[i];
    m = std::max(m, x[i]);
  }
  return s;
}
float masked_softmax(const float* x, const bool* k, int n) {
  float m = -INFINITY, l = 0;
  for (int i = 0; i < n; ++i) {
    if (!k[i]) continue;
    const float next = std::max(m, x[i]);
    l = (std::isinf(m) ? 0.0f : l * std::exp(m - next)) + std::exp(x[i] - next);
    m = next;
  }
  return std::isinf(m) ? -1.0f : l;
}
double lowest_positive(const double* x, int n) {
  double lo = INFINITY;
  for (int i = 0; i < n; ++i)
    if (x[i] > 0) lo = std::min(lo, x[i]);
  return lo < INFINITY ? lo : 0;
}
void ema_through_memory(const float* x, float* y, int n, float a) {
  y[0] = x[0];
  for (int i = 1; i < n; ++i) y[i] = a * x[i] + (1 - a) * y[i - 1];
}
void prefix_through_memory(const double* x, double* y, int n) {
  y[0] = x[0];
  for (int i = 1; i < n; ++i) y[i] = y[i - 1] + x[i];
}
void prefix_in_place(double* x, int n) {
  for (int i = 1; i < n; ++i) x[i] += x[i - 1];
}
void suffix_through_memory(const double* x, double* y, int n) {
  y[n - 1] = x[n - 1];
  for (int i = n - 2; i >= 0; --i) y[i] = y[i + 1] + x[i];
}
void decayed_past(const double* x, double* y, int n) {
  y[0] = 2;
  for (int i = 1; i < n; ++i) y[i] = 0.5 * y[i - 1] + x[i - 1];
}
double places_of_row_maxima(const double* a, int n, int d) {
  double s = 0;
  for (int i = 0; i < n; ++i) {
    double best = 0;
    int at = 0;
    for (int j = 0; j < d; ++j)
      if (a[i * d + j] > best) {
        best = a[i * d + j];
        at = j;
      }
    s += at;
  }
  return s;
}
double best_left_strip(const double* a, int n, int d) {
  std::vector<double> c(d, 0.0);
  for (int i = 0; i < n; ++i) {
    double s = 0;
    for (int j = 0; j < d; ++j) {
      s += a[i * d + j];
      c[j] += s;
    }
  }
  double best = 0;
  for (int j = 0; j < d; ++j) best = std::max(best, c[j]);
  return best;
}
double best_top_left_rectangle(const double* a, int n, int d) {
  std::vector<double> c(d, 0.0);
  double best = 0;
  for (int i = 0; i < n; ++i) {
    double s = 0;
    for (int j = 0; j < d; ++j) {
      s += a[i * d + j];
      c[j] += s;
      best = std::max(best, c[j]);
    }
  }
  return best;
}
