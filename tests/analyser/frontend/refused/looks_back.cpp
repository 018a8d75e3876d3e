void f(const double* x, double* y, int n) {
  y[1] = 0;
  for (int i = 2; i < n; ++i) y[i] = 0.5 * y[i - 1] + x[i - 2] * x[i + 1] * x[i - 4];
}
