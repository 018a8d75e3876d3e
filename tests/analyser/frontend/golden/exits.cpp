// break, continue, return, flags and conditions.
#include <cstddef>

int find(const int* x, int n, int key) {
  for (int i = 0; i < n; ++i)
    if (x[i] == key) return i;
  return -1;
}
std::size_t position(const char* s, std::size_t n) {
  std::size_t i = 0;
  while (i < n && s[i] != ' ') ++i;
  return i;
}
double until(const double* x, int n, double limit) {
  double s = 0;
  for (int i = 0; i < n; ++i) {
    if (s > limit) break;
    s += x[i];
  }
  return s;
}
int skip(const int* x, int n) {
  int s = 0;
  for (int i = 0; i < n; ++i) {
    if (x[i] % 2) continue;
    s += x[i];
  }
  return s;
}
bool valid(const char* s, int n) {
  int depth = 0;
  for (int i = 0; i < n; ++i) {
    if (s[i] == '(') ++depth;
    else if (s[i] == ')' && --depth < 0) return false;
  }
  return depth == 0;
}

int do_while(const int* x, int n) {
  int s = 0, i = 0;
  do {
    s += x[i];
  } while (++i < n);
  return s;
}
