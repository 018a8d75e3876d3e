union both {
  int i;
  float f;
};
float f(const float* x, int n) {
  both b;
  b.f = 0;
  for (int i = 0; i < n; ++i) b.f += x[i];
  return b.f;
}
