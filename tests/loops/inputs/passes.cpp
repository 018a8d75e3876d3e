// Several loops over one range, written one after the other as in the textbook.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <vector>

// [A] associative +3: count, mean and sum of squared deviations
double two_pass_variance(const double* x, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i) s += x[i];
  const double mean = s / n;
  double q = 0;
  for (int i = 0; i < n; ++i) q += (x[i] - mean) * (x[i] - mean);
  return q / n;
}
// [A] associative +3
double two_pass_deviation_accumulate(const std::vector<double>& x) {
  const double mean = std::accumulate(x.begin(), x.end(), 0.0) / x.size();
  const double q = std::accumulate(x.begin(), x.end(), 0.0, [mean](double a, double v) { return a + (v - mean) * (v - mean); });
  return std::sqrt(q / (x.size() - 1));
}
// [A] associative +4
double two_pass_skewness(const double* x, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i) s += x[i];
  const double mean = s / n;
  double m2 = 0, m3 = 0;
  for (int i = 0; i < n; ++i) {
    const double d = x[i] - mean;
    m2 += d * d;
    m3 += d * d * d;
  }
  m2 /= n;
  m3 /= n;
  return m3 / (m2 * std::sqrt(m2));
}
// [A] associative +5
double two_pass_kurtosis(const double* x, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i) s += x[i];
  const double mean = s / n;
  double m2 = 0, m4 = 0;
  for (int i = 0; i < n; ++i) {
    const double d = x[i] - mean, d2 = d * d;
    m2 += d2;
    m4 += d2 * d2;
  }
  return n * m4 / (m2 * m2);
}
// [A] associative +4
double two_pass_covariance(const double* x, const double* y, int n) {
  double sx = 0, sy = 0;
  for (int i = 0; i < n; ++i) {
    sx += x[i];
    sy += y[i];
  }
  const double mx = sx / n, my = sy / n;
  double c = 0;
  for (int i = 0; i < n; ++i) c += (x[i] - mx) * (y[i] - my);
  return c / (n - 1);
}
// [A] associative +6
double pearson(const double* x, const double* y, int n) {
  double mx = 0, my = 0;
  for (int i = 0; i < n; ++i) mx += x[i] / n;
  for (int i = 0; i < n; ++i) my += y[i] / n;
  double xy = 0, xx = 0, yy = 0;
  for (int i = 0; i < n; ++i) {
    xy += (x[i] - mx) * (y[i] - my);
    xx += (x[i] - mx) * (x[i] - mx);
    yy += (y[i] - my) * (y[i] - my);
  }
  return xy / std::sqrt(xx * yy);
}
// [H] associative +0: the maximum, then the sum
double safe_log_sum_exp(const double* x, int n) {
  double m = -INFINITY;
  for (int i = 0; i < n; ++i) m = std::max(m, x[i]);
  double s = 0;
  for (int i = 0; i < n; ++i) s += std::exp(x[i] - m);
  return m + std::log(s);
}
// [H] associative +0
void softmax(const float* x, float* y, int n) {
  float m = x[0];
  for (int i = 1; i < n; ++i)
    if (x[i] > m) m = x[i];
  float s = 0;
  for (int i = 0; i < n; ++i) s += std::exp(x[i] - m);
  for (int i = 0; i < n; ++i) y[i] = std::exp(x[i] - m) / s;
}
// [H] associative +0
void softmax_in_place_style(const float* x, float* y, int n) {
  const float m = *std::max_element(x, x + n);
  float s = 0;
  for (int i = 0; i < n; ++i) {
    y[i] = std::exp(x[i] - m);
    s += y[i];
  }
  for (int i = 0; i < n; ++i) y[i] /= s;
}
// [H] associative +0
void log_softmax(const float* x, float* y, int n) {
  float m = -INFINITY;
  for (int i = 0; i < n; ++i) m = std::fmax(m, x[i]);
  float s = 0;
  for (int i = 0; i < n; ++i) s += std::exp(x[i] - m);
  const float l = m + std::log(s);
  for (int i = 0; i < n; ++i) y[i] = x[i] - l;
}
// [H] associative +0
double cross_entropy(const float* logits, int n, int target) {
  double m = -INFINITY;
  for (int i = 0; i < n; ++i) m = std::max<double>(m, logits[i]);
  double s = 0, t = 0;
  for (int i = 0; i < n; ++i) {
    s += std::exp(logits[i] - m);
    if (i == target) t = logits[i];
  }
  return m + std::log(s) - t;
}
// [A] associative +1
double soft_label_cross_entropy(const double* logit, const double* p, int n) {
  double m = -INFINITY;
  for (int i = 0; i < n; ++i) m = std::max(m, logit[i]);
  double s = 0;
  for (int i = 0; i < n; ++i) s += std::exp(logit[i] - m);
  const double l = m + std::log(s);
  double loss = 0;
  for (int i = 0; i < n; ++i) loss -= p[i] * (logit[i] - l);
  return loss;
}
// [A] associative +1
double entropy_of_softmax(const double* x, int n) {
  double m = -INFINITY;
  for (int i = 0; i < n; ++i) m = std::max(m, x[i]);
  double z = 0;
  for (int i = 0; i < n; ++i) z += std::exp(x[i] - m);
  double h = 0;
  for (int i = 0; i < n; ++i) {
    const double p = std::exp(x[i] - m) / z;
    h -= p * (x[i] - m - std::log(z));
  }
  return h;
}
// [A] associative +1
double softmax_expectation(const double* s, const double* v, int n) {
  double m = -INFINITY;
  for (int i = 0; i < n; ++i) m = std::max(m, s[i]);
  double l = 0;
  for (int i = 0; i < n; ++i) l += std::exp(s[i] - m);
  double o = 0;
  for (int i = 0; i < n; ++i) o += std::exp(s[i] - m) / l * v[i];
  return o;
}
// [A] associative +2
void layer_norm(const float* x, const float* g, const float* b, float* y, int n) {
  float mean = 0;
  for (int i = 0; i < n; ++i) mean += x[i];
  mean /= n;
  float var = 0;
  for (int i = 0; i < n; ++i) var += (x[i] - mean) * (x[i] - mean);
  var /= n;
  const float r = 1 / std::sqrt(var + 1e-5f);
  for (int i = 0; i < n; ++i) y[i] = (x[i] - mean) * r * g[i] + b[i];
}
// [A] associative +4
double layer_norm_dot(const double* x, const double* w, int n) {
  double mean = 0;
  for (int i = 0; i < n; ++i) mean += x[i];
  mean /= n;
  double var = 0;
  for (int i = 0; i < n; ++i) var += (x[i] - mean) * (x[i] - mean);
  const double r = 1 / std::sqrt(var / n + 1e-6);
  double s = 0;
  for (int i = 0; i < n; ++i) s += (x[i] - mean) * r * w[i];
  return s;
}
// [A] associative +4
void layer_norm_matvec(const float* x, const float* w, float* out, int n, int d) {
  float mean = 0, var = 0;
  for (int i = 0; i < n; ++i) mean += x[i];
  mean /= n;
  for (int i = 0; i < n; ++i) var += (x[i] - mean) * (x[i] - mean);
  var /= n;
  for (int j = 0; j < d; ++j) out[j] = 0;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < d; ++j) out[j] += (x[i] - mean) / std::sqrt(var + 1e-5f) * w[i * d + j];
}
// [A] associative +1
double rms_norm_dot(const double* x, const double* w, int n) {
  double q = 0;
  for (int i = 0; i < n; ++i) q += x[i] * x[i];
  const double r = 1 / std::sqrt(q / n + 1e-6);
  double s = 0;
  for (int i = 0; i < n; ++i) s += x[i] * r * w[i];
  return s;
}
// [H] associative +1
void rms_norm(const float* x, const float* g, float* y, int n) {
  float q = 0;
  for (int i = 0; i < n; ++i) q += x[i] * x[i];
  const float r = 1 / std::sqrt(q / n + 1e-6f);
  for (int i = 0; i < n; ++i) y[i] = x[i] * r * g[i];
}
// [A] associative +1
void rms_norm_matvec(const float* x, const float* w, float* out, int n, int d) {
  float q = 0;
  for (int i = 0; i < n; ++i) q += x[i] * x[i];
  const float r = 1 / std::sqrt(q / n + 1e-6f);
  for (int j = 0; j < d; ++j) out[j] = 0;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < d; ++j) out[j] += x[i] * r * w[i * d + j];
}
// [A] associative +1
double attention_one_value(const float* q, const float* k, const float* v, int n, int d) {
  double m = -INFINITY;
  for (int i = 0; i < n; ++i) {
    double s = 0;
    for (int j = 0; j < d; ++j) s += q[j] * k[i * d + j];
    m = std::max(m, s);
  }
  double l = 0, o = 0;
  for (int i = 0; i < n; ++i) {
    double s = 0;
    for (int j = 0; j < d; ++j) s += q[j] * k[i * d + j];
    l += std::exp(s - m);
    o += std::exp(s - m) * v[i];
  }
  return o / l;
}
// [H] associative +0
void attention_rows(const float* q, const float* k, const float* v, float* out, int n, int d) {
  std::vector<float> s(n);
  float m = -INFINITY;
  for (int i = 0; i < n; ++i) {
    float dot = 0;
    for (int j = 0; j < d; ++j) dot += q[j] * k[i * d + j];
    s[i] = dot * 0.125f;
    m = std::max(m, s[i]);
  }
  float l = 0;
  for (int i = 0; i < n; ++i) l += std::exp(s[i] - m);
  for (int j = 0; j < d; ++j) out[j] = 0;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < d; ++j) out[j] += std::exp(s[i] - m) / l * v[i * d + j];
}
// [H] associative +0: a sink adds one score
double attention_sink(const double* s, const double* v, int n, double sink) {
  double m = sink;
  for (int i = 0; i < n; ++i) m = std::max(m, s[i]);
  double l = std::exp(sink - m);
  for (int i = 0; i < n; ++i) l += std::exp(s[i] - m);
  double o = 0;
  for (int i = 0; i < n; ++i) o += std::exp(s[i] - m) / l * v[i];
  return o;
}
// [H] associative +0: off by one
double attention_off_by_one(const double* s, const double* v, int n) {
  double m = 0;
  for (int i = 0; i < n; ++i) m = std::max(m, s[i]);
  double l = std::exp(-m), o = 0;
  for (int i = 0; i < n; ++i) {
    l += std::exp(s[i] - m);
    o += std::exp(s[i] - m) * v[i];
  }
  return o / l;
}
// [H] associative +0
double attention_softcap(const double* s, const double* v, int n, double cap) {
  double m = -INFINITY;
  for (int i = 0; i < n; ++i) m = std::max(m, cap * std::tanh(s[i] / cap));
  double l = 0, o = 0;
  for (int i = 0; i < n; ++i) {
    const double p = std::exp(cap * std::tanh(s[i] / cap) - m);
    l += p;
    o += p * v[i];
  }
  return o / l;
}
// [H] associative +0: a bias by distance
double attention_alibi(const double* s, const double* v, int n, double slope, int at) {
  double m = -INFINITY;
  for (int i = 0; i < n; ++i) m = std::max(m, s[i] - slope * (at - i));
  double l = 0, o = 0;
  for (int i = 0; i < n; ++i) {
    const double p = std::exp(s[i] - slope * (at - i) - m);
    l += p;
    o += p * v[i];
  }
  return o / l;
}
// [H] associative +0: masked to a window
double attention_window(const double* s, const double* v, int n, int at, int width) {
  double m = -1e30;
  for (int i = 0; i < n; ++i)
    if (i <= at && at - i < width) m = std::max(m, s[i]);
  double l = 0, o = 0;
  for (int i = 0; i < n; ++i) {
    if (i > at || at - i >= width) continue;
    const double p = std::exp(s[i] - m);
    l += p;
    o += p * v[i];
  }
  return l > 0 ? o / l : 0;
}
// [A] associative +1: two softmaxes; with lambda 1, (0, 0, 0) and (0, 0, 1) end alike, and after (0, 1, 0) the results differ
double differential_attention(const double* s, const double* t, const double* v, int n, double lambda) {
  double m1 = -INFINITY, m2 = -INFINITY;
  for (int i = 0; i < n; ++i) {
    m1 = std::max(m1, s[i]);
    m2 = std::max(m2, t[i]);
  }
  double l1 = 0, l2 = 0;
  for (int i = 0; i < n; ++i) {
    l1 += std::exp(s[i] - m1);
    l2 += std::exp(t[i] - m2);
  }
  double o = 0;
  for (int i = 0; i < n; ++i) o += (std::exp(s[i] - m1) / l1 - lambda * std::exp(t[i] - m2) / l2) * v[i];
  return o;
}
struct route {
  float first = -INFINITY, second = -INFINITY, weight = 0;
};
// [H] associative +0: softmax and the two best
route moe_routing(const float* x, int n) {
  float m = -INFINITY, s = 0;
  for (int i = 0; i < n; ++i) m = std::max(m, x[i]);
  for (int i = 0; i < n; ++i) s += std::exp(x[i] - m);
  route r;
  for (int i = 0; i < n; ++i) {
    if (x[i] > r.first) {
      r.second = r.first;
      r.first = x[i];
    } else if (x[i] > r.second) {
      r.second = x[i];
    }
  }
  r.weight = std::exp(r.first - m) / s;
  return r;
}
// [H] associative +0
double performer_product(const double* t, const double* v, int n, double beta) {
  double m = -INFINITY;
  for (int i = 0; i < n; ++i) m = std::max(m, t[i]);
  double z = 0, o = 0;
  for (int i = 0; i < n; ++i) {
    const double f = std::exp(t[i] - m - beta * t[i] * t[i]);
    z += f;
    o += f * v[i];
  }
  return o / z;
}
// [H] associative +0
double absmax_scaled_dot(const double* x, const double* w, int n) {
  double m = 0;
  for (int i = 0; i < n; ++i) m = std::max(m, std::abs(x[i]));
  double s = 0;
  for (int i = 0; i < n; ++i) s += x[i] * 127 / m * w[i];
  return s * m / 127;
}
// [A] associative +2: the count, and the plain sum in place of s. 0, 1 and 0, 0, 1 end alike (0, 1, 1), and after -1 the sums are 3/2 and 2
double min_max_scaled_mean(const double* x, int n) {
  double lo = INFINITY, hi = -INFINITY;
  for (int i = 0; i < n; ++i) {
    lo = std::min(lo, x[i]);
    hi = std::max(hi, x[i]);
  }
  double s = 0;
  for (int i = 0; i < n; ++i) s += (x[i] - lo) / (hi - lo);
  return s / n;
}
// [A] associative +2
void standardise(const double* x, double* y, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i) s += x[i];
  const double mean = s / n;
  double q = 0;
  for (int i = 0; i < n; ++i) q += (x[i] - mean) * (x[i] - mean);
  const double sd = std::sqrt(q / n);
  for (int i = 0; i < n; ++i) y[i] = (x[i] - mean) / sd;
}
// [A] associative +5
double least_squares_residual(const double* x, const double* y, int n) {
  double sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (int i = 0; i < n; ++i) {
    sx += x[i];
    sy += y[i];
    sxx += x[i] * x[i];
    sxy += x[i] * y[i];
  }
  const double b = (n * sxy - sx * sy) / (n * sxx - sx * sx), a = (sy - b * sx) / n;
  double r = 0;
  for (int i = 0; i < n; ++i) r += (y[i] - a - b * x[i]) * (y[i] - a - b * x[i]);
  return r;
}
// [A] associative +1
double count_above_nothing_known(const double* x, const double* y, int n) {
  double total = 0;
  for (int i = 0; i < n; ++i) total += y[i];
  double s = 0;
  for (int i = 0; i < n; ++i) s += x[i] * total;
  return s;
}
// [N] not_associative, witness: quantised by the maximum of the whole
double quantised_dot(const double* x, const double* w, int n) {
  double m = 0;
  for (int i = 0; i < n; ++i) m = std::max(m, std::abs(x[i]));
  double s = 0;
  for (int i = 0; i < n; ++i) s += std::round(x[i] / m * 4) * w[i];
  return s;
}
// [N] not_associative, witness: absolute deviations need all elements
double mean_absolute_deviation(const double* x, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i) s += x[i];
  const double mean = s / n;
  double d = 0;
  for (int i = 0; i < n; ++i) d += std::abs(x[i] - mean);
  return d / n;
}
// [N] not_associative, witness
int how_many_above_average(const double* x, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i) s += x[i];
  int k = 0;
  for (int i = 0; i < n; ++i)
    if (x[i] > s / n) ++k;
  return k;
}
// [N] not_associative, witness
double huber_about_mean(const double* x, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i) s += x[i];
  const double mean = s / n;
  double loss = 0;
  for (int i = 0; i < n; ++i) {
    const double d = std::abs(x[i] - mean);
    loss += d < 1 ? 0.5 * d * d : d - 0.5;
  }
  return loss;
}
// [N] not_associative, witness
int within_two_of_the_largest(const int* x, int n) {
  int m = x[0];
  for (int i = 1; i < n; ++i) m = std::max(m, x[i]);
  int k = 0;
  for (int i = 0; i < n; ++i) k += m - x[i] <= 2;
  return k;
}
