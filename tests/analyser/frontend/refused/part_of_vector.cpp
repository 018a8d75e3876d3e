#include <vector>
void f(const double* x, int n, int m, int k, double* out) {
  std::vector<double> h(k);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) h[j] += x[i * m + j];
  for (int j = 0; j < k; ++j) out[j] = h[j];
}
