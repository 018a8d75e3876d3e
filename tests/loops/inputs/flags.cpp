// Flags, first and last elements, searches and loops that are left early.
#include <algorithm>
#include <climits>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

// [H] associative +0
bool any_negative(const double* x, int n) {
  bool any = false;
  for (int i = 0; i < n; ++i) any = any || x[i] < 0;
  return any;
}
// [H] associative +0
bool any_negative_break(const double* x, int n) {
  bool any = false;
  for (int i = 0; i < n; ++i) {
    if (x[i] < 0) {
      any = true;
      break;
    }
  }
  return any;
}
// [H] associative +0
bool all_within(const double* x, int n, double limit) {
  for (int i = 0; i < n; ++i)
    if (x[i] > limit || x[i] < -limit) return false;
  return true;
}
// [H] associative +0
bool none_zero_algorithm(const std::vector<int>& x) {
  return std::none_of(x.begin(), x.end(), [](int v) { return v == 0; });
}
// [H] associative +0
bool all_of_bitwise(const bool* ok, int n) {
  bool all = true;
  for (int i = 0; i < n; ++i) all &= ok[i];
  return all;
}
// [H] associative +0
bool equal_arrays(const int* a, const int* b, int n) {
  for (int i = 0; i < n; ++i)
    if (a[i] != b[i]) return false;
  return true;
}
// [H] associative +0
double last_element(const double* x, int n) {
  double l = 0;
  for (int i = 0; i < n; ++i) l = x[i];
  return l;
}
// [H] associative +0
double last_positive(const double* x, int n) {
  double l = 0;
  for (int i = 0; i < n; ++i)
    if (x[i] > 0) l = x[i];
  return l;
}
// [H] associative +0
double first_element(const double* x, int n) {
  double first = 0;
  bool seen = false;
  for (int i = 0; i < n; ++i) {
    if (!seen) {
      first = x[i];
      seen = true;
    }
  }
  return first;
}
// [H] associative +0
int first_even_or(const int* x, int n, int otherwise) {
  for (int i = 0; i < n; ++i)
    if (x[i] % 2 == 0) return x[i];
  return otherwise;
}
// [H] associative +0
std::optional<double> first_above(std::span<const double> x, double c) {
  for (double v : x)
    if (v > c) return v;
  return std::nullopt;
}
// [A] associative +1: the length
int find_index(const int* x, int n, int key) {
  for (int i = 0; i < n; ++i)
    if (x[i] == key) return i;
  return -1;
}
// [A] associative +1
int find_index_while(const int* x, int n, int key) {
  int i = 0;
  while (i < n && x[i] != key) ++i;
  return i;
}
// [A] associative +1
int find_index_post_increment(const int* x, int n, int key) {
  int i = 0;
  while (i < n && x[i++] != key) {
  }
  return i;
}
// [A] associative +1
long find_algorithm(const std::vector<int>& x, int key) { return std::find(x.begin(), x.end(), key) - x.begin(); }
// [A] associative +1
int last_index_of(const int* x, int n, int key) {
  int at = -1;
  for (int i = 0; i < n; ++i)
    if (x[i] == key) at = i;
  return at;
}
// [H] associative +0: an explicit flag
int sum_until_negative(const int* x, int n) {
  int s = 0;
  for (int i = 0; i < n; ++i) {
    if (x[i] < 0) break;
    s += x[i];
  }
  return s;
}
// [H] associative +0
int sum_until_negative_flag(const int* x, int n) {
  int s = 0;
  bool stopped = false;
  for (int i = 0; i < n && !stopped; ++i) {
    if (x[i] < 0)
      stopped = true;
    else
      s += x[i];
  }
  return s;
}
// [A] associative +1: the whole sum
int sum_after_marker(const int* x, int n, int marker) {
  int s = 0;
  bool on = false;
  for (int i = 0; i < n; ++i) {
    if (on) s += x[i];
    if (x[i] == marker) on = true;
  }
  return s;
}
// [H] associative +0
int sum_until_marker_do_while(const int* x, int n) {
  int s = 0, i = 0;
  if (n == 0) return 0;
  do {
    s += x[i];
    if (x[i] == 0) break;
    ++i;
  } while (i < n);
  return s;
}
// [A] associative +1: is the first element a 99? From 99, 0 and 98, 1 comes 99, and after 0 the results are 0 and 99
int do_while_two_exits(const int* x, int n) {
  int s = 0, i = 0;
  if (n < 1) return 0;
  do {
    if (x[i] < 0) break;
    s += x[i];
  } while (++i < n && x[i] != 99);
  return s;
}
// [H] associative +0
int two_breaks(const int* x, int n) {
  int s = 0;
  for (int i = 0; i < n; ++i) {
    if (x[i] == -1) break;
    s += x[i];
    if (x[i] == 100) break;
  }
  return s;
}
// [H] associative +0
int two_loops_with_breaks(const int* x, int n) {
  int pos = 0, neg = 0;
  for (int i = 0; i < n; ++i) {
    if (x[i] == 0) break;
    if (x[i] > 0) pos += x[i];
  }
  for (int i = 0; i < n; ++i) {
    if (x[i] == 1000) break;
    if (x[i] < 0) neg += x[i];
  }
  return pos - neg;
}
// [H] associative +0
int sum_of_longest_non_negative_suffix(const int* x, int n) {
  int s = 0;
  bool all = true;
  for (int i = 0; i < n; ++i) {
    if (x[i] < 0) {
      s = 0;
      all = false;
    } else {
      s += x[i];
    }
  }
  return all ? s : -s;
}
// [A] associative +1: whether the piece has a reset
int sum_since_reset(const int* x, int n) {
  int s = 0;
  for (int i = 0; i < n; ++i) {
    if (x[i] == 0)
      s = 0;
    else
      s += x[i];
  }
  return s;
}
// [A] associative +1
double open_segment_sum(const double* x, const bool* starts, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i) {
    if (starts[i]) s = 0;
    s += x[i];
  }
  return s;
}
// [A] associative +1: a zero in the piece
bool zero_after_one(const int* x, int n) {
  bool seen1 = false, res = false;
  for (int i = 0; i < n; ++i) {
    if (x[i] == 1) seen1 = true;
    if (x[i] == 0 && seen1) res = true;
  }
  return res;
}
// [A] associative +1
int positives_after_first_zero(const int* x, int n) {
  bool f = false;
  int c = 0;
  for (int i = 0; i < n; ++i) {
    if (f && x[i] > 0) ++c;
    if (x[i] == 0) f = true;
  }
  return c;
}
// [H] associative +0: toggles
bool parity_of_hits(const bool* hit, int n) {
  bool odd = false;
  for (int i = 0; i < n; ++i)
    if (hit[i]) odd = !odd;
  return odd;
}
// [A] associative +1: whether the piece has a command
bool last_switch_position(const int* command, int n) {
  bool on = false;
  for (int i = 0; i < n; ++i) {
    if (command[i] == 1) on = true;
    if (command[i] == 0) on = false;
  }
  return on;
}
// [A] associative +1: set, clear and toggle
bool set_clear_toggle(const int* command, int n) {
  bool on = false;
  for (int i = 0; i < n; ++i) {
    switch (command[i]) {
      case 0: on = false; break;
      case 1: on = true; break;
      case 2: on = !on; break;
      default: break;
    }
  }
  return on;
}
// [H] associative +0
bool contains_char(std::string_view s, char c) {
  for (char d : s)
    if (d == c) return true;
  return false;
}
// [H] associative +0
int first_and_last(const int* x, int n) {
  int first = x[0], last = x[0];
  for (int i = 1; i < n; ++i) last = x[i];
  return last - first;
}
// [H] associative +0
int keep_if_nothing_yet(const int* x, int n) {
  int chosen = -1;
  for (int i = 0; i < n; ++i)
    if (chosen < 0 && x[i] > 10) chosen = x[i];
  return chosen;
}
// [H] associative +0
int first_or_default_with_latch(const std::vector<int>& x) {
  int value = INT_MIN;
  for (int v : x) {
    if (value == INT_MIN && v != INT_MIN) value = v;
  }
  return value;
}
