// Control flow, effects and calls that have no reading as a step: to be refused with place and reason.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

extern double from_elsewhere(double);
static int calls_so_far = 0;
extern int debug_level;
// [R] refused TF4013
int sum_with_goto(const int* x, int n) {
  int s = 0, i = 0;
again:
  if (i >= n) return s;
  s += x[i++];
  goto again;
}
// [R] refused
int goto_out_of_loop(const int* x, int n) {
  int s = 0;
  for (int i = 0; i < n; ++i) {
    if (x[i] < 0) goto bad;
    s += x[i];
  }
  return s;
bad:
  return -1;
}
// [R] refused TF4012
int sum_or_throw(const int* x, int n) {
  int s = 0;
  for (int i = 0; i < n; ++i) {
    if (x[i] < 0) throw std::invalid_argument("negative");
    s += x[i];
  }
  return s;
}
// [R] refused
int sum_in_try(const int* x, int n) {
  int s = 0;
  try {
    for (int i = 0; i < n; ++i) s += x[i];
  } catch (...) {
    s = -1;
  }
  return s;
}
// [R] refused
double sum_of_unknown(const double* x, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i) s += from_elsewhere(x[i]);
  return s;
}
// [R] refused
int sum_and_print(const int* x, int n) {
  int s = 0;
  for (int i = 0; i < n; ++i) {
    s += x[i];
    std::printf("%d\n", s);
  }
  return s;
}
// [R] refused
int sum_and_count_calls(const int* x, int n) {
  int s = 0;
  for (int i = 0; i < n; ++i) {
    s += x[i];
    ++calls_so_far;
  }
  return s;
}
// [R] refused TF4009
int sum_if_debugging(const int* x, int n) {
  int s = 0;
  for (int i = 0; i < n; ++i)
    if (debug_level > 0) s += x[i];
  return s;
}
// [R] refused TF4009
int static_counter(const int* x, int n) {
  static int total = 0;
  for (int i = 0; i < n; ++i) total += x[i];
  return total;
}
// [R] refused
double monte_carlo(const double* x, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i) s += x[i] * std::rand();
  return s;
}
// [R] refused
double noisy_sum(const double* x, int n, std::mt19937& g) {
  std::normal_distribution<double> d(0, 1);
  double s = 0;
  for (int i = 0; i < n; ++i) s += x[i] + d(g);
  return s;
}
// [R] refused TF4004
int poll_register(const volatile int* r, int n) {
  int s = 0;
  for (int i = 0; i < n; ++i) s += r[i];
  return s;
}
// [R] refused
void atomic_total(const int* x, int n, std::atomic<int>& total) {
  for (int i = 0; i < n; ++i) total += x[i];
}
// [R] refused TF4025
int recursive_sum(const int* x, int n) { return n == 0 ? 0 : x[0] + recursive_sum(x + 1, n - 1); }
// [R] refused
int sum_with_callback(const int* x, int n, int (*f)(int)) {
  int s = 0;
  for (int i = 0; i < n; ++i) s += f(x[i]);
  return s;
}
// [R] refused
int sum_with_std_function(const std::vector<int>& x, const std::function<int(int)>& f) {
  int s = 0;
  for (int v : x) s += f(v);
  return s;
}
struct shape {
  virtual double area() const = 0;
  virtual ~shape() = default;
};
// [R] refused
double total_area(const shape* const* s, int n) {
  double a = 0;
  for (int i = 0; i < n; ++i) a += s[i]->area();
  return a;
}
// [R] refused TF4014
int sum_with_assembly(const int* x, int n) {
  int s = 0;
  for (int i = 0; i < n; ++i) {
    asm volatile("" ::: "memory");
    s += x[i];
  }
  return s;
}
// [R] refused
int count_words_in_map(const std::vector<std::string>& w) {
  std::map<std::string, int> m;
  for (const auto& s : w) ++m[s];
  return static_cast<int>(m.size());
}
// [R] refused
std::string join(const std::vector<std::string>& w) {
  std::string r;
  for (const auto& s : w) r += s + ",";
  return r;
}
// [R] refused
double allocate_in_loop(const double* x, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i) {
    double* p = new double(x[i]);
    s += *p;
    delete p;
  }
  return s;
}
// [R] refused TF4018: no range
double iterate_until_converged(double x) {
  while (std::abs(x * x - 2) > 1e-9) x = 0.5 * (x + 2 / x);
  return x;
}
// [R] refused
int halving_steps(unsigned n) {
  int k = 0;
  while (n > 1) {
    n /= 2;
    ++k;
  }
  return k;
}
// [R] refused
int skip_by_data(const int* x, int n) {
  int s = 0;
  for (int i = 0; i < n; i += x[i] > 0 ? x[i] : 1) s += x[i];
  return s;
}
// [R] refused: until a sentinel, of unknown length
int c_string_length(const char* s) {
  int k = 0;
  while (*s++) ++k;
  return k;
}
struct node {
  int value;
  node* next;
};
// [R] refused
int list_sum(const node* head) {
  int s = 0;
  for (const node* p = head; p; p = p->next) s += p->value;
  return s;
}
// [R] refused
int both_ends(const int* x, int n) {
  int s = 0;
  for (int i = 0, j = n - 1; i < j; ++i, --j) s += x[i] * x[j];
  return s;
}
// [R] refused
bool palindrome(const char* s, int n) {
  for (int i = 0; i < n / 2; ++i)
    if (s[i] != s[n - 1 - i]) return false;
  return true;
}
// [R] refused
int binary_search(const int* x, int n, int key) {
  int lo = 0, hi = n;
  while (lo < hi) {
    const int mid = (lo + hi) / 2;
    if (x[mid] < key)
      lo = mid + 1;
    else
      hi = mid;
  }
  return lo;
}
// [R] refused
int merge_count(const int* a, int n, const int* b, int m) {
  int i = 0, j = 0, common = 0;
  while (i < n && j < m) {
    if (a[i] < b[j])
      ++i;
    else if (b[j] < a[i])
      ++j;
    else {
      ++common;
      ++i;
      ++j;
    }
  }
  return common;
}
// [R] refused
int sum_of_digits_inside(const int* x, int n) {
  int s = 0;
  for (int i = 0; i < n; ++i) {
    int v = x[i];
    while (v > 0) {
      s += v % 10;
      v /= 10;
    }
  }
  return s;
}
// [R] refused: a thread per element
void sum_in_threads(const int* x, int n, int* total) {
  for (int i = 0; i < n; ++i) {
    std::thread t([&] { *total += x[i]; });
    t.join();
  }
}
// [R] refused: in steps of four, and not what the loop over the rest does
double third_twice(const double* x, int n) {
  double s = 0;
  int i = 0;
  for (; i + 3 < n; i += 4) s += x[i] + x[i + 1] + x[i + 2] + x[i + 2];
  for (; i < n; ++i) s += x[i];
  return s;
}
// [R] refused: one beyond the end
double reads_too_far(const double* x, int n) {
  double s = 0;
  int i = 0;
  for (; i < n; i += 2) s += x[i] + x[i + 1];
  for (; i < n; ++i) s += x[i];
  return s;
}
// [R] refused: rounded down to another multiple than that of the step
double rounded_to_another_step(const double* x, int n) {
  double s = 0;
  const int whole = n - n % 2;
  int i = 0;
  for (; i < whole; i += 4) s += x[i] + x[i + 1] + x[i + 2] + x[i + 3];
  for (; i < n; ++i) s += x[i];
  return s;
}
// [R] refused: from 1, the last multiple of two is one step away
double rounded_down_from_one(const double* x, int n) {
  double s = 0;
  const int whole = n - n % 2;
  int i = 1;
  for (; i < whole; i += 2) s += x[i] + x[i + 1];
  for (; i < n; ++i) s += x[i];
  return s;
}
