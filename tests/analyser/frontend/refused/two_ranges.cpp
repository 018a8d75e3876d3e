float f(const float* x, const float* y, int n, int m) {
  float a = 0, b = 0;
  for (int i = 0; i < n; ++i) a += x[i];
  for (int i = 0; i < m; ++i) b += y[i] * a;
  return b;
}
