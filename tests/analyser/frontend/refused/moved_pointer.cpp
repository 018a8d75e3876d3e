// The pointer means another variable from the second iteration on.
double reassigned(const double* x, int n) {
  double s = 0, t = 0;
  double* p = &s;
  for (int i = 0; i < n; ++i) {
    *p += x[i];
    p = &t;
  }
  return s;
}
