// y has one entry more than x.
void offsets(const double* x, double* y, int n) {
  double s = 0;
  y[0] = 0;
  for (int i = 0; i < n; ++i) {
    s += x[i];
    y[i + 1] = s;
  }
}
