int f(const int* x, int n) {
  int s = 0;
  int i = 0;
again:
  if (i < n) { s += x[i++]; goto again; }
  return s;
}
