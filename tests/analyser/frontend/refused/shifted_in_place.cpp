void ahead(double* x, int n) {
  for (int i = 0; i + 1 < n; ++i) x[i] = x[i + 1] - x[i] * x[i + 1];
}
void ahead_and_back(double* x, int n) {
  for (int i = 0; i + 1 < n; ++i) x[i] = x[i + 1] - x[i] * x[i + 1];
  for (int i = n - 1; i > 0; --i) x[i] = x[i - 1];
}
void back_while_walking_down(double* x, int n) {
  for (int i = n - 1; i > 0; --i) x[i] = x[i] + x[i - 1];
}
double summed_and_shifted(double* x, int n) {
  double s = 0;
  for (int i = 0; i + 1 < n; ++i) {
    s += x[i + 1];
    x[i] = s;
  }
  return s;
}
double neighbours_of_what_was_written(double* x, int n) {
  for (int i = 0; i < n; ++i) x[i] = 2 * x[i];
  double s = 0;
  for (int i = 0; i + 1 < n; ++i) s += x[i] * x[i + 1];
  return s;
}
void by_pointer(double* x, int n) {
  for (double* p = x; p != x + n - 1; ++p) *p = p[1];
}
