void f(const double* x, int n, int m, double* y) {
  double s = 0;
  for (int i = 0; i < n; ++i) {
    s += x[i];
    y[i] = s;
  }
  for (int i = 0; i < m; ++i) y[i] = 2 * x[i];
}
