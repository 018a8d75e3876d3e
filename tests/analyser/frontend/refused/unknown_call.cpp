int log_it(int);
int f(const int* x, int n) {
  int s = 0;
  for (int i = 0; i < n; ++i) s += log_it(x[i]);
  return s;
}
