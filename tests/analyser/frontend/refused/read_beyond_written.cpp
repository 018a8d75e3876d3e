double f(const double* x, double* y, int n, int m) {
  for (int i = 0; i < m; ++i) y[i] = 1;
  double s = 0;
  for (int i = 0; i < n; ++i) s = s * y[i] + x[i];
  return s;
}
