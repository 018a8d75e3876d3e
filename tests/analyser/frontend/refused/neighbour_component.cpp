void f(const float* x, float* o, int n, int d) {
  for (int j = 0; j < d; ++j) o[j] = 0;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < d; ++j) o[j] = o[d - 1 - j] + x[i * d + j];
}
