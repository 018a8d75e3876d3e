#include <cmath>
double vanishes(const double* x, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i) {
    const double m = x[i] > 0 ? INFINITY : x[i];
    s += m * 0 == 0 ? 1 : 100;
  }
  return s;
}
