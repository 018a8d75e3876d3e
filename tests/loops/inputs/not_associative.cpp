// Loops whose state has no merge, and for which no small state is known: two pieces end in the same state and act differently.
#include <algorithm>
#include <climits>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <vector>

// [N] not_associative, witness
int majority_candidate(const int* v, int n) {
  int candidate = 0, count = 0;
  for (int i = 0; i < n; ++i) {
    if (count == 0) {
      candidate = v[i];
      count = 1;
    } else if (v[i] == candidate) {
      ++count;
    } else {
      --count;
    }
  }
  return candidate;
}
// [N] not_associative, witness: quantised as it goes
double running_quantised_dot(const double* x, const double* w, int n) {
  double largest = 0, s = 0;
  for (int i = 0; i < n; ++i) {
    largest = std::max(largest, std::abs(x[i]));
    const double step = largest / 8;
    if (step > 0) s += std::round(x[i] / step) * step * w[i];
  }
  return s;
}
// [N] not_associative, witness
double logistic_map(const double* r, int n) {
  double s = 0.5;
  for (int i = 0; i < n; ++i) s = r[i] * s * (1 - s);
  return s;
}
// [N] not_associative, witness
double median_by_steps(const double* x, int n) {
  double m = 0;
  for (int i = 0; i < n; ++i) {
    if (x[i] > m)
      m += 1;
    else if (x[i] < m)
      m -= 1;
  }
  return m;
}
// [N] not_associative, witness: frugal quantile
int frugal_quantile(const int* x, int n) {
  int q = 0;
  for (int i = 0; i < n; ++i) {
    if (x[i] > q) q += 3;
    if (x[i] < q) q -= 1;
  }
  return q;
}
// [N] not_associative, witness
double squared_recurrence(const double* c, int n) {
  double z = 0;
  for (int i = 0; i < n; ++i) z = z * z + c[i];
  return z;
}
// [N] not_associative, witness
double step_towards(const double* target, int n) {
  double p = 0;
  for (int i = 0; i < n; ++i) {
    const double d = target[i] - p;
    p += d > 1 ? 1 : d < -1 ? -1 : d / 2;
  }
  return p;
}
// [N] not_associative, witness: a dead zone that follows
double backlash(const double* x, int n) {
  double y = 0, s = 0;
  for (int i = 0; i < n; ++i) {
    if (x[i] > y + 1) y = x[i] - 1;
    if (x[i] < y - 1) y = x[i] + 1;
    s += std::abs(y) * x[i];
  }
  return s;
}
// [N] not_associative, witness
int collatz_walk(const int* add, int n) {
  int c = 1;
  for (int i = 0; i < n; ++i) {
    c += add[i] > 0 ? add[i] : -add[i];
    c = c % 2 == 0 ? c / 2 : 3 * c + 1;
  }
  return c;
}
// [N] not_associative, witness
int integer_halving(const int* x, int n) {
  int s = 0;
  for (int i = 0; i < n; ++i) s = (s + x[i]) / 2;
  return s;
}
// [N] not_associative, witness: rounding at every step
double rounded_accumulator(const double* x, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i) s = std::round(s * 0.5 + x[i]);
  return s;
}
// [N] not_associative, witness
double truncated_average(const double* x, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i) s = std::floor((s + x[i]) / 2);
  return s;
}
// [N] not_associative, witness
double newton_root(const double* a, int n) {
  double y = 1;
  for (int i = 0; i < n; ++i) y = 0.5 * (y + a[i] * a[i] / (1 + y * y));
  return y;
}
// [N] not_associative, witness
double sine_iteration(const double* x, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i) s = std::sin(s) + x[i];
  return s;
}
// [N] not_associative, witness: a neuron with memory
double tanh_recurrence(const double* x, int n, double w) {
  double h = 0;
  for (int i = 0; i < n; ++i) h = std::tanh(w * h + x[i]);
  return h;
}
// [N] not_associative, witness
double gated_unit(const double* x, const double* z, int n) {
  double h = 0;
  for (int i = 0; i < n; ++i) {
    const double c = x[i] > h ? x[i] : h * h;
    h = z[i] * h + (1 - z[i]) * c;
  }
  return h;
}
// [N] not_associative, witness: spends what is there
int greedy_knapsack(const int* weight, int n) {
  int room = 10, taken = 0;
  for (int i = 0; i < n; ++i) {
    if (weight[i] > 0 && weight[i] <= room) {
      room -= weight[i];
      ++taken;
    }
  }
  return taken;
}
// [N] not_associative, witness
int bins_by_next_fit(const int* size, int n) {
  int bins = 1, fill = 0;
  for (int i = 0; i < n; ++i) {
    const int s = size[i] > 0 ? size[i] : 0;
    if (fill + s > 10) {
      ++bins;
      fill = 0;
    }
    fill += s;
  }
  return bins;
}
// [N] not_associative, witness
double geiger_dead_time(const double* t, int n, double dead) {
  double last = -1e9, count = 0;
  for (int i = 0; i < n; ++i) {
    if (t[i] - last > dead) {
      count += 1;
      last = t[i];
    }
  }
  return count;
}
// [N] not_associative, witness
int elements_above_all_before_plus_one(const int* x, int n) {
  int top = 0, c = 0;
  for (int i = 0; i < n; ++i) {
    if (x[i] > top + 1) {
      top = x[i];
      ++c;
    }
  }
  return c;
}
// [N] not_associative, witness: left to right maxima
int records(const int* x, int n) {
  int top = INT_MIN, c = 0;
  for (int i = 0; i < n; ++i) {
    if (x[i] > top) {
      top = x[i];
      ++c;
    }
  }
  return c;
}
// [N] not_associative, witness
double sum_of_records(const double* x, int n) {
  double top = 0, s = 0;
  for (int i = 0; i < n; ++i) {
    if (x[i] > top) {
      top = x[i];
      s += x[i];
    }
  }
  return s;
}
// [N] not_associative, witness: water over a profile
double sum_of_running_maxima(const double* x, int n) {
  double top = 0, s = 0;
  for (int i = 0; i < n; ++i) {
    top = std::max(top, x[i]);
    s += top;
  }
  return s;
}
// [N] not_associative, witness
double water_from_the_left(const double* h, int n) {
  double top = 0, water = 0;
  for (int i = 0; i < n; ++i) {
    top = std::max(top, h[i]);
    water += top - h[i];
  }
  return water;
}
// [N] not_associative, witness
int visible_buildings(const std::vector<int>& h) {
  int top = 0, seen = 0;
  for (int v : h) {
    seen += v > top;
    top = std::max(top, v);
  }
  return seen;
}
// [N] not_associative, witness
double max_of_sum_and_twice(const double* x, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i) s = std::abs(s - x[i]);
  return s;
}
// [N] not_associative, witness
double sum_times_maximum_so_far(const double* x, int n) {
  double m = 1, s = 0;
  for (int i = 0; i < n; ++i) {
    m = std::max(m, x[i]);
    s += m * x[i];
  }
  return s;
}
// [N] not_associative, witness: how often the sum is positive
int times_in_the_black(const double* x, int n) {
  double s = 0;
  int k = 0;
  for (int i = 0; i < n; ++i) {
    s += x[i];
    if (s > 0) ++k;
  }
  return k;
}
// [N] not_associative, witness
int sign_changes_of_prefix_sum(const int* x, int n) {
  int s = 0, c = 0;
  for (int i = 0; i < n; ++i) {
    const int t = s + x[i];
    if ((s > 0 && t < 0) || (s < 0 && t > 0)) ++c;
    s = t;
  }
  return c;
}
// [N] not_associative, witness
double sum_of_positive_prefixes(const double* x, int n) {
  double s = 0, t = 0;
  for (int i = 0; i < n; ++i) {
    s += x[i];
    if (s > 0) t += s;
  }
  return t;
}
// [N] not_associative, witness: the first time a threshold is passed
int first_time_sum_exceeds(const int* x, int n, int k) {
  int s = 0;
  for (int i = 0; i < n; ++i) {
    s += x[i];
    if (s > k) return i;
  }
  return -1;
}
// [N] not_associative, witness
double stop_loss(const double* gain, int n, double limit) {
  double s = 0;
  for (int i = 0; i < n; ++i) {
    s += gain[i];
    if (s < -limit || s > limit) s = 0;
  }
  return s;
}
// [N] not_associative, witness
double energy_with_threshold_reset(const double* i_in, int n) {
  double v = 0, spikes = 0;
  for (int i = 0; i < n; ++i) {
    v = 0.9 * v + i_in[i];
    if (v > 1) {
      v = 0;
      spikes += 1;
    }
  }
  return spikes;
}
// [N] not_associative, witness
int elevator_with_capacity(const int* boarding, int n) {
  int load = 0, trips = 0;
  for (int i = 0; i < n; ++i) {
    load += boarding[i] & 3;
    if (load >= 5) {
      load -= 5;
      trips += 2;
      load = load > 1 ? 1 : load;
    }
  }
  return trips * 10 + load;
}
// [N] not_associative, witness: subtractions of absolute values
int absolute_difference_fold(const int* x, int n) {
  int d = 0;
  for (int i = 0; i < n; ++i) d = std::abs(x[i] - d);
  return d;
}
// [N] not_associative, witness
unsigned mixing_hash(const unsigned* x, int n) {
  unsigned h = 0;
  for (int i = 0; i < n; ++i) {
    h ^= x[i];
    h *= 16777619u;
  }
  return h;
}
// [N] not_associative, witness
std::uint32_t murmur_like(const std::uint32_t* k, int n) {
  std::uint32_t h = 1;
  for (int i = 0; i < n; ++i) {
    h ^= k[i];
    h = (h << 13) | (h >> 19);
    h = h * 5 + 0xe6546b64u;
  }
  return h;
}
// [N] not_associative, witness
unsigned xorshift_with_sum(const unsigned* x, int n) {
  unsigned s = 1;
  for (int i = 0; i < n; ++i) {
    s += x[i];
    s ^= s >> 3;
  }
  return s;
}
// [N] not_associative, witness
int mode_of_neighbours(const int* x, int n) {
  int best = 0, score = 0;
  for (int i = 0; i < n; ++i) {
    if (x[i] == best)
      score += 2;
    else if (score > 0)
      score -= 1;
    else
      best = x[i];
  }
  return best;
}
// [N] not_associative, witness
double adaptive_gain(const double* x, int n) {
  double g = 1;
  for (int i = 0; i < n; ++i) {
    const double y = g * x[i];
    if (y > 1)
      g *= 0.5;
    else
      g += 0.125;
  }
  return g;
}
// [N] not_associative, witness
double normalised_lms(const double* x, const double* d, int n) {
  double w = 0, p = 1;
  for (int i = 0; i < n; ++i) {
    const double e = d[i] - w * x[i];
    p = 0.5 * p + x[i] * x[i];
    w += e * x[i] / p;
    if (w > 2) w = 2 - w * w;
  }
  return w;
}
// [N] not_associative, witness
int two_player_race(const int* dice, int n) {
  int a = 0, b = 0;
  for (int i = 0; i < n; ++i) {
    if (a <= b)
      a += dice[i] & 7;
    else
      b += dice[i] & 7;
  }
  return a - b;
}
// [N] not_associative, witness
int longest_chain_greedy(const int* x, int n) {
  int last = -100, len = 0;
  for (int i = 0; i < n; ++i) {
    if (x[i] > last) {
      last = x[i];
      len += 1;
    } else if (x[i] == last - 1) {
      len -= 1;
    }
  }
  return len;
}
// [N] not_associative, witness
double product_of_one_plus_prefix(const double* x, int n) {
  double s = 0, p = 1;
  for (int i = 0; i < n; ++i) {
    s += x[i];
    p *= 1 + s;
  }
  return p;
}
// [N] not_associative, witness: a maximum of ratios
double best_average_prefix(const double* x, int n) {
  double s = 0, k = 0, best = 0;
  for (int i = 0; i < n; ++i) {
    s += x[i];
    k += 1;
    best = std::max(best, s / k);
  }
  return best;
}
// [N] not_associative, witness
double decayed_maximum_of_sum(const double* x, int n) {
  double s = 0, m = 0;
  for (int i = 0; i < n; ++i) {
    s = 0.5 * s + x[i];
    m = std::max(m, s * s);
  }
  return m;
}
// [N] unknown: collisions need an element e times another
double power_tower_like(const double* x, int n) {
  double t = 1;
  for (int i = 0; i < n; ++i) t = std::exp(-t) * x[i];
  return t;
}
