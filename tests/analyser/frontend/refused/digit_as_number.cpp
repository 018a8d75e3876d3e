#include <cctype>
int f(const char* x, int n) {
  int c = 0;
  for (int i = 0; i < n; ++i) c += std::isdigit(x[i]);
  return c;
}
