void f(const float* x, float* o, int n) {
  for (int i = 0; i < n; ++i) {
    o[2 * i] = x[i];
    o[2 * i + 1] = -x[i];
  }
}
