struct bits {
  unsigned c : 3;
};
unsigned f(const double* x, int n) {
  bits b{0};
  for (int i = 0; i < n; ++i)
    if (x[i] > 0) b.c += 1;
  return b.c;
}
