// Results: structs, references, pointers, arrays.
#include <cmath>
#include <utility>
#include <vector>

struct extremes {
  double low = INFINITY, high = -INFINITY;
  void see(double x) {
    low = std::fmin(low, x);
    high = std::fmax(high, x);
  }
};
extremes by_member(const double* x, int n) {
  extremes e;
  for (int i = 0; i < n; ++i) e.see(x[i]);
  return e;
}
std::pair<int, long> by_pair(const int* x, int n) {
  std::pair<int, long> r{0, 0};
  for (int i = 0; i < n; ++i) r.first += x[i] > 0, r.second += x[i];
  return r;
}
void by_reference(const double* x, int n, double& sum, double* squares) {
  sum = 0;
  *squares = 0;
  for (int i = 0; i < n; ++i) sum += x[i], *squares += x[i] * x[i];
}
void update(extremes* e, const double* x, int n) {
  for (int i = 0; i < n; ++i) e->see(x[i]);
}
std::vector<double> centred(const std::vector<double>& x) {
  double mean = 0;
  for (double v : x) mean += v;
  mean /= static_cast<double>(x.size());
  std::vector<double> y(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) y[i] = x[i] - mean;
  return y;
}
void restrict_map(const float* __restrict x, float* __restrict y, int n) {
  float s = 0;
  for (int i = 0; i < n; ++i) s += x[i];
  for (int i = 0; i < n; ++i) y[i] = x[i] - s;
}
unsigned char narrow(const unsigned char* x, int n) {
  unsigned char s = 0;
  for (int i = 0; i < n; ++i) s = static_cast<unsigned char>(s + x[i]);
  return s;
}
float casts(const double* x, int n) {
  float s = 0;
  for (int i = 0; i < n; ++i) s += static_cast<float>(static_cast<int>(x[i]));
  return s;
}
