#include <utility>
// The rows of a dynamic program take turns.
double take_turns(const double* x, int n) {
  double a[2] = {0, 0}, b[2] = {0, 0};
  double *now = a, *next = b;
  for (int i = 0; i < n; ++i) {
    next[0] = now[0] + x[i];
    next[1] = now[1] * x[i];
    std::swap(now, next);
  }
  return now[0];
}
