double forward_then_backward(const double* x, double* y, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i) y[i] = x[i] + 1;
  for (int i = n - 1; i >= 0; --i) s = s * 2 + x[i];
  return s;
}
