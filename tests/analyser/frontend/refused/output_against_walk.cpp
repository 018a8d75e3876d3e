void mirrored(const double* x, double* y, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i) {
    s += x[i];
    y[n - 1 - i] = s;
  }
}
