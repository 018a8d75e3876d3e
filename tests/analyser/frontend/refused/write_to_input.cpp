#include <vector>
int f(std::vector<int> x) {
  int s = 0;
  for (int& v : x) {
    v += 1;
    s += v;
  }
  return s;
}
