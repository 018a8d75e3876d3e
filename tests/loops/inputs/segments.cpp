// Best prefixes, suffixes and segments; dynamic programming along a line.
#include <algorithm>
#include <climits>
#include <cmath>
#include <numeric>
#include <vector>

// [H] associative +0
double max_prefix_sum(const double* x, int n) {
  double s = 0, best = 0;
  for (int i = 0; i < n; ++i) {
    s += x[i];
    best = std::max(best, s);
  }
  return best;
}
// [H] associative +0
double max_nonempty_prefix(const double* x, int n) {
  double s = 0, best = -INFINITY;
  for (int i = 0; i < n; ++i) {
    s += x[i];
    if (s > best) best = s;
  }
  return best;
}
// [H] associative +0
int lowest_balance(const int* change, int n) {
  int balance = 0, lowest = 0;
  for (int i = 0; i < n; ++i) {
    balance += change[i];
    if (balance < lowest) lowest = balance;
  }
  return lowest;
}
// [A] associative +1: the sum
double max_suffix_sum(const double* x, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i) s = std::max(s + x[i], 0.0);
  return s;
}
// [A] associative +1
int queue_length(const int* arrivals, int n, int served) {
  int q = 0;
  for (int i = 0; i < n; ++i) {
    q += arrivals[i] - served;
    if (q < 0) q = 0;
  }
  return q;
}
// [A] associative +2: sum and best prefix
int max_segment_sum(const int* x, int n) {
  int here = 0, best = 0;
  for (int i = 0; i < n; ++i) {
    here = std::max(0, here + x[i]);
    best = std::max(best, here);
  }
  return best;
}
// [A] associative +2
double max_segment_sum_nonempty(const double* x, int n) {
  double here = x[0], best = x[0];
  for (int i = 1; i < n; ++i) {
    here = std::max(here + x[i], x[i]);
    best = std::max(best, here);
  }
  return best;
}
// [A] associative +2
int max_segment_sum_branches(const std::vector<int>& x) {
  int here = 0, best = INT_MIN;
  for (int v : x) {
    if (here < 0) here = 0;
    here += v;
    if (here > best) best = here;
  }
  return best;
}
// [A] associative +2
double min_segment_sum(const double* x, int n) {
  double here = 0, best = 0;
  for (int i = 0; i < n; ++i) {
    here = std::min(here + x[i], 0.0);
    best = std::min(best, here);
  }
  return best;
}
// [A] associative +1: the length
int position_of_best_prefix(const int* x, int n) {
  int t = 0, mps = 0, pos = 0;
  for (int i = 0; i < n; ++i) {
    t += x[i];
    if (t > mps) {
      mps = t;
      pos = i + 1;
    }
  }
  return pos;
}
// [A] associative +2: sum, length
int start_of_best_suffix(const int* x, int n) {
  int mts = 0, pos = 0;
  for (int i = 0; i < n; ++i) {
    mts += x[i];
    if (mts < 0) {
      mts = 0;
      pos = i + 1;
    }
  }
  return pos;
}
// [A] associative +1: the minimum prefix product
double max_prefix_product(const double* x, int n) {
  double p = 1, best = 1;
  for (int i = 0; i < n; ++i) {
    p *= x[i];
    best = std::max(best, p);
  }
  return best;
}
// [A] associative +2: product, minimum suffix product
double max_suffix_product(const double* x, int n) {
  double hi = 1, lo = 1;
  for (int i = 0; i < n; ++i) {
    const double a = hi * x[i], b = lo * x[i];
    hi = std::max(1.0, std::max(a, b));
    lo = std::min(1.0, std::min(a, b));
  }
  return hi;
}
// [M] associative +13: a 4 by 4 matrix over (max, +)
int best_alternating_segment(const int* x, int n) {
  int p = 0, q = 0, best = 0;
  for (int i = 0; i < n; ++i) {
    const int t = std::max(0, q + x[i]);
    q = std::max(0, p - x[i]);
    p = t;
    best = std::max(best, std::max(p, q));
  }
  return best;
}
// [M] associative +2: a 2 by 2 matrix over (max, +), of which a single element lacks one entry: no entry is above take where there is one, so take + 1 says that there is none
int independent_set_on_a_line(const int* w, int n) {
  int take = 0, skip = 0;
  for (int i = 0; i < n; ++i) {
    const int t = skip + w[i];
    skip = std::max(skip, take);
    take = t;
  }
  return std::max(take, skip);
}
// [M] associative +2
double house_robber_two_variables(const std::vector<double>& v) {
  double a = 0, b = 0;
  for (double x : v) {
    const double c = std::max(b, a + x);
    a = b;
    b = c;
  }
  return b;
}
// [A] associative +1: the maximum
double best_buy_then_sell(const double* price, int n) {
  double lowest = INFINITY, best = 0;
  for (int i = 0; i < n; ++i) {
    best = std::max(best, price[i] - lowest);
    lowest = std::min(lowest, price[i]);
  }
  return best;
}
// [A] associative +1
double deepest_drawdown(const double* equity, int n) {
  double peak = equity[0], worst = 0;
  for (int i = 1; i < n; ++i) {
    if (equity[i] > peak) peak = equity[i];
    const double down = peak - equity[i];
    if (down > worst) worst = down;
  }
  return worst;
}
// [M] associative +2: cash and stock with a fee
double trade_with_fee(const double* price, int n, double fee) {
  double cash = 0, stock = -1e18;
  for (int i = 0; i < n; ++i) {
    const double sell = stock + price[i] - fee;
    const double buy = cash - price[i];
    cash = std::max(cash, sell);
    stock = std::max(stock, buy);
  }
  return cash;
}
// [M] associative +2: two lanes with a cost to switch
double two_lanes(const double* a, const double* b, int n, double toll) {
  double l = 0, r = 0;
  for (int i = 0; i < n; ++i) {
    const double nl = std::min(l, r + toll) + a[i];
    const double nr = std::min(r, l + toll) + b[i];
    l = nl;
    r = nr;
  }
  return std::min(l, r);
}
// [M] associative +6: Viterbi with two states, scores in logarithms
double viterbi_two_states(const double* s0, const double* s1, int n, double stay, double move) {
  double a = 0, b = 0;
  for (int i = 0; i < n; ++i) {
    const double na = std::max(a + stay, b + move) + s0[i];
    const double nb = std::max(a + move, b + stay) + s1[i];
    a = na;
    b = nb;
  }
  return std::max(a, b);
}
// [M] associative +6: three climbing steps
int cheapest_stairs(const int* cost, int n) {
  int a = 0, b = 0;
  for (int i = 0; i < n; ++i) {
    const int c = cost[i] + std::min(a, b);
    a = b;
    b = c;
  }
  return std::min(a, b);
}
// [M] associative +2: number of ways
long long fibonacci_like_ways(const int* open, int n) {
  long long a = 0, b = 1;
  for (int i = 0; i < n; ++i) {
    const long long c = open[i] ? a + b : 0;
    a = b;
    b = c;
  }
  return b;
}
// [A] associative +2: best segment under a gain per element
float best_local_score(const float* match, int n, float drop) {
  float h = 0, best = 0;
  for (int i = 0; i < n; ++i) {
    h = std::fmax(0.0f, h + match[i] - drop);
    best = std::fmax(best, h);
  }
  return best;
}
// [H] associative +0
double highest_point(const double* dx, int n, double start) {
  double at = start, top = start;
  for (int i = 0; i < n; ++i) {
    at += dx[i];
    top = std::fmax(top, at);
  }
  return top;
}
// [H] associative +0
bool ever_negative(const double* dx, int n) {
  double at = 0, low = 0;
  for (int i = 0; i < n; ++i) {
    at += dx[i];
    low = std::min(low, at);
  }
  return low < 0;
}
// [A] associative +2
int sum_range_of_prefixes(const int* x, int n) {
  int s = 0, lo = 0, hi = 0;
  for (int i = 0; i < n; ++i) {
    s += x[i];
    lo = std::min(lo, s);
    hi = std::max(hi, s);
  }
  return hi - lo;
}
// [A] associative +1: last prefix that is lowest
double prefix_peak_minus_prefix_low(const double* x, int n) {
  double s = 0, low = 0, best = 0;
  for (int i = 0; i < n; ++i) {
    s += x[i];
    best = std::max(best, s - low);
    low = std::min(low, s);
  }
  return best;
}
