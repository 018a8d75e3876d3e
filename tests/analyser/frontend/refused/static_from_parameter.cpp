double f(const double* x, int n, double k) {
  double s = 0;
  for (int i = 0; i < n; ++i) {
    static const double first = k;
    s += x[i] * first;
  }
  return s;
}
