void f(const float* x, float* y, int n) {
  for (int i = 0; i < n; ++i) {
    if (x[i] < 0) break;
    y[i] = x[i];
  }
}
