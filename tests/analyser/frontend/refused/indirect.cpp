float f(const float* x, const int* at, int n) {
  float s = 0;
  for (int i = 0; i < n; ++i) s += x[i] * x[at[i]];
  return s;
}
