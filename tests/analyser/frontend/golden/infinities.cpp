// Comparisons of a carried variable with infinity.
#include <algorithm>
#include <cmath>

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
float masked(const float* x, const bool* k, int n) {
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
