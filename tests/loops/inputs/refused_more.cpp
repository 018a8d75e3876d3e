// More that has no reading: other memory, other control, other types.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <complex>
#include <cstring>
#include <deque>
#include <fstream>
#include <list>
#include <memory>
#include <numeric>
#include <queue>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

// [R] refused
int list_total(const std::list<int>& x) {
  int s = 0;
  for (int v : x) s += v;
  return s;
}
// [R] refused
int deque_total(const std::deque<int>& x) {
  int s = 0;
  for (int v : x) s += v;
  return s;
}
// [R] refused
double heap_of_largest(const std::vector<double>& x) {
  std::priority_queue<double> q;
  for (double v : x) q.push(v);
  return q.top();
}
// [R] refused
int words_by_hash_map(const std::vector<int>& x) {
  std::unordered_map<int, int> seen;
  int pairs = 0;
  for (int v : x) pairs += seen[v]++;
  return pairs;
}
// [R] refused
double sum_of_variants(const std::vector<std::variant<int, double>>& x) {
  double s = 0;
  for (const auto& v : x) s += v.index() == 0 ? std::get<0>(v) : std::get<1>(v);
  return s;
}
// [R] refused
double read_file_sum(const char* name, int n) {
  std::ifstream in(name);
  double s = 0, v = 0;
  for (int i = 0; i < n; ++i) {
    in >> v;
    s += v;
  }
  return s;
}
// [H] associative +0
std::size_t total_length(const std::vector<std::string>& w) {
  std::size_t k = 0;
  for (const auto& s : w) k += s.size();
  return k;
}
// [R] refused
int strings_compared(const char* const* words, int n, const char* key) {
  int k = 0;
  for (int i = 0; i < n; ++i) k += std::strcmp(words[i], key) == 0;
  return k;
}
// [R] refused
double pointer_to_pointer(const double* const* rows, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i) s += *rows[i];
  return s;
}
// [R] refused
int loop_in_a_lambda_that_counts(const int* x, int n) {
  int s = 0;
  auto next = [calls = 0]() mutable { return ++calls; };
  for (int i = 0; i < n; ++i) s += x[i] * next();
  return s;
}
struct base {
  int a = 0;
};
struct derived : base {
  int b = 0;
};
// [R] refused
int derived_state(const int* x, int n) {
  derived d;
  for (int i = 0; i < n; ++i) {
    d.a += x[i];
    d.b ^= x[i];
  }
  return d.a + d.b;
}
// [R] refused
int collatz_steps_per_element(const int* x, int n) {
  int s = 0;
  for (int i = 0; i < n; ++i)
    for (int v = x[i]; v > 1; v = v % 2 ? 3 * v + 1 : v / 2) ++s;
  return s;
}
// [R] refused
int inner_break(const int* a, int rows, int cols) {
  int k = 0;
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < cols; ++j) {
      if (a[i * cols + j] < 0) break;
      ++k;
    }
  return k;
}
// [R] refused
double reads_two_rows(const double* a, int rows, int cols) {
  double s = 0;
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < cols; ++j) s += a[i * cols + j] * a[j * cols + i];
  return s;
}
// [R] refused
double window_of_five(const double* x, int n) {
  double best = 0;
  for (int i = 0; i < n; ++i) {
    double s = 0;
    for (int j = i < 4 ? 0 : i - 4; j <= i; ++j) s += x[j];
    best = std::max(best, s);
  }
  return best;
}
// [R] refused
int partition_in_place(int* x, int n, int pivot) {
  int k = 0;
  for (int i = 0; i < n; ++i)
    if (x[i] < pivot) std::swap(x[i], x[k++]);
  return k;
}
// [R] refused
void sieve(bool* composite, int n) {
  for (int i = 2; i < n; ++i)
    if (!composite[i])
      for (int j = 2 * i; j < n; j += i) composite[j] = true;
}
// [N] not_associative, witness: the running maximum travels along
int bubble_pass(int* x, int n) {
  int swaps = 0;
  for (int i = 0; i + 1 < n; ++i)
    if (x[i] > x[i + 1]) {
      std::swap(x[i], x[i + 1]);
      ++swaps;
    }
  return swaps;
}
// [R] refused
int sum_while_not_found(const int* x, int key) {
  int s = 0;
  for (int i = 0; x[i] != key; ++i) s += x[i];
  return s;
}
// [R] refused
double two_arrays_of_other_lengths(const double* x, int n, const double* y, int m) {
  double s = 0;
  for (int i = 0, j = 0; i < n && j < m; ++i, j += 2) s += x[i] * y[j];
  return s;
}
// [R] refused
long double promoted(const float* x, int n) {
  long double s = 0;
  for (int i = 0; i < n; ++i) s += x[i];
  return s;
}
// [R] refused
int assigned_through_alias(const int* x, int n) {
  int a = 0, b = 0;
  int* p = &a;
  for (int i = 0; i < n; ++i) {
    *p += x[i];
    if (x[i] < 0) p = &b;
  }
  return a - b;
}
// [R] refused
int shared_count(const std::shared_ptr<int>& p, const int* x, int n) {
  for (int i = 0; i < n; ++i) *p += x[i];
  return *p;
}
// [R] refused
unsigned float_bits(const float* x, int n) {
  unsigned h = 0;
  for (int i = 0; i < n; ++i) h ^= std::bit_cast<unsigned>(x[i]);
  return h;
}
extern double table_of_globals[16];
// [R] refused
double global_table(const int* x, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i) s += table_of_globals[x[i] & 15];
  return s;
}
// [R] refused
int thread_local_total(const int* x, int n) {
  thread_local int total = 0;
  for (int i = 0; i < n; ++i) total += x[i];
  return total;
}
// [R] refused
int alternating_ends(const int* x, int n) {
  int s = 0;
  for (int i = 0; i < n; ++i) s += i % 2 ? x[n - 1 - i / 2] : x[i / 2];
  return s;
}
