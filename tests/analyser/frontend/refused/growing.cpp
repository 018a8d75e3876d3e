#include <vector>
int f(const int* x, int n) {
  std::vector<int> kept;
  for (int i = 0; i < n; ++i)
    if (x[i] > 0) kept.push_back(x[i]);
  return static_cast<int>(kept.size());
}
