float f(const float* a, int n, int d) {
  float s = 0;
  for (int i = 0; i < n; ++i) {
    float best = 0;
    int at = 0;
    for (int j = 0; j < d; ++j)
      if (a[i * d + j] > best) {
        best = a[i * d + j];
        at = j;
      }
    s += static_cast<float>(at);
  }
  return s;
}
