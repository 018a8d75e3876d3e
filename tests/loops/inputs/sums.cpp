// Sums, counts, products and other accumulations, in the ways that people write them.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <numeric>
#include <span>
#include <vector>

// [H] associative +0
double sum_index(const double* x, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) s += x[i];
  return s;
}
// [H] associative +0
float sum_pointer(const float* first, const float* last) {
  float s = 0.0f;
  while (first != last) s += *first++;
  return s;
}
// [H] associative +0
double sum_iterator(const std::vector<double>& x) {
  double s = 0;
  for (auto it = x.begin(); it != x.end(); ++it) s += *it;
  return s;
}
// [H] associative +0
double sum_range_for(std::span<const double> x) {
  double s = 0;
  for (double v : x) s += v;
  return s;
}
// [H] associative +0
double sum_accumulate(const std::vector<double>& x) { return std::accumulate(x.begin(), x.end(), 0.0); }
// [H] associative +0
double sum_of_squares_accumulate(const std::vector<double>& x) {
  return std::accumulate(x.begin(), x.end(), 0.0, [](double s, double v) { return s + v * v; });
}
// [H] associative +0
double dot_transform_reduce(const std::vector<double>& a, const std::vector<double>& b) {
  return std::transform_reduce(a.begin(), a.end(), b.begin(), 0.0);
}
// [H] associative +0
double norm1_transform_reduce(const std::vector<double>& a) {
  return std::transform_reduce(a.begin(), a.end(), 0.0, std::plus<>(), [](double v) { return std::fabs(v); });
}
// [H] associative +0
double dot_inner_product(const double* a, const double* b, int n) { return std::inner_product(a, a + n, b, 0.0); }
// [H] associative +0
double sum_downwards(const double* x, int n) {
  double s = 0;
  for (int i = n - 1; i >= 0; --i) s += x[i];
  return s;
}
// [H] associative +0
double sum_countdown(const double* x, int n) {
  double s = 0;
  while (n-- > 0) s += x[n];
  return s;
}
// [H] associative +0
double sum_do_while(const double* x, int n) {
  double s = 0;
  int i = 0;
  if (n <= 0) return 0;
  do {
    s += x[i];
    ++i;
  } while (i < n);
  return s;
}
// [H] associative +0
double sum_started_at_seven(const double* x, int n) {
  double s = 7;
  for (int i = 0; i < n; ++i) s += x[i];
  return s;
}
// [H] associative +0
double sum_started_by_caller(const double* x, int n, double start) {
  double s = start;
  for (int i = 0; i < n; ++i) s = s + x[i];
  return s;
}
// [H] associative +0
double difference_from_start(const double* x, int n, double budget) {
  for (int i = 0; i < n; ++i) budget -= x[i];
  return budget;
}
// [H] associative +0
long long integer_sum(const int* x, int n) {
  long long s = 0;
  for (int i = 0; i < n; ++i) s += x[i];
  return s;
}
// [H] associative +0
unsigned wrapping_sum(const unsigned* x, unsigned n) {
  unsigned s = 0;
  for (unsigned i = 0; i < n; ++i) s += x[i];
  return s;
}
// [H] associative +0
std::uint8_t checksum8(const std::uint8_t* p, std::size_t n) {
  std::uint8_t c = 0;
  for (std::size_t i = 0; i < n; ++i) c = static_cast<std::uint8_t>(c + p[i]);
  return c;
}
// [H] associative +0
unsigned parity_word(const unsigned* x, int n) {
  unsigned p = 0;
  for (int i = 0; i < n; ++i) p ^= x[i];
  return p;
}
// [H] associative +0
unsigned union_of_bits(const unsigned* x, int n) {
  unsigned p = 0;
  for (int i = 0; i < n; ++i) p |= x[i];
  return p;
}
// [H] associative +0
unsigned common_bits(const unsigned* x, int n) {
  unsigned p = ~0u;
  for (int i = 0; i < n; ++i) p &= x[i];
  return p;
}
// [H] associative +0
double product(const double* x, int n) {
  double p = 1;
  for (int i = 0; i < n; ++i) p *= x[i];
  return p;
}
// [A] associative +1: the plain product, for the capital may be 0
double compound_interest(const double* rate, int n, double capital) {
  for (int i = 0; i < n; ++i) capital *= 1 + rate[i];
  return capital;
}
// [H] associative +0
double log_likelihood(const double* p, int n) {
  double l = 0;
  for (int i = 0; i < n; ++i) l += std::log(p[i]);
  return l;
}
// [H] associative +0
int count_positive(const double* x, int n) {
  int k = 0;
  for (int i = 0; i < n; ++i)
    if (x[i] > 0) k++;
  return k;
}
// [H] associative +0
long count_if_algorithm(const std::vector<int>& x) {
  return std::count_if(x.begin(), x.end(), [](int v) { return v % 3 == 0; });
}
// [H] associative +0
int count_with_bool_addition(const double* x, int n, double c) {
  int k = 0;
  for (int i = 0; i < n; ++i) k += x[i] > c;
  return k;
}
// [H] associative +0
int sum_of_evens(const int* x, int n) {
  int s = 0;
  for (int i = 0; i < n; ++i) {
    if (x[i] % 2 != 0) continue;
    s += x[i];
  }
  return s;
}
// [H] associative +0
int sum_mod_three(const int* x, int n) {
  int s = 0;
  for (int i = 0; i < n; ++i) s = (s + (x[i] % 3 + 3)) % 3;
  return s;
}
// [H] associative +0
double mean_of_sum_and_count(const std::vector<double>& x) {
  double s = 0;
  std::size_t k = 0;
  for (double v : x) {
    s += v;
    ++k;
  }
  return s / k;
}
// [H] associative +0
double mean_by_length(const double* x, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i) s += x[i];
  return s / n;
}
// [H] associative +0
double weighted_mean(const double* x, const double* w, int n) {
  double s = 0, t = 0;
  for (int i = 0; i < n; ++i) {
    s += w[i] * x[i];
    t += w[i];
  }
  return t != 0 ? s / t : 0;
}
// [H] associative +0
double root_mean_square(const float* x, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i) s += double(x[i]) * x[i];
  return std::sqrt(s / n);
}
// [H] associative +0
int hamming(const char* a, const char* b, int n) {
  int d = 0;
  for (int i = 0; i < n; ++i)
    if (a[i] != b[i]) ++d;
  return d;
}
// [H] associative +0
int hamming_two_cursors(const char* a, const char* b, int n) {
  int d = 0;
  const char* end = a + n;
  while (a < end) {
    d += *a != *b;
    ++a;
    ++b;
  }
  return d;
}
struct line_fit {
  double sx = 0, sy = 0, sxx = 0, sxy = 0;
  int n = 0;
};
// [H] associative +0
line_fit least_squares(const double* x, const double* y, int n) {
  line_fit f;
  for (int i = 0; i < n; ++i) {
    f.sx += x[i];
    f.sy += y[i];
    f.sxx += x[i] * x[i];
    f.sxy += x[i] * y[i];
    ++f.n;
  }
  return f;
}
// [H] associative +0
double slope(const double* x, const double* y, int n) {
  double sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (int i = 0; i < n; ++i) {
    sx += x[i];
    sy += y[i];
    sxx += x[i] * x[i];
    sxy += x[i] * y[i];
  }
  return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}
// [H] associative +0
double sum_with_helper(const double* x, int n) {
  const auto cube = [](double v) { return v * v * v; };
  double s = 0;
  for (int i = 0; i < n; ++i) s += cube(x[i]);
  return s;
}
// [H] associative +0
double sum_two_way_branch(const double* x, int n) {
  double gain = 0, loss = 0;
  for (int i = 0; i < n; ++i) {
    if (x[i] >= 0)
      gain += x[i];
    else
      loss -= x[i];
  }
  return gain / (gain + loss);
}
// [H] associative +0
int switch_tally(const int* kind, int n) {
  int a = 0, b = 0, other = 0;
  for (int i = 0; i < n; ++i) {
    switch (kind[i]) {
      case 0: ++a; break;
      case 1:
      case 2: b += 2; break;
      default: ++other;
    }
  }
  return a * 100 + b * 10 + other;
}
// [H] associative +0
double complex_power(const double* re, const double* im, int n) {
  double p = 0;
  for (int i = 0; i < n; ++i) p += re[i] * re[i] + im[i] * im[i];
  return p;
}
// [H] associative +0
double complex_product_real(const double* re, const double* im, int n) {
  double a = 1, b = 0;
  for (int i = 0; i < n; ++i) {
    const double t = a * re[i] - b * im[i];
    b = a * im[i] + b * re[i];
    a = t;
  }
  return a;
}
// [H] associative +0
double harmonic_mean(const double* x, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i) s += 1.0 / x[i];
  return n / s;
}
// [H] associative +0
double geometric_mean(const std::vector<double>& x) {
  double s = 0;
  for (const double& v : x) s += std::log(v);
  return std::exp(s / x.size());
}
// [H] associative +0
double power_mean(const double* x, int n, double p) {
  double s = 0;
  for (int i = 0; i < n; ++i) s += std::pow(x[i], p);
  return std::pow(s / n, 1 / p);
}
// [H] associative +0
double fourth_moment_raw(const double* x, int n) {
  double s1 = 0, s2 = 0, s3 = 0, s4 = 0;
  for (int i = 0; i < n; ++i) {
    const double v = x[i], v2 = v * v;
    s1 += v;
    s2 += v2;
    s3 += v2 * v;
    s4 += v2 * v2;
  }
  const double m = s1 / n;
  return s4 / n - 4 * m * s3 / n + 6 * m * m * s2 / n - 3 * m * m * m * m;
}
// [H] associative +0
double kahan_sum(const double* x, int n) {
  double s = 0, c = 0;
  for (int i = 0; i < n; ++i) {
    const double y = x[i] - c;
    const double t = s + y;
    c = (t - s) - y;
    s = t;
  }
  return s;
}
// [H] associative +0
double entropy_of_weights(const double* w, int n) {
  double total = 0, plogp = 0;
  for (int i = 0; i < n; ++i) {
    total += w[i];
    plogp += w[i] > 0 ? w[i] * std::log(w[i]) : 0.0;
  }
  return std::log(total) - plogp / total;
}
// [H] associative +0
std::array<int, 4> count_quadrants(const double* x, const double* y, int n) {
  std::array<int, 4> q{0, 0, 0, 0};
  for (int i = 0; i < n; ++i) {
    if (x[i] >= 0 && y[i] >= 0) ++q[0];
    if (x[i] < 0 && y[i] >= 0) ++q[1];
    if (x[i] < 0 && y[i] < 0) ++q[2];
    if (x[i] >= 0 && y[i] < 0) ++q[3];
  }
  return q;
}
// [H] associative +0
double alternate_pair_sum(const double* x, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i) {
    double t = x[i];
    t = t < 0 ? -t : t;
    s += t > 1 ? 1 : t;
  }
  return s;
}
// [H] associative +0
int greatest_common_divisor(const int* x, int n) {
  int g = 0;
  for (int i = 0; i < n; ++i) g = std::gcd(g, x[i]);
  return g;
}
// [H] associative +0
double two_loops_one_sum(const double* x, const double* y, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i) s += x[i];
  for (int i = 0; i < n; ++i) s += y[i];
  return s;
}
// [H] associative +0
double iterator_then_range_for(const std::vector<double>& x) {
  double s = 0;
  for (auto it = x.begin(); it != x.end(); ++it) s += *it;
  for (double v : x) s += v * v;
  return s;
}
// [H] associative +0
double foreach_lambda(const std::vector<double>& x) {
  double s = 0;
  std::for_each(x.begin(), x.end(), [&](double v) { s += v; });
  return s;
}
// [H] associative +0
int count_bits_of_words(const std::uint32_t* x, int n) {
  int bits = 0;
  for (int i = 0; i < n; ++i) bits += __builtin_popcount(x[i]);
  return bits;
}
// [H] associative +0
double sum_through_pointer_state(const double* x, int n, double* out) {
  double s = 0;
  for (int i = 0; i < n; ++i) s += x[i];
  *out = s * s;
  return s;
}
// [H] associative +0
void sums_by_reference(const double* x, int n, double& plus, double& minus) {
  plus = 0;
  minus = 0;
  for (int i = 0; i < n; ++i) {
    plus += std::max(x[i], 0.0);
    minus += std::min(x[i], 0.0);
  }
}
