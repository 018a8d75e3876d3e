float f(const float* x, int n) {
  float s;
  for (int i = 0; i < n; ++i) s += x[i];
  return s;
}
