// Recurrences: affine, clamped, linear of second order, fractional, hashes and registers.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <string_view>
#include <vector>

// [A] associative +1: the decay of the whole piece
double ema(const double* x, int n, double alpha) {
  double y = 0;
  for (int i = 0; i < n; ++i) y = alpha * x[i] + (1 - alpha) * y;
  return y;
}
// [A] associative +1
double ema_by_difference(const float* x, int n) {
  double y = 0;
  for (int i = 0; i < n; ++i) y += 0.1 * (x[i] - y);
  return y;
}
// [A] associative +1
double ema_started_by_first(const double* x, int n, double alpha) {
  double y = x[0];
  for (int i = 1; i < n; ++i) y = (1 - alpha) * y + alpha * x[i];
  return y;
}
// [A] associative +1
double gated(const double* g, const double* x, int n) {
  double h = 0;
  for (int i = 0; i < n; ++i) h = g[i] * h + x[i];
  return h;
}
// [A] associative +1
double leaky_pointer(const double* p, const double* end, double keep) {
  double h = 0;
  for (; p != end; ++p) h = keep * h + *p;
  return h;
}
// [A] associative +1
double discounted_return(const double* reward, int n, double gamma) {
  double g = 0;
  for (int i = n - 1; i >= 0; --i) g = reward[i] + gamma * g;
  return g;
}
// [A] associative +1
double horner(const double* c, int n, double at) {
  double v = 0;
  for (int i = 0; i < n; ++i) v = v * at + c[i];
  return v;
}
// [H] associative +0
double polynomial_ascending(const double* c, int n, double at) {
  double v = 0, power = 1;
  for (int i = 0; i < n; ++i) {
    v += c[i] * power;
    power *= at;
  }
  return v;
}
// [A] associative +1
long long decimal_number(const int* digit, int n) {
  long long r = 0;
  for (int i = 0; i < n; ++i) r = 10 * r + digit[i];
  return r;
}
// [A] associative +1
unsigned parse_number(const char* s, int n) {
  unsigned r = 0;
  for (int i = 0; i < n; ++i) r = r * 10 + static_cast<unsigned>(s[i] - '0');
  return r;
}
// [A] associative +1
std::uint32_t hash31(std::string_view s) {
  std::uint32_t h = 0;
  for (unsigned char c : s) h = h * 31 + c;
  return h;
}
// [A] associative +1
std::uint32_t djb2(const unsigned char* s, std::size_t n) {
  std::uint32_t h = 5381;
  for (std::size_t i = 0; i < n; ++i) h = (h << 5) + h + s[i];
  return h;
}
// [A] associative +1
std::uint64_t rabin_karp(const std::uint8_t* p, std::size_t n) {
  constexpr std::uint64_t base = 911382323, mod = 972663749;
  std::uint64_t h = 0;
  for (std::size_t i = 0; i < n; ++i) h = (h * base + p[i]) % mod;
  return h;
}
// [A] associative +1
double halving(const std::vector<double>& x) {
  return std::accumulate(x.begin(), x.end(), 0.0, [](double a, double v) { return (a + v) / 2; });
}
// [A] associative +1
double leaky_integrator_with_leak_per_step(const double* x, const double* dt, int n) {
  double v = 0;
  for (int i = 0; i < n; ++i) v = v * std::exp(-dt[i]) + x[i];
  return v;
}
// [A] associative +2: shift, lower and upper limit
double clamped_walk(const double* x, int n) {
  double h = 0;
  for (int i = 0; i < n; ++i) h = std::clamp(h + x[i], -1.0, 1.0);
  return h;
}
// [A] associative +2
int saturating_counter(const bool* taken, int n) {
  int c = 0;
  for (int i = 0; i < n; ++i) {
    if (taken[i])
      c = std::min(c + 1, 3);
    else
      c = std::max(c - 1, 0);
  }
  return c;
}
// [A] associative +2
double tank_level(const double* in, const double* out, int n, double capacity) {
  double level = 0;
  for (int i = 0; i < n; ++i) {
    level += in[i] - out[i];
    if (level < 0) level = 0;
    if (level > capacity) level = capacity;
  }
  return level;
}
// [M] associative +4: a 2 by 2 matrix
double second_order(const double* x, int n, double p, double q) {
  double a = 0, b = 1;
  for (int i = 0; i < n; ++i) {
    const double c = p * a + q * b + x[i];
    a = b;
    b = c;
  }
  return b;
}
// [M] associative +4
double varying_second_order(const double* x, int n) {
  double a = 1, b = 0;
  for (int i = 0; i < n; ++i) {
    const double t = b;
    b = x[i] * b + a;
    a = t;
  }
  return b;
}
// [M] associative +6: a biquad filter with one output
double biquad(const float* x, int n, double b0, double b1, double b2, double a1, double a2) {
  double z1 = 0, z2 = 0, y = 0;
  for (int i = 0; i < n; ++i) {
    y = b0 * x[i] + z1;
    z1 = b1 * x[i] - a1 * y + z2;
    z2 = b2 * x[i] - a2 * y;
  }
  return y;
}
// [M] associative +4: rotation
double rotate_by_angles(const double* c, const double* s, int n) {
  double x = 1, y = 0;
  for (int i = 0; i < n; ++i) {
    const double t = c[i] * x - s[i] * y;
    y = s[i] * x + c[i] * y;
    x = t;
  }
  return x + 2 * y;
}
// [H] associative +0: matrix product
double matrix_product_2x2(const double* p, const double* q, const double* r, const double* s, int n) {
  double a = 1, b = 0, c = 0, d = 1;
  for (int i = 0; i < n; ++i) {
    const double a1 = a * p[i] + b * r[i], b1 = a * q[i] + b * s[i];
    const double c1 = c * p[i] + d * r[i], d1 = c * q[i] + d * s[i];
    a = a1;
    b = b1;
    c = c1;
    d = d1;
  }
  return a + b + c + d;
}
// [M] associative +3: a matrix of fractions
double continued_fraction(const double* a, int n) {
  double x = 0;
  for (int i = n - 1; i >= 0; --i) x = 1 / (a[i] + x);
  return x;
}
// [M] associative +3
double tridiagonal_pivot(const double* a, int n) {
  double d = a[0];
  for (int i = 1; i < n; ++i) d = a[i] - 1 / d;
  return d;
}
// [M] associative +3
double parallel_and_series(const double* r, const double* g, int n) {
  double z = 0;
  for (int i = 0; i < n; ++i) {
    z = z + r[i];
    z = z / (1 + z * g[i]);
  }
  return z;
}
// [A] associative +1
double carry_and_scale(const double* gain, const double* bias, int n, double x) {
  for (int i = 0; i < n; ++i) x = gain[i] * x + bias[i];
  return x;
}
// [H] associative +0: total and factor
double present_value(const double* cash, const double* rate, int n) {
  double factor = 1, value = 0;
  for (int i = 0; i < n; ++i) {
    factor /= 1 + rate[i];
    value += cash[i] * factor;
  }
  return value;
}
// [A] associative +1
double carry_over_charge(const double* load, int n, double keep) {
  double charge = 100;
  for (int i = 0; i < n; ++i) {
    charge *= keep;
    charge -= load[i];
  }
  return charge;
}
// [A] associative +1
double lambda_return(const double* r, const double* v, int n, double gamma, double lambda) {
  double g = 0;
  for (int i = n - 1; i >= 0; --i) g = r[i] + gamma * ((1 - lambda) * v[i] + lambda * g);
  return g;
}
// [H] associative +0: LCG jump
std::uint64_t lcg_with_increment(const std::uint64_t* c, int n) {
  std::uint64_t a = 1, s = 0;
  for (int i = 0; i < n; ++i) {
    s = s * 6364136223846793005ull + c[i];
    a *= 6364136223846793005ull;
  }
  return s ^ a;
}
// [A] associative +1: over the two-element field
unsigned lfsr_feedback(const unsigned* bit, int n) {
  unsigned s = 0;
  for (int i = 0; i < n; ++i) s = (s << 1) ^ bit[i];
  return s;
}
// [M] associative +33: linear over GF(2): the register of a cyclic code
std::uint8_t crc8(const std::uint8_t* p, std::size_t n) {
  std::uint8_t crc = 0;
  for (std::size_t i = 0; i < n; ++i) {
    crc ^= p[i];
    for (int b = 0; b < 8; ++b) crc = static_cast<std::uint8_t>((crc & 0x80) ? (crc << 1) ^ 0x07 : crc << 1);
  }
  return crc;
}
// [M] associative +33
std::uint32_t crc32_bitwise(const std::uint8_t* p, std::size_t n) {
  std::uint32_t c = 0xffffffffu;
  for (std::size_t i = 0; i < n; ++i) {
    c ^= p[i];
    for (int k = 0; k < 8; ++k) c = (c & 1) ? 0xedb88320u ^ (c >> 1) : c >> 1;
  }
  return ~c;
}
// [N] not_associative, witness: the table may be any, and then the register is no code
std::uint16_t crc16_table(const std::uint8_t* p, std::size_t n, const std::uint16_t* table) {
  std::uint16_t c = 0;
  for (std::size_t i = 0; i < n; ++i) c = static_cast<std::uint16_t>((c << 8) ^ table[((c >> 8) ^ p[i]) & 0xff]);
  return c;
}
// [A] associative +2: two sums modulo 65521
std::uint32_t adler32(const std::uint8_t* p, std::size_t n) {
  std::uint32_t a = 1, b = 0;
  for (std::size_t i = 0; i < n; ++i) {
    a = (a + p[i]) % 65521;
    b = (b + a) % 65521;
  }
  return (b << 16) | a;
}
// [A] associative +1: the length
unsigned fletcher(const std::uint16_t* p, int n) {
  unsigned a = 0, b = 0;
  for (int i = 0; i < n; ++i) {
    a += p[i];
    b += a;
  }
  return b ^ a;
}
// [A] associative +1: the length
double sum_of_prefix_sums(const double* x, int n) {
  double s = 0, t = 0;
  for (int i = 0; i < n; ++i) {
    s += x[i];
    t += s;
  }
  return t;
}
// [A] associative +2: position under acceleration
double integrate_twice(const double* a, int n, double dt) {
  double v = 0, p = 0;
  for (int i = 0; i < n; ++i) {
    p += v * dt + 0.5 * a[i] * dt * dt;
    v += a[i] * dt;
  }
  return p;
}
// [M] associative +3: a covariance update of a scalar filter
double scalar_kalman_variance(const double* r, int n, double q) {
  double p = 1;
  for (int i = 0; i < n; ++i) {
    p = p + q;
    p = p * r[i] / (p + r[i]);
  }
  return p;
}
// [A] associative +1
double max_plus_delay(const double* ready, const double* work, int n) {
  double t = 0;
  for (int i = 0; i < n; ++i) t = std::max(t, ready[i]) + work[i];
  return t;
}
// [A] associative +1
double min_plus_delay(const double* limit, const double* add, int n) {
  double t = 0;
  for (int i = 0; i < n; ++i) {
    t += add[i];
    if (t > limit[i]) t = limit[i];
  }
  return t;
}
// [A] associative +2: an absorbing limit
double capped_growth(const double* g, int n, double cap) {
  double v = 1;
  for (int i = 0; i < n; ++i) v = std::min(v + g[i], cap);
  return v;
}
// [A] associative +1
double update_weight(const double* x, const double* y, int n, double rate) {
  double w = 0;
  for (int i = 0; i < n; ++i) {
    const double e = y[i] - w * x[i];
    w += rate * e * x[i];
  }
  return w;
}
// [A] associative +1: two at a time, and the last one
double halving_by_two(const double* x, int n) {
  double s = 0;
  int i = 0;
  for (i = 0; i < n - 1; i += 2) {
    s = s / 2 + x[i];
    s = s / 2 + x[i + 1];
  }
  for (; i < n; i++) s = s / 2 + x[i];
  return s;
}
// [A] associative +1: four at a time while there are four
double halving_by_four(const double* x, int n) {
  double s = 0;
  int i = 0;
  while (i + 4 <= n) {
    for (int j = 0; j < 4; ++j) s = s / 2 + x[i + j];
    i += 4;
  }
  while (i < n) {
    s = s / 2 + x[i];
    ++i;
  }
  return s;
}
// [A] associative +1: up to the last multiple of four, and the rest
double halving_rounded_down(const double* x, int n) {
  double s = 0;
  const int whole = n - n % 4;
  int i = 0;
  for (; i < whole; i += 4) s = (((s / 2 + x[i]) / 2 + x[i + 1]) / 2 + x[i + 2]) / 2 + x[i + 3];
  for (; n > i; ++i) s = s / 2 + x[i];
  return s;
}
// [A] associative +1
void smoothed_by_two(const double* x, double* y, int n) {
  double s = 0;
  int i = 0;
  const int whole = n & ~1;
  for (; i < whole; i += 2) {
    s = s / 2 + x[i];
    y[i] = s;
    s = s / 2 + x[i + 1];
    y[i + 1] = s;
  }
  for (; i < n; ++i) {
    s = s / 2 + x[i];
    y[i] = s;
  }
}
