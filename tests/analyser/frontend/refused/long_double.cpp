long double f(const long double* x, int n) {
  long double s = 0;
  for (int i = 0; i < n; ++i) s += x[i];
  return s;
}
