// Largest, smallest, k best, where they are, how often they occur.
#include <algorithm>
#include <cfloat>
#include <climits>
#include <cmath>
#include <limits>
#include <span>
#include <utility>
#include <vector>

// [H] associative +0
double smallest_from_infinity(const double* x, int n) {
  double m = std::numeric_limits<double>::infinity();
  for (int i = 0; i < n; ++i) m = std::min(m, x[i]);
  return m;
}
// [H] associative +0
double largest_from_first(const double* x, int n) {
  double m = x[0];
  for (int i = 1; i < n; ++i)
    if (x[i] > m) m = x[i];
  return m;
}
// [H] associative +0
int largest_from_int_min(const int* x, int n) {
  int m = INT_MIN;
  for (int i = 0; i < n; ++i) m = x[i] > m ? x[i] : m;
  return m;
}
// [H] associative +0
float largest_of_non_negative(std::span<const float> x) {
  float m = 0;
  for (float v : x) m = std::fmax(m, v);
  return m;
}
// [H] associative +0
double peak_level(const float* x, int n) {
  double peak = 0;
  for (int i = 0; i < n; ++i) {
    const double a = std::fabs(x[i]);
    if (a > peak) peak = a;
  }
  return peak;
}
// [H] associative +0
double largest_algorithm(const std::vector<double>& x) { return *std::max_element(x.begin(), x.end()); }
// [H] associative +0
double spread(const double* x, int n) {
  double lo = DBL_MAX, hi = -DBL_MAX;
  for (int i = 0; i < n; ++i) {
    lo = std::min(lo, x[i]);
    hi = std::max(hi, x[i]);
  }
  return hi - lo;
}
// [H] associative +0
std::pair<double, double> bounds_of_span(std::span<const double> x) {
  double lo = x[0], hi = x[0];
  for (double v : x) {
    if (v < lo)
      lo = v;
    else if (v > hi)
      hi = v;
  }
  return {lo, hi};
}
// [H] associative +0
double spread_of_two_arrays(const double* a, const double* b, int n) {
  double amin = INFINITY, amax = -INFINITY, bmin = INFINITY, bmax = -INFINITY;
  for (int i = 0; i < n; ++i) {
    amin = std::min(amin, a[i]);
    amax = std::max(amax, a[i]);
    bmin = std::min(bmin, b[i]);
    bmax = std::max(bmax, b[i]);
  }
  return std::max(amax - bmin, bmax - amin);
}
// [H] associative +0
int two_smallest(const int* x, int n) {
  int m1 = INT_MAX, m2 = INT_MAX;
  for (int i = 0; i < n; ++i) {
    if (x[i] < m1) {
      m2 = m1;
      m1 = x[i];
    } else if (x[i] < m2) {
      m2 = x[i];
    }
  }
  return m1 + m2;
}
// [H] associative +0
double two_largest_min_max(const double* x, int n) {
  double a = -INFINITY, b = -INFINITY;
  for (int i = 0; i < n; ++i) {
    b = std::max(b, std::min(a, x[i]));
    a = std::max(a, x[i]);
  }
  return b;
}
// [H] associative +0
double third_smallest(const double* x, int n) {
  double a = 1e300, b = 1e300, c = 1e300;
  for (int i = 0; i < n; ++i) {
    const double v = x[i];
    if (v < a) {
      c = b;
      b = a;
      a = v;
    } else if (v < b) {
      c = b;
      b = v;
    } else if (v < c) {
      c = v;
    }
  }
  return c;
}
// [H] associative +0
void four_largest(const double* x, int n, double* best) {
  double b[4] = {-1e300, -1e300, -1e300, -1e300};
  for (int i = 0; i < n; ++i) {
    double v = x[i];
    for (int j = 0; j < 4; ++j) {
      if (v > b[j]) {
        const double t = b[j];
        b[j] = v;
        v = t;
      }
    }
  }
  for (int j = 0; j < 4; ++j) best[j] = b[j];
}
// [H] associative +0
int multiplicity_of_largest(const int* x, int n) {
  int m = INT_MIN, k = 0;
  for (int i = 0; i < n; ++i) {
    if (x[i] > m) {
      m = x[i];
      k = 1;
    } else if (x[i] == m) {
      ++k;
    }
  }
  return k;
}
// [H] associative +0
std::pair<double, int> smallest_and_count(const double* x, int n) {
  double m = INFINITY;
  int k = 0;
  for (int i = 0; i < n; ++i) {
    if (x[i] < m) {
      m = x[i];
      k = 0;
    }
    if (x[i] == m) ++k;
  }
  return {m, k};
}
// [A] associative +1: where the piece begins
int argmax_first(const double* x, int n) {
  int at = -1;
  double m = -INFINITY;
  for (int i = 0; i < n; ++i) {
    if (x[i] > m) {
      m = x[i];
      at = i;
    }
  }
  return at;
}
// [A] associative +1
int argmax_last(const float* x, int n) {
  int at = 0;
  for (int i = 1; i < n; ++i)
    if (x[i] >= x[at]) at = i;
  return at;
}
// [A] associative +1
long argmin_algorithm(const std::vector<double>& x) { return std::min_element(x.begin(), x.end()) - x.begin(); }
// [A] associative +1: the counter of the code itself
int argmax_own_counter(std::span<const double> x) {
  double m = -1e308;
  int at = 0, i = 0;
  for (double v : x) {
    if (m < v) {
      m = v;
      at = i;
    }
    ++i;
  }
  return at;
}
// [H] associative +0: the payload travels with the key
double payload_of_largest(const double* key, const double* payload, int n) {
  double best = -INFINITY, p = 0;
  for (int i = 0; i < n; ++i)
    if (key[i] > best) {
      best = key[i];
      p = payload[i];
    }
  return p;
}
// [H] associative +0
int nearest_colour(const int* palette, int n, int wanted) {
  int best = INT_MAX, colour = 0;
  for (int i = 0; i < n; ++i) {
    const int d = palette[i] > wanted ? palette[i] - wanted : wanted - palette[i];
    if (d < best) {
      best = d;
      colour = palette[i];
    }
  }
  return colour;
}
struct top2 {
  double first = -1e300, second = -1e300;
};
// [H] associative +0
top2 two_best_in_struct(const std::vector<double>& x) {
  top2 t;
  for (double v : x) {
    if (v > t.first) {
      t.second = t.first;
      t.first = v;
    } else if (v > t.second)
      t.second = v;
  }
  return t;
}
struct bid {
  double price;
  int who;
};
// [H] associative +0
bid best_bid(const bid* offers, int n) {
  bid best{-1, -1};
  for (int i = 0; i < n; ++i)
    if (offers[i].price > best.price) best = offers[i];
  return best;
}
// [H] associative +0
bid earliest_of_equal_bids(const std::vector<bid>& offers) {
  bid best{-INFINITY, -1};
  for (const bid& b : offers) {
    if (b.price > best.price || (b.price == best.price && b.who < best.who)) best = b;
  }
  return best;
}
struct box {
  float x0 = INFINITY, y0 = INFINITY, x1 = -INFINITY, y1 = -INFINITY;
};
// [H] associative +0
box bounding_box(const float* x, const float* y, int n) {
  box b;
  for (int i = 0; i < n; ++i) {
    b.x0 = std::min(b.x0, x[i]);
    b.y0 = std::min(b.y0, y[i]);
    b.x1 = std::max(b.x1, x[i]);
    b.y1 = std::max(b.y1, y[i]);
  }
  return b;
}
// [H] associative +0: an answer that says whether there was anything
double smallest_or_zero(const double* x, int n) {
  double m = INFINITY;
  for (int i = 0; i < n; ++i) m = std::fmin(m, x[i]);
  return m == INFINITY ? 0 : m;
}
// [H] associative +0
double smallest_positive(const double* x, int n) {
  double m = INFINITY;
  bool any = false;
  for (int i = 0; i < n; ++i) {
    if (x[i] > 0) {
      any = true;
      if (x[i] < m) m = x[i];
    }
  }
  return any ? m : -1;
}
// [H] associative +0
double clamp_peak(const double* x, int n, double ceiling) {
  double peak = 0;
  for (int i = 0; i < n; ++i) peak = std::clamp(std::abs(x[i]), peak, ceiling > peak ? ceiling : peak);
  return peak;
}
// [H] associative +0
int saturating_count(const bool* hit, int n) {
  int k = 0;
  for (int i = 0; i < n; ++i)
    if (hit[i] && k < 10) ++k;
  return k;
}
// [A] associative +1: second smallest, when only it and the smallest are carried and the answer is the second
double second_smallest_value(const double* x, int n) {
  double m1 = INFINITY, m2 = INFINITY;
  for (int i = 0; i < n; ++i) {
    m2 = std::min(m2, std::max(m1, x[i]));
    m1 = std::min(m1, x[i]);
  }
  return m2;
}
// [H] associative +0
double trimmed_sum(const double* x, int n) {
  double s = 0, lo = INFINITY, hi = -INFINITY;
  for (int i = 0; i < n; ++i) {
    s += x[i];
    lo = std::min(lo, x[i]);
    hi = std::max(hi, x[i]);
  }
  return (s - lo - hi) / (n - 2);
}
// [H] associative +0: lexicographic pair
std::pair<int, int> smallest_pair(const int* a, const int* b, int n) {
  int x = INT_MAX, y = INT_MAX;
  for (int i = 0; i < n; ++i) {
    if (a[i] < x || (a[i] == x && b[i] < y)) {
      x = a[i];
      y = b[i];
    }
  }
  return {x, y};
}
// [H] associative +0
double max_of_max_and_sum_guard(const double* x, int n, double floor_value) {
  double m = floor_value;
  int k = 0;
  for (int i = 0; i < n; ++i) {
    m = std::max(m, x[i]);
    k += x[i] > floor_value ? 1 : 0;
  }
  return k > 0 ? m : floor_value;
}
