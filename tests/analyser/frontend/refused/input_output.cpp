#include <cstdio>
int f(const int* x, int n) {
  int s = 0;
  for (int i = 0; i < n; ++i) {
    s += x[i];
    std::printf("%d\n", s);
  }
  return s;
}
