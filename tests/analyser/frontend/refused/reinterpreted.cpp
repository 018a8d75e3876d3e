double f(const unsigned* x, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i) s += reinterpret_cast<const int&>(x[i]);
  return s;
}
