int f(const volatile int* x, int n) {
  int s = 0;
  for (int i = 0; i < n; ++i) s += x[i];
  return s;
}
