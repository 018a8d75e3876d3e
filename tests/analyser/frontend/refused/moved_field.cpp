struct cursor {
  double value;
  double* where;
};
double through_a_field(const double* x, int n) {
  double s = 0, t = 0;
  cursor c{0, &s};
  for (int i = 0; i < n; ++i) {
    *c.where += x[i];
    c.where = &t;
  }
  return s;
}
