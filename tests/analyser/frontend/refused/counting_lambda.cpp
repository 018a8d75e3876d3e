double counts_inside(const double* x, int n) {
  double s = 0;
  auto weight = [k = 0]() mutable { return ++k; };
  for (int i = 0; i < n; ++i) s += x[i] * weight();
  return s;
}
