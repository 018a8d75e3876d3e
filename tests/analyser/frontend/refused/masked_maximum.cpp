#include <algorithm>
#include <cmath>
// Is a row without positive entries infinite? Only the data knows.
int rows_seen(const double* x, int n, int d) {
  int s = 0;
  for (int i = 0; i < n; ++i) {
    double m = -INFINITY;
    for (int j = 0; j < d; ++j) m = std::max(m, x[i * d + j] > 0 ? x[i * d + j] : -INFINITY);
    if (m > -INFINITY) s += 1;
  }
  return s;
}
