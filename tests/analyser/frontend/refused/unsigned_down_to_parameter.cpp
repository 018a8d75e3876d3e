// Never ends where lo is 0.
double down_to(const double* x, unsigned n, unsigned lo) {
  double s = 0;
  for (unsigned i = n; i >= lo; --i) s = s * 0.5 + x[i];
  return s;
}
