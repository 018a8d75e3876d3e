float f(const float* x, float* y, int n) {
  float s = 0;
  for (int i = 0; i < n; ++i) {
    s += x[i];
    y[i] = s;
  }
  float t = 0;
  for (int i = 0; i < n; ++i) t += y[i] * x[i];
  return t;
}
