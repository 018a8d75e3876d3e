// Loops for which every mergeable state grows with the input. No two pieces need collide: `unknown` is the honest answer where they do not.
#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

// [R] refused: a container that grows
int distinct_values(const int* x, int n) {
  std::vector<int> seen;
  for (int i = 0; i < n; ++i) {
    if (std::find(seen.begin(), seen.end(), x[i]) == seen.end()) seen.push_back(x[i]);
  }
  return static_cast<int>(seen.size());
}
// [R] refused
int distinct_by_set(const std::vector<int>& x) {
  std::set<int> s;
  for (int v : x) s.insert(v);
  return static_cast<int>(s.size());
}
// [R] refused: the whole array is sorted
double median_by_sorting(std::vector<double> x) {
  std::sort(x.begin(), x.end());
  double m = 0;
  for (std::size_t i = 0; i < x.size(); ++i)
    if (i == x.size() / 2) m = x[i];
  return m;
}
// [R] refused TF4026
std::vector<double> keep_positive(const std::vector<double>& x) {
  std::vector<double> r;
  for (double v : x)
    if (v > 0) r.push_back(v);
  return r;
}
// [R] refused: insertion sort
void insertion_sort(int* a, int n) {
  for (int i = 1; i < n; ++i) {
    const int v = a[i];
    int j = i - 1;
    while (j >= 0 && a[j] > v) {
      a[j + 1] = a[j];
      --j;
    }
    a[j + 1] = v;
  }
}
// [R] refused: pairs of elements
double closest_pair(const double* x, const double* y, int n) {
  double best = INFINITY;
  for (int i = 0; i < n; ++i)
    for (int j = i + 1; j < n; ++j) best = std::min(best, std::hypot(x[i] - x[j], y[i] - y[j]));
  return best;
}
// [R] refused
int inversions(const int* x, int n) {
  int c = 0;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < i; ++j) c += x[j] > x[i];
  return c;
}
// [R] refused
int longest_increasing_subsequence(const int* x, int n, int* len) {
  int best = 0;
  for (int i = 0; i < n; ++i) {
    len[i] = 1;
    for (int j = 0; j < i; ++j)
      if (x[j] < x[i]) len[i] = std::max(len[i], len[j] + 1);
    best = std::max(best, len[i]);
  }
  return best;
}
// [N] unknown: exact values keep the whole input apart
double exponential_nest(const double* x, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i) s = std::exp(s) + x[i] * x[i] + 1;
  return s;
}
// [N] unknown: logarithm of a sum with itself
double logarithm_nest(const double* x, int n) {
  double s = 1;
  for (int i = 0; i < n; ++i) s = std::log(s + 2) + std::exp(x[i]);
  return s;
}
