double twice(const double* x, int n) {
  double s = 0, t = 0;
  for (int i = 0; i < n; ++i) s += x[2 * i];
  for (int i = 0; i < n; ++i) t += x[3 * i] - s / n;
  return t;
}
