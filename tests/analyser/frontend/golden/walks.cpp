// One sum in every way to walk an array.
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <span>
#include <vector>

double by_index(const double* x, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i) s += x[i];
  return s;
}
double by_size_t_not_equal(const double* x, std::size_t n) {
  double s = 0;
  for (std::size_t i = 0; i != n; i++) s = s + x[i];
  return s;
}
double inclusive(const double* x, int n) {
  double s = 0;
  for (int i = 1; i <= n; ++i) s += x[i - 1];
  return s;
}
double reversed(const double* x, std::ptrdiff_t n) {
  double s = 0;
  for (std::ptrdiff_t i = n - 1; i >= 0; i--) s += x[i];
  return s;
}
double while_counter(const double* x, int n) {
  double s = 0;
  int i = 0;
  while (i < n) s += x[i++];
  return s;
}
double pointer_walk(const double* x, int n) {
  double s = 0;
  for (const double *p = x, *end = x + n; p < end; ++p) s += *p;
  return s;
}
double pointer_countdown(const double* x, unsigned n) {
  double s = 0;
  while (n-- > 0) s += *x++;
  return s;
}
double begin_end(const double* first, const double* last) {
  double s = 0;
  for (; first != last; ++first) s += *first;
  return s;
}
double iterators(const std::vector<double>& x) {
  double s = 0;
  for (auto it = x.cbegin(); it != x.cend(); ++it) s += *it;
  return s;
}
double range_for(std::span<const double> x) {
  double s = 0;
  for (const auto v : x) s += v;
  return s;
}
double fixed_array(const std::array<double, 1000>& x) {
  double s = 0;
  for (double v : x) s += v;
  return s;
}
double small_array(const double (&x)[8]) {
  double s = 0;
  for (double v : x) s += v;
  return s;
}
double middle(const double* x, int from, int to) {
  double s = 0;
  for (int i = from; i < to; ++i) s += x[i];
  return s;
}
double accumulate(const std::vector<double>& x) { return std::accumulate(x.begin(), x.end(), 0.0); }
double reduce(std::span<const double> x) { return std::reduce(x.begin(), x.end(), 0.0, std::plus<double>()); }
double with_lambda(const std::vector<double>& x) {
  return std::accumulate(x.begin(), x.end(), 0.0, [](double a, double b) { return a + b; });
}
double by_helper(const double* x, int n);
static double plus(double a, double b) { return a + b; }
double by_helper(const double* x, int n) {
  double s{};
  for (auto i = 0; i < n; i += 1) s = plus(s, *(x + i));
  return s;
}
