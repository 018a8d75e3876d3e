float f(const float* x, int n, float (*g)(float)) {
  float s = 0;
  for (int i = 0; i < n; ++i) s += g(x[i]);
  return s;
}
