void f(const double* x, double* y, int n) {
  y[0] = 0;
  for (int i = 1; i < n; ++i) y[i] = 0.5 * y[i - 1] + x[i - 1];
}
