int f(const int* x, int n) {
  int s = 0;
  for (int i = 0; i < n; ++i) {
    if (x[i] < 0) throw 1;
    s += x[i];
  }
  return s;
}
