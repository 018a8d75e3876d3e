void mirrored(const double* x, double* y, int n) {
  double s = 0;
  double* to = y + n;
  for (int i = 0; i < n; ++i) {
    s += x[i];
    *--to = s;
  }
}
