double f(const double* x, unsigned n) {
  double s = 0;
  for (unsigned i = n - 1; i > -1; --i) s += x[i];
  return s;
}
