int f(const int* x) {
  int s = 0;
  while (*x != 0) s += *x++;
  return s;
}
