float f(const float* a, int n, int d) {
  float s = 0;
  for (int i = 0; i < n; ++i) {
    float u = 0;
    float v = 1;
    for (int j = 0; j < d; ++j) {
      const float w = u;
      u = v + a[i * d + j];
      v = w - a[i * d + j];
    }
    s += u;
  }
  return s;
}
