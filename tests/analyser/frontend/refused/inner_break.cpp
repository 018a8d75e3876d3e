float f(const float* a, int n, int d) {
  float s = 0;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < d; ++j) {
      if (a[i * d + j] < 0) break;
      s += a[i * d + j];
    }
  return s;
}
