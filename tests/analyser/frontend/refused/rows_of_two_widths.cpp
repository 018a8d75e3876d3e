int gather(const int* x, int n) {
  int s = 0;
  for (int i = 0; i < n; ++i) s += x[i] - x[2 * i];
  return s;
}
