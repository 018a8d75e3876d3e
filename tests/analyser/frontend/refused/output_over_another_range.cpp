double all_but_one(const double* x, double* y, int n) {
  double s = 0;
  for (int i = 0; i < n - 1; ++i) y[i] = x[i];
  for (int i = 1; i < n; ++i) s = s * 2 + x[i];
  return s;
}
