// Loops that look like one that merges, and do not, or the other way round.
#include <algorithm>
#include <climits>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

// [N] not_associative, witness: divides by the old count
double welford_with_wrong_count(const double* x, int n) {
  double k = 1, mean = 0;
  for (int i = 0; i < n; ++i) {
    mean += (x[i] - mean) * (x[i] - mean) / k;
    k += 1;
  }
  return mean;
}
// [N] not_associative, witness: forgets to rescale
double online_softmax_without_rescale(const double* x, int n) {
  double m = 0, l = 0;
  for (int i = 0; i < n; ++i) {
    m = std::max(m, x[i]);
    l += std::exp(x[i] - m);
  }
  return l;
}
// [N] unknown: rescales by the element: the factor needs all running maxima, and no two pieces of rational numbers collide
double online_softmax_wrong_rescale(const double* x, int n) {
  double m = 0, l = 0;
  for (int i = 0; i < n; ++i) {
    const double next = std::max(m, x[i]);
    l = l * std::exp(m - x[i]) + std::exp(x[i] - next);
    m = next;
  }
  return l;
}
// [N] unknown: rescaled by a minimum, which would be right but for its start: 0·e^∞ is not a number, so the loop has no value on any input
double online_softmax_by_minimum(const double* x, int n) {
  double m = INFINITY, l = 0;
  for (int i = 0; i < n; ++i) {
    const double next = std::min(m, x[i]);
    l = l * std::exp(m - next) + std::exp(x[i] - next);
    m = next;
  }
  return m + std::log(l);
}
// [N] not_associative, witness: resets the wrong variable
int kadane_resets_best(const int* x, int n) {
  int here = 0, best = 0;
  for (int i = 0; i < n; ++i) {
    here += x[i];
    best = std::max(best, here);
    if (here < 0) {
      here = 0;
      best = best / 2;
    }
  }
  return best;
}
// [A] associative +2: the right one
int kadane_resets_here(const int* x, int n) {
  int here = 0, best = 0;
  for (int i = 0; i < n; ++i) {
    here += x[i];
    best = std::max(best, here);
    if (here < 0) here = 0;
  }
  return best;
}
// [N] not_associative, witness: modulo 2^32 the order of sums is lost
unsigned unsigned_max_prefix_sum(const unsigned* x, int n) {
  unsigned s = 0, best = 0;
  for (int i = 0; i < n; ++i) {
    s += x[i];
    best = std::max(best, s);
  }
  return best;
}
// [H] associative +0: the same over signed numbers
int signed_max_prefix_sum(const int* x, int n) {
  int s = 0, best = 0;
  for (int i = 0; i < n; ++i) {
    s += x[i];
    best = std::max(best, s);
  }
  return best;
}
// [N] not_associative, witness
std::uint8_t byte_max_suffix_sum(const std::uint8_t* x, int n) {
  std::uint8_t s = 0;
  for (int i = 0; i < n; ++i) s = std::max<std::uint8_t>(static_cast<std::uint8_t>(s + x[i]), 7);
  return s;
}
// [N] not_associative, witness: a saturated sum of signed numbers at two limits per piece differs from a clamp of the step alone
int clamp_after_doubling(const int* x, int n) {
  int s = 0;
  for (int i = 0; i < n; ++i) {
    s = 2 * s + x[i];
    if (s > 10 || s < -10) s = 0;
  }
  return s;
}
// [A] associative +3: affine, then clamped
double clamp_after_decay(const double* x, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i) s = std::clamp(0.5 * s + x[i], -10.0, 10.0);
  return s;
}
// [N] not_associative, witness: squares between
double ema_of_square_fed_back(const double* x, int n) {
  double y = 0;
  for (int i = 0; i < n; ++i) y = 0.9 * y * y + 0.1 * x[i];
  return y;
}
// [A] associative +1: squares of elements only
double ema_of_square(const double* x, int n) {
  double y = 0;
  for (int i = 0; i < n; ++i) y = 0.9 * y + 0.1 * x[i] * x[i];
  return y;
}
// [N] not_associative, witness: the rate depends on the state
double ema_with_attack_and_release(const double* x, int n) {
  double env = 0;
  for (int i = 0; i < n; ++i) {
    const double a = std::abs(x[i]);
    env += (a > env ? 0.5 : 0.125) * (a - env);
  }
  return env;
}
// [A] associative +1: the rate depends on the element
double ema_with_rate_by_element(const double* x, int n) {
  double env = 0;
  for (int i = 0; i < n; ++i) env += (x[i] > 1 ? 0.5 : 0.125) * (x[i] - env);
  return env;
}
// [N] not_associative, witness: a counter compared with another counter
int leader_changes(const int* vote, int n) {
  int a = 0, b = 0, changes = 0;
  bool a_leads = true;
  for (int i = 0; i < n; ++i) {
    if (vote[i] == 0) ++a;
    if (vote[i] == 1) ++b;
    if (a_leads ? b > a : a > b) {
      a_leads = !a_leads;
      ++changes;
    }
  }
  return changes;
}
// [H] associative +0
int margin(const int* vote, int n) {
  int a = 0, b = 0;
  for (int i = 0; i < n; ++i) {
    if (vote[i] == 0) ++a;
    if (vote[i] == 1) ++b;
  }
  return a > b ? a - b : b - a;
}
// [N] not_associative, witness: the second largest of distinct values, kept wrong
double second_largest_forgotten(const double* x, int n) {
  double a = 0, b = 0;
  for (int i = 0; i < n; ++i) {
    if (x[i] > a) a = x[i];
    else if (x[i] > b) b = x[i];
  }
  return b;
}
// [H] associative +0: the largest is handed down
double second_largest_handed_down(const double* x, int n) {
  double a = 0, b = 0;
  for (int i = 0; i < n; ++i) {
    if (x[i] > a) {
      b = a;
      a = x[i];
    } else if (x[i] > b)
      b = x[i];
  }
  return b;
}
// [N] not_associative, witness: the count is not started again at a new maximum
int count_of_maximum_not_reset(const int* x, int n) {
  int m = 0, k = 0;
  for (int i = 0; i < n; ++i) {
    if (x[i] >= m) ++k;
    m = std::max(m, x[i]);
  }
  return k;
}
// [N] not_associative, witness: rounding of the mean
int integer_running_mean(const int* x, int n) {
  int mean = 0;
  for (int i = 0; i < n; ++i) mean += (x[i] - mean) / (i + 1);
  return mean;
}
// [N] not_associative, witness: integer division between
int scaled_integer_ema(const int* x, int n) {
  int y = 0;
  for (int i = 0; i < n; ++i) y += (x[i] - y) / 8;
  return y;
}
// [N] not_associative, witness: reads the index against the state
int elements_larger_than_count(const int* x, int n) {
  int k = 0;
  for (int i = 0; i < n; ++i)
    if (x[i] > k) ++k;
  return k;
}
// [A] associative +1: reads the index, which pieces know
int elements_larger_than_index(const int* x, int n) {
  int k = 0;
  for (int i = 0; i < n; ++i)
    if (x[i] > i) ++k;
  return k;
}
// [N] not_associative, witness: the sum of elements larger than their own count
long sum_larger_than_own_index(const std::vector<int>& x) {
  long s = 0;
  int k = 0;
  for (int v : x) {
    if (v > k) {
      s += v;
      ++k;
    }
  }
  return s;
}
// [N] not_associative, witness: a product of a sum with a maximum
double maximum_times_sum_fed_back(const double* x, int n) {
  double m = 0;
  for (int i = 0; i < n; ++i) m = std::max(m, m * x[i] + 1);
  return m;
}
// [A] associative +1
double maximum_of_scaled(const double* x, int n) {
  double m = 0;
  for (int i = 0; i < n; ++i) m = std::max(0.5 * m, x[i]);
  return m;
}
// [N] not_associative, witness: a run that may be interrupted once
int longest_run_with_one_miss_greedy(const int* x, int n) {
  int cur = 0, best = 0, misses = 0;
  for (int i = 0; i < n; ++i) {
    if (x[i] == 1) {
      ++cur;
    } else if (misses < cur) {
      ++misses;
    } else {
      cur = 0;
      misses = 0;
    }
    best = std::max(best, cur);
  }
  return best;
}
// [N] not_associative, witness: a gap in time against the last that counted
int sessions_by_gap(const int* t, int n) {
  int start = -1000, c = 0;
  for (int i = 0; i < n; ++i) {
    if (t[i] - start > 30) {
      ++c;
      start = t[i];
    }
  }
  return c;
}
// [A] associative +1: a gap in time against the last
int sessions_by_idle_time(const int* t, int n) {
  int last = -1000000, c = 0;
  for (int i = 0; i < n; ++i) {
    if (t[i] - last > 30) ++c;
    last = t[i];
  }
  return c;
}
// [N] not_associative, witness: absolute value of the running sum
double sum_of_absolute_prefixes(const double* x, int n) {
  double s = 0, t = 0;
  for (int i = 0; i < n; ++i) {
    s += x[i];
    t += std::abs(s);
  }
  return t;
}
// [A] associative +1: without the absolute value
double sum_of_prefixes(const double* x, int n) {
  double s = 0, t = 0;
  for (int i = 0; i < n; ++i) {
    s += x[i];
    t += s;
  }
  return t;
}
// [N] not_associative, witness: the operator avg is not associative and neither is a rounded one
int average_of_two_rounded(const int* x, int n) {
  int a = 0;
  for (int i = 0; i < n; ++i) a = (a + x[i] + 1) / 2;
  return a;
}
// [A] associative +1
double average_of_two(const double* x, int n) {
  double a = 0;
  for (int i = 0; i < n; ++i) a = (a + x[i]) * 0.5;
  return a;
}
// [N] not_associative, witness: compares with a prefix that decays
int above_own_average(const double* x, int n) {
  double s = 0;
  int k = 0;
  for (int i = 0; i < n; ++i) {
    if (x[i] > 0.5 * s) ++k;
    s = 0.5 * s + x[i];
  }
  return k;
}
// [N] not_associative, witness: a hysteresis around a moving level
int hysteresis_around_last_trigger(const double* x, int n) {
  double level = 0;
  int k = 0;
  for (int i = 0; i < n; ++i) {
    if (x[i] > level + 1 || x[i] < level - 1) {
      level = x[i];
      ++k;
    }
  }
  return k;
}
// [N] not_associative, witness: min of squares of a sum
double smallest_square_of_sum(const double* x, int n) {
  double s = 0, best = 1e9;
  for (int i = 0; i < n; ++i) {
    s += x[i];
    best = std::min(best, s * s);
  }
  return best;
}
// [H] associative +0: the sum of squares is another matter
double square_of_smallest_sum(const double* x, int n) {
  double s = 0, low = 0;
  for (int i = 0; i < n; ++i) {
    s += x[i];
    low = std::min(low, s);
  }
  return low * low;
}
// [A] associative +1: minus five times, written from either side
double scaled_from_the_left(const double* x, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i) s = s * 0.5 + -5.0 * x[i];
  return s;
}
// [A] associative +1
double scaled_from_the_right(const double* x, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i) s = x[i] * 5.0 * -1 + 0.5 * s;
  return s;
}
// [N] not_associative, witness: min and max exchanged
double clamp_with_limits_from_state(const double* x, int n) {
  double lo = 0, hi = 1;
  for (int i = 0; i < n; ++i) {
    const double mid = 0.5 * (lo + hi);
    if (x[i] > mid)
      lo = mid;
    else
      hi = mid;
    hi = hi + 0.25 * x[i] * x[i];
  }
  return lo;
}
// [N] not_associative, witness: xor and plus in turn
unsigned xor_then_add(const unsigned* x, int n) {
  unsigned h = 0;
  for (int i = 0; i < n; ++i) h = (h ^ x[i]) + x[i];
  return h;
}
// [H] associative +0: xor of sums of elements only
unsigned xor_of_squares(const unsigned* x, int n) {
  unsigned h = 0;
  for (int i = 0; i < n; ++i) h ^= x[i] * x[i] + 1;
  return h;
}
// [N] not_associative, witness: a maximum of unsigned differences
unsigned unsigned_buy_and_sell(const unsigned* p, int n) {
  unsigned low = 0xffffffffu, best = 0;
  for (int i = 0; i < n; ++i) {
    low = std::min(low, p[i]);
    best = std::max(best, (p[i] - low) * 3u);
  }
  return best;
}
// [N] not_associative, witness: saturation from below by the wrong order
int floor_before_adding(const int* x, int n) {
  int s = 0;
  for (int i = 0; i < n; ++i) s = std::max(s, 0) / 2 + x[i];
  return s;
}
// [A] associative +2
int floor_before_adding_whole(const int* x, int n) {
  int s = 0;
  for (int i = 0; i < n; ++i) s = std::max(s, 0) + x[i];
  return s;
}
// [N] not_associative, witness: a product rounded towards zero at every step
int truncated_product(const int* x, int n) {
  int p = 8;
  for (int i = 0; i < n; ++i) p = p * x[i] / 2;
  return p;
}
// [N] not_associative, witness: the limit moves with the state
double clamp_to_twice_itself(const double* x, int n) {
  double s = 1;
  for (int i = 0; i < n; ++i) s = std::clamp(s + x[i], 0.5 * s, 2 * s + 1);
  return s;
}
// [N] not_associative, witness: an average of the first with all that follows
double half_old_half_square(const double* x, int n) {
  double a = 0;
  for (int i = 0; i < n; ++i) a = 0.5 * a * a + 0.5 * x[i];
  return a;
}
// [N] not_associative, witness: the index of the largest, read as data
int sum_of_positions_of_records(const int* x, int n) {
  int top = 0, s = 0;
  for (int i = 0; i < n; ++i) {
    if (x[i] > top) {
      top = x[i];
      s += i + 1;
    }
  }
  return s;
}
// [N] not_associative, witness: the length of the longest run decides how the next one counts
int runs_longer_than_the_best(const int* x, int n) {
  int cur = 0, best = 1, k = 0;
  for (int i = 0; i < n; ++i) {
    cur = x[i] == 1 ? cur + 1 : 0;
    if (cur > best) {
      best = cur;
      ++k;
    }
  }
  return k;
}
// [N] not_associative, witness: maximum drawdown relative to the peak so far counted once per peak
int times_below_half_of_the_peak(const double* x, int n) {
  double peak = 1;
  int k = 0;
  for (int i = 0; i < n; ++i) {
    if (x[i] < 0.5 * peak) ++k;
    peak = std::max(peak, x[i]);
  }
  return k;
}
// [N] not_associative, witness: a product with the sum before it
double sum_of_prefix_products_of_sums(const double* x, int n) {
  double s = 0, t = 0;
  for (int i = 0; i < n; ++i) {
    t = t + s * s * x[i];
    s = std::fabs(s + x[i]);
  }
  return t;
}
// [N] not_associative, witness: a saturating sum, then a remainder
int saturate_then_wrap(const int* x, int n) {
  int s = 0;
  for (int i = 0; i < n; ++i) {
    s = std::min(s + (x[i] & 15), 20);
    if (s % 7 == 6) s = s / 2;
  }
  return s;
}
// [N] not_associative, witness: the square is taken before the sum is complete
double sum_then_square_each_step(const double* x, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i) {
    const double t = s + x[i];
    s = t * t * 0.25;
  }
  return s;
}
// [N] not_associative, witness: the second difference against a threshold on the state
int events_with_refractory_level(const double* x, int n) {
  double level = 1;
  int k = 0;
  for (int i = 0; i < n; ++i) {
    if (x[i] > level) {
      ++k;
      level = level + 1;
    } else {
      level = std::max(1.0, level - 0.5);
    }
  }
  return k;
}
// [N] not_associative, witness: an index that skips by what it saw
int jumps_by_value(const int* x, int n) {
  int until = 0, k = 0;
  for (int i = 0; i < n; ++i) {
    if (i >= until) {
      ++k;
      until = i + 1 + (x[i] & 3);
    }
  }
  return k;
}
// [N] not_associative, witness: the greatest common divisor, minus one
int gcd_less_one(const int* x, int n) {
  int g = 0;
  for (int i = 0; i < n; ++i) {
    int a = g, b = x[i] > 0 ? x[i] : -x[i];
    g = (a + b) % 5 * (a > b ? 2 : 1) + b / 3;
  }
  return g;
}
// [A] associative +2: a clamp whose limits come with the element
double clamp_to_limits_of_the_element(const double* x, const double* lo, const double* hi, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i) s = std::min(std::max(s + x[i], lo[i]), hi[i]);
  return s;
}
// [A] associative +2: reset to a value of the element
double reset_to_element(const double* x, const bool* reset, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i) s = reset[i] ? x[i] : s + x[i];
  return s;
}
