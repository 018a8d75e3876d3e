void f(const double* x, double* y, int n) {
  y[0] = x[0];
  y[1] = x[1];
  for (int i = 2; i < n; ++i) y[i] = y[i - 1] + y[i - 2] + x[i];
}
