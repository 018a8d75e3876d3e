int f(const int* x, int n) {
  volatile int s = 0;
  for (int i = 0; i < n; ++i) s += x[i];
  return s;
}
