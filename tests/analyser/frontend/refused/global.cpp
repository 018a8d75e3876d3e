int counter = 0;
int f(const int* x, int n) {
  for (int i = 0; i < n; ++i) counter += x[i];
  return counter;
}
