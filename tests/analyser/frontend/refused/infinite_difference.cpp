#include <cmath>
double cancels(const double* x, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i) {
    const double m = x[i] > 0 ? INFINITY : x[i], d = m - m;
    s += d == d ? 1 : 100;
  }
  return s;
}
