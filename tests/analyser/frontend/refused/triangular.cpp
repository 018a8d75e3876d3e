float f(const float* x, int n) {
  float s = 0;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < i; ++j) s += x[j] * x[i];
  return s;
}
