double f(const double* x, unsigned n) {
  double s = 0;
  for (unsigned i = 0; i - 1u < n; ++i) s += x[i];
  return s;
}
