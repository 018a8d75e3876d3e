void apart(const double* x, double* y, double* z, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i) {
    s += x[i];
    y[i] = s;
    z[i + 1] = s;
  }
}
