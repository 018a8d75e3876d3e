#include <utility>
#include <vector>
double swapped(const std::vector<double>& x) {
  std::vector<double> a(4), b(4);
  for (double v : x) {
    for (int j = 0; j < 4; ++j) b[j] = a[j] + v;
    std::swap(a, b);
  }
  return a[0];
}
