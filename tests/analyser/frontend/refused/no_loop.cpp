int f(int a, int b) { return a + b; }
int g(const int* x) {
  int s = 0;
  for (int i = 0; i < 4; ++i) s += 1;
  return s;
}
