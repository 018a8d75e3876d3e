#include <span>
double drops_the_first(std::span<const double> x, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i) {
    s += x[0];
    x = x.subspan(1);
  }
  return s;
}
