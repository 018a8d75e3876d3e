// Fields and arrays whose names read alike are different arrays.
struct table {
  const double* b;
};
double field_and_array(table a, const double* a_b, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i) s += a.b[i] - a_b[i];
  return s;
}
