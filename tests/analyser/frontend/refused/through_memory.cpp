void f(const float* x, float* y, int n) {
  y[0] = x[0];
  for (int i = 1; i < n; ++i) y[i] = y[i - 1] * 0.5f + x[i];
}
