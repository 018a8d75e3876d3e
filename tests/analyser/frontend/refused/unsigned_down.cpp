double never_ends(const double* x, unsigned n) {
  double s = 0;
  for (unsigned i = n - 1; i >= 0; i--) s = s * 0.5 + x[i];
  return s;
}
