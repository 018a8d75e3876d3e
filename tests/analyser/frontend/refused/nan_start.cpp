#include <cmath>
double counts_nan(const double* x, int n) {
  double prev = NAN, s = 0;
  int c = 0;
  for (int i = 0; i < n; ++i) {
    if (std::isnan(prev)) c += 1;
    s += x[i];
    prev = x[i];
  }
  return s + 100 * c;
}
