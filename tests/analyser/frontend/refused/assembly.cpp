int f(const int* x, int n) {
  int s = 0;
  for (int i = 0; i < n; ++i) {
    asm("nop");
    s += x[i];
  }
  return s;
}
