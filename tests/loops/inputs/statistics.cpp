// Running moments and other carriers of statistics.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

struct moments {
  double n = 0, mean = 0, m2 = 0;
};
// [H] associative +0
moments welford(const double* x, int n) {
  moments s;
  for (int i = 0; i < n; ++i) {
    s.n += 1;
    const double d = x[i] - s.mean;
    s.mean += d / s.n;
    s.m2 += d * (x[i] - s.mean);
  }
  return s;
}
// [H] associative +0
double welford_scalars(std::span<const double> x) {
  long n = 0;
  double mean = 0, m2 = 0;
  for (double v : x) {
    ++n;
    const double delta = v - mean;
    mean += delta / n;
    m2 += delta * (v - mean);
  }
  return n > 1 ? m2 / (n - 1) : 0.0;
}
// [H] associative +0: the count is the index
double running_mean(const double* x, int n) {
  double mean = 0;
  for (int i = 0; i < n; ++i) mean += (x[i] - mean) / (i + 1);
  return mean;
}
// [H] associative +0
double running_mean_old_weights(const double* x, int n) {
  double mean = 0;
  int k = 0;
  for (int i = 0; i < n; ++i) {
    mean = (mean * k + x[i]) / (k + 1);
    ++k;
  }
  return mean;
}
// [H] associative +0
double weighted_welford(const double* x, const double* w, int n) {
  double sum = 0, mean = 0, s = 0;
  for (int i = 0; i < n; ++i) {
    if (!(w[i] > 0)) continue;
    sum += w[i];
    const double d = x[i] - mean;
    mean += w[i] / sum * d;
    s += w[i] * d * (x[i] - mean);
  }
  return s / sum;
}
// [H] associative +0
double running_covariance(const double* x, const double* y, int n) {
  double k = 0, mx = 0, my = 0, c = 0;
  for (int i = 0; i < n; ++i) {
    k += 1;
    const double dx = x[i] - mx;
    mx += dx / k;
    my += (y[i] - my) / k;
    c += dx * (y[i] - my);
  }
  return c / k;
}
// [H] associative +0
double running_correlation(const double* x, const double* y, int n) {
  double k = 0, mx = 0, my = 0, cxy = 0, cxx = 0, cyy = 0;
  for (int i = 0; i < n; ++i) {
    k += 1;
    const double dx = x[i] - mx, dy = y[i] - my;
    mx += dx / k;
    my += dy / k;
    cxx += dx * (x[i] - mx);
    cyy += dy * (y[i] - my);
    cxy += dx * (y[i] - my);
  }
  return cxy / std::sqrt(cxx * cyy);
}
// [H] associative +0
double running_skewness(const double* x, int n) {
  double k = 0, mean = 0, m2 = 0, m3 = 0;
  for (int i = 0; i < n; ++i) {
    const double before = k;
    k += 1;
    const double d = x[i] - mean, dn = d / k;
    const double t = d * dn * before;
    mean += dn;
    m3 += t * dn * (k - 2) - 3 * dn * m2;
    m2 += t;
  }
  return std::sqrt(k) * m3 / std::pow(m2, 1.5);
}
// [H] associative +0
double sum_of_squares_variance(const double* x, int n) {
  double s = 0, q = 0;
  for (int i = 0; i < n; ++i) {
    s += x[i];
    q += x[i] * x[i];
  }
  return (q - s * s / n) / (n - 1);
}
// [H] associative +0
double shifted_variance(const double* x, int n, double guess) {
  double s = 0, q = 0;
  for (int i = 0; i < n; ++i) {
    const double d = x[i] - guess;
    s += d;
    q += d * d;
  }
  return (q - s * s / n) / n;
}
// [H] associative +0
double log_sum_exp_pair(const double* x, int n) {
  double m = -INFINITY, d = 0;
  for (int i = 0; i < n; ++i) {
    if (x[i] <= m) {
      d += std::exp(x[i] - m);
    } else {
      d = d * std::exp(m - x[i]) + 1;
      m = x[i];
    }
  }
  return m + std::log(d);
}
// [H] associative +0
float softmax_denominator(const float* x, int n) {
  float m = -INFINITY, l = 0;
  for (int i = 0; i < n; ++i) {
    const float next = std::max(m, x[i]);
    l = l * std::exp(m - next) + std::exp(x[i] - next);
    m = next;
  }
  return l;
}
// [H] associative +0
double log_add(const double* x, int n) {
  double a = x[0];
  for (int i = 1; i < n; ++i) {
    const double hi = std::max(a, x[i]), lo = std::min(a, x[i]);
    a = hi + std::log1p(std::exp(lo - hi));
  }
  return a;
}
// [H] associative +0
double log_sum_exp_plain(const double* x, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i) s += std::exp(x[i]);
  return std::log(s);
}
// [H] associative +0
double logit_pooling(const double* x, int n, double t) {
  double s = 0;
  for (int i = 0; i < n; ++i) s += std::exp(x[i] / t);
  return t * std::log(s / n);
}
// [H] associative +0
double scaled_norm(const double* x, int n) {
  double scale = 0, ssq = 1;
  for (int i = 0; i < n; ++i) {
    if (x[i] != 0) {
      const double a = std::abs(x[i]);
      if (scale < a) {
        ssq = 1 + ssq * (scale / a) * (scale / a);
        scale = a;
      } else {
        ssq += (a / scale) * (a / scale);
      }
    }
  }
  return scale * std::sqrt(ssq);
}
// [H] associative +0
double expectation_under_softmax(const double* s, const double* v, int n) {
  double m = -INFINITY, l = 0, o = 0;
  for (int i = 0; i < n; ++i) {
    const double next = std::fmax(m, s[i]);
    const double keep = std::exp(m - next), w = std::exp(s[i] - next);
    l = l * keep + w;
    o = o * keep + w * v[i];
    m = next;
  }
  return o / l;
}
// [H] associative +0: normalised at every step
double normalised_expectation(const double* s, const double* v, int n) {
  double m = -INFINITY, l = 0, o = 0;
  for (int i = 0; i < n; ++i) {
    const double next = std::max(m, s[i]);
    const double old = l * std::exp(m - next), w = std::exp(s[i] - next);
    o = (o * old + w * v[i]) / (old + w);
    l = old + w;
    m = next;
  }
  return o;
}
// [H] associative +0
double weighted_harmonic(const double* x, const double* w, int n) {
  double a = 0, b = 0;
  for (int i = 0; i < n; ++i) {
    a += w[i];
    b += w[i] / x[i];
  }
  return a / b;
}
// [H] associative +0
double pooled_rate(const int* events, const double* exposure, int n) {
  long e = 0;
  double t = 0;
  for (int i = 0; i < n; ++i) {
    e += events[i];
    t += exposure[i];
  }
  return e / t;
}
// [H] associative +0
double squared_error(const std::vector<float>& a, const std::vector<float>& b) {
  double s = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double d = a[i] - b[i];
    s += d * d;
  }
  return s / a.size();
}
// [H] associative +0
double cosine_similarity(const float* a, const float* b, int n) {
  float ab = 0, aa = 0, bb = 0;
  for (int i = 0; i < n; ++i) {
    ab += a[i] * b[i];
    aa += a[i] * a[i];
    bb += b[i] * b[i];
  }
  return ab / (std::sqrt(aa) * std::sqrt(bb));
}
// [H] associative +0
double bernoulli_log_loss(const double* p, const int* y, int n) {
  double loss = 0;
  for (int i = 0; i < n; ++i) loss -= y[i] ? std::log(p[i]) : std::log(1 - p[i]);
  return loss / n;
}
// [H] associative +0
double r_squared(const double* y, const double* f, int n) {
  double s = 0, q = 0, r = 0;
  for (int i = 0; i < n; ++i) {
    s += y[i];
    q += y[i] * y[i];
    r += (y[i] - f[i]) * (y[i] - f[i]);
  }
  return 1 - r / (q - s * s / n);
}
// [H] associative +0
double mean_of_means_by_struct(const std::vector<double>& x) {
  struct {
    double total = 0;
    int count = 0;
    void add(double v) {
      total += v;
      ++count;
    }
  } acc;
  for (double v : x) acc.add(v);
  return acc.count ? acc.total / acc.count : 0.0;
}
// [A] associative +1: the first
double total_variation(const double* x, int n) {
  double s = 0;
  for (int i = 1; i < n; ++i) s += std::abs(x[i] - x[i - 1]);
  return s;
}
// [A] associative +1
double total_variation_previous(const double* x, int n) {
  double s = 0, prev = 0;
  for (int i = 0; i < n; ++i) {
    s += std::fabs(x[i] - prev);
    prev = x[i];
  }
  return s;
}
// [A] associative +2
double trapezoid_area(const double* t, const double* y, int n) {
  double a = 0;
  for (int i = 1; i < n; ++i) a += 0.5 * (y[i] + y[i - 1]) * (t[i] - t[i - 1]);
  return a;
}
// [A] associative +1
double lag_one_products(const double* x, int n) {
  double s = 0;
  for (int i = 1; i < n; ++i) s += x[i] * x[i - 1];
  return s;
}
// [A] associative +2
double polygon_area(const double* x, const double* y, int n) {
  double a = 0;
  for (int i = 1; i < n; ++i) a += x[i - 1] * y[i] - x[i] * y[i - 1];
  return a / 2;
}
// [A] associative +1
double sum_before_zeros(const int* x, int n) {
  int prev = 0;
  double s = 0;
  for (int i = 0; i < n; ++i) {
    if (x[i] == 0) s += prev;
    prev = x[i];
  }
  return s;
}
// [A] associative +1
bool is_sorted_previous(const int* x, int n) {
  bool ok = true;
  int prev = -2147483647 - 1;
  for (int i = 0; i < n; ++i) {
    ok = ok && prev <= x[i];
    prev = x[i];
  }
  return ok;
}
// [A] associative +1
bool is_sorted_neighbours(const std::vector<double>& x) {
  for (std::size_t i = 1; i < x.size(); ++i)
    if (x[i] < x[i - 1]) return false;
  return true;
}
// [A] associative +1
double largest_jump(const double* x, int n) {
  double m = 0;
  for (int i = 1; i < n; ++i) m = std::max(m, std::abs(x[i] - x[i - 1]));
  return m;
}
// [A] associative +2: the first point. A piece leads (l, p) to (l + |first − p| + rest, last): five numbers, three of them carried
double path_length(const double* x, const double* y, int n) {
  double l = 0, px = x[0], py = y[0];
  for (int i = 1; i < n; ++i) {
    l += std::sqrt((x[i] - px) * (x[i] - px) + (y[i] - py) * (y[i] - py));
    px = x[i];
    py = y[i];
  }
  return l;
}
// [A] associative +2
int increasing_pairs_minus_decreasing(const double* x, int n) {
  int up = 0, down = 0;
  double last = x[0];
  for (int i = 1; i < n; ++i) {
    if (x[i] > last) ++up;
    if (x[i] < last) ++down;
    last = x[i];
  }
  return up - down;
}
// [A] associative +3
double second_difference_energy(const double* x, int n) {
  double e = 0;
  for (int i = 2; i < n; ++i) {
    const double d = x[i] - 2 * x[i - 1] + x[i - 2];
    e += d * d;
  }
  return e;
}
// [A] associative +1: the length
double index_weighted_sum(const double* x, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i) s += i * x[i];
  return s;
}
// [A] associative +1: the parity of the length
double alternating_sum(const double* x, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i) s += i % 2 == 0 ? x[i] : -x[i];
  return s;
}
// [A] associative +1
double alternating_sum_by_sign(const double* x, int n) {
  double s = 0, sign = 1;
  for (int i = 0; i < n; ++i) {
    s += sign * x[i];
    sign = -sign;
  }
  return s;
}
// [A] associative +2: sums of the powers below
double centroid_of_index(const double* mass, int n) {
  double m = 0, first = 0;
  for (int i = 0; i < n; ++i) {
    m += mass[i];
    first += mass[i] * i;
  }
  return first / m;
}
// [H] associative +0: with a position
double slope_against_index(const double* y, int n) {
  double sy = 0, siy = 0;
  for (int i = 0; i < n; ++i) {
    sy += y[i];
    siy += double(i) * y[i];
  }
  return (n * siy - sy * (n * (n - 1.0) / 2)) / n;
}
