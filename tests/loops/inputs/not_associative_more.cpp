// More loops without a merge: feedback through a comparison, a product, a rounding or a remainder.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

// [N] not_associative, witness
int parity_steered_walk(const int* x, int n) {
  int p = 0;
  for (int i = 0; i < n; ++i) p = p % 2 == 0 ? p + x[i] : p - 2 * x[i] + 1;
  return p;
}
// [N] not_associative, witness
double relaxation(const double* x, int n) {
  double y = 1;
  for (int i = 0; i < n; ++i) y += 0.25 * (x[i] - y * y);
  return y;
}
// [N] not_associative, witness
double predator_prey(const double* food, int n) {
  double a = 1, b = 1;
  for (int i = 0; i < n; ++i) {
    const double na = a + 0.125 * (food[i] * a - a * b);
    b = b + 0.125 * (a * b - b);
    a = na;
  }
  return a + b;
}
// [N] not_associative, witness
double saturating_growth(const double* r, int n) {
  double p = 0.5;
  for (int i = 0; i < n; ++i) p = p + r[i] * p * (1 - p);
  return p;
}
// [N] not_associative, witness
int stack_machine_top(const int* op, int n) {
  int top = 0, under = 0;
  for (int i = 0; i < n; ++i) {
    if (op[i] > 0) {
      under = top;
      top = op[i];
    } else {
      top = top * under;
    }
  }
  return top;
}
// [N] not_associative, witness
int nearest_of_two_centres(const int* x, int n) {
  int a = 0, b = 10;
  for (int i = 0; i < n; ++i) {
    if (std::abs(x[i] - a) < std::abs(x[i] - b))
      a = (a + x[i]) / 2;
    else
      b = (b + x[i]) / 2;
  }
  return a - b;
}
// [N] not_associative, witness
double online_kmeans_one_dimension(const double* x, int n) {
  double a = -1, b = 1;
  for (int i = 0; i < n; ++i) {
    if (std::fabs(x[i] - a) < std::fabs(x[i] - b))
      a += 0.25 * (x[i] - a);
    else
      b += 0.25 * (x[i] - b);
  }
  return b - a;
}
// [N] not_associative, witness
int perceptron_mistakes(const int* x, const int* y, int n) {
  int w = 0, mistakes = 0;
  for (int i = 0; i < n; ++i) {
    const int guess = w * x[i] >= 0 ? 1 : -1;
    if (guess != (y[i] > 0 ? 1 : -1)) {
      w += y[i] > 0 ? x[i] : -x[i];
      ++mistakes;
    }
  }
  return mistakes;
}
// [N] not_associative, witness
double hinge_descent(const double* x, int n) {
  double w = 0;
  for (int i = 0; i < n; ++i)
    if (w * x[i] < 1) w += 0.5 * x[i];
  return w;
}
// [N] not_associative, witness
double soft_threshold_walk(const double* x, int n) {
  double w = 0;
  for (int i = 0; i < n; ++i) {
    w += x[i];
    w = w > 1 ? w - 1 : w < -1 ? w + 1 : 0;
  }
  return w;
}
// [N] not_associative, witness
int change_counter_with_memory(const int* x, int n) {
  int reference = 0, c = 0;
  for (int i = 0; i < n; ++i) {
    if (x[i] > reference + 2) {
      ++c;
      reference = x[i];
    } else if (x[i] < reference - 2) {
      ++c;
      reference = x[i] + 1;
    }
  }
  return c;
}
// [N] not_associative, witness
int zigzag_turning_points(const int* x, int n) {
  int extreme = 0, turns = 0;
  bool up = true;
  for (int i = 0; i < n; ++i) {
    if (up) {
      if (x[i] > extreme)
        extreme = x[i];
      else if (x[i] < extreme - 2) {
        up = false;
        extreme = x[i];
        ++turns;
      }
    } else {
      if (x[i] < extreme)
        extreme = x[i];
      else if (x[i] > extreme + 2) {
        up = true;
        extreme = x[i];
        ++turns;
      }
    }
  }
  return turns;
}
// [N] not_associative, witness
double trailing_stop(const double* price, int n) {
  double stop = 0, profit = 0;
  for (int i = 0; i < n; ++i) {
    if (price[i] < stop) {
      profit += stop;
      stop = 0;
    } else {
      stop = std::max(stop, price[i] - 2);
    }
  }
  return profit;
}
// [N] not_associative, witness
double renko_bricks(std::span<const double> price) {
  double base = 0, bricks = 0;
  for (double p : price) {
    if (p >= base + 1) {
      base += 1;
      bricks += 1;
    } else if (p <= base - 1) {
      base -= 1;
      bricks += 1;
    }
  }
  return bricks;
}
// [N] not_associative, witness
int merge_of_intervals(const int* start, const int* length, int n) {
  int end = -1, pieces = 0;
  for (int i = 0; i < n; ++i) {
    if (start[i] > end) ++pieces;
    end = std::max(end, start[i] + length[i]);
  }
  return pieces;
}
// [N] not_associative, witness
int covered_length(const int* start, const int* stop, int n) {
  int end = 0, covered = 0;
  for (int i = 0; i < n; ++i) {
    const int from = std::max(start[i], end);
    if (stop[i] > from) {
      covered += stop[i] - from;
      end = stop[i];
    }
  }
  return covered;
}
// [N] not_associative, witness
int meetings_attended(const int* start, const int* stop, int n) {
  int free_from = 0, attended = 0;
  for (int i = 0; i < n; ++i) {
    if (start[i] >= free_from && stop[i] >= start[i]) {
      free_from = stop[i];
      ++attended;
    }
  }
  return attended;
}
// [N] not_associative, witness
double waiting_times(const double* gap, const double* service, int n) {
  double wait = 0, total = 0;
  for (int i = 0; i < n; ++i) {
    wait = std::max(0.0, wait + service[i] - gap[i]);
    total += wait;
  }
  return total;
}
// [N] not_associative, witness
int idle_slots(const int* arrive, int n) {
  int q = 0, idle = 0;
  for (int i = 0; i < n; ++i) {
    q += arrive[i] & 3;
    if (q == 0)
      ++idle;
    else
      q -= 2;
    if (q < 0) q = 1;
  }
  return idle;
}
// [N] not_associative, witness
unsigned rotating_hash(const unsigned char* s, int n) {
  unsigned h = 17;
  for (int i = 0; i < n; ++i) h = ((h << 4) ^ (h >> 28) ^ s[i]) + (h & 1u);
  return h;
}
// [N] not_associative, witness
std::uint64_t wyhash_like(const std::uint64_t* x, int n) {
  std::uint64_t h = 3;
  for (int i = 0; i < n; ++i) h = (h ^ x[i]) * (h + 5);
  return h;
}
// [N] not_associative, witness
unsigned sum_of_products_modulo_own(const unsigned* x, int n) {
  unsigned s = 1;
  for (int i = 0; i < n; ++i) s = (s * s + x[i]) % 101u;
  return s;
}
// [N] not_associative, witness
int digital_root_like(const int* x, int n) {
  int s = 0;
  for (int i = 0; i < n; ++i) {
    s += x[i] > 0 ? x[i] : -x[i];
    s = s / 10 + s % 10 * 2;
  }
  return s;
}
// [N] not_associative, witness
int gray_counter_weight(const int* x, int n) {
  int g = 0, s = 0;
  for (int i = 0; i < n; ++i) {
    g = g ^ (g >> 1) ^ (x[i] & 7);
    s += g & 3;
  }
  return s;
}
// [N] not_associative, witness
double maximum_of_product_and_sum(const double* x, int n) {
  double m = 0;
  for (int i = 0; i < n; ++i) m = std::max(m * x[i], m + 1);
  return m;
}
// [N] not_associative, witness
double reflected_walk(const double* x, int n) {
  double p = 0;
  for (int i = 0; i < n; ++i) {
    p += x[i];
    if (p < 0) p = -p;
  }
  return p;
}
// [N] not_associative, witness
int wrapped_heading_turns(const int* turn, int n) {
  int heading = 0, full = 0;
  for (int i = 0; i < n; ++i) {
    heading += turn[i];
    if (heading > 5) {
      heading = heading - 7;
      ++full;
    }
    if (heading < 0) heading = 1;
  }
  return full;
}
// [N] not_associative, witness
double price_with_cooldown(const double* x, int n) {
  double held = 0, cash = 0;
  int wait = 0;
  for (int i = 0; i < n; ++i) {
    if (wait > 0) {
      --wait;
    } else if (held == 0 && x[i] < 1) {
      held = x[i] + 2;
    } else if (held > 0 && x[i] > held) {
      cash += x[i] - held;
      held = 0;
      wait = 2;
    }
  }
  return cash;
}
// [N] not_associative, witness
double largest_ratio_to_running_mean(const double* x, int n) {
  double s = 1, k = 1, best = 0;
  for (int i = 0; i < n; ++i) {
    best = std::max(best, x[i] * k / s);
    s += x[i] * x[i];
    k += 1;
  }
  return best;
}
// [N] not_associative, witness
int outliers_against_running_range(const double* x, int n) {
  double lo = 0, hi = 0;
  int k = 0;
  for (int i = 0; i < n; ++i) {
    if (x[i] > hi + 1 || x[i] < lo - 1) ++k;
    lo = std::min(lo, x[i]);
    hi = std::max(hi, x[i]);
  }
  return k;
}
// [N] not_associative, witness
int distinct_in_a_row_of_bits(const unsigned* x, int n) {
  unsigned seen = 0;
  int restarts = 0;
  for (int i = 0; i < n; ++i) {
    const unsigned bit = 1u << (x[i] & 7u);
    if (seen & bit) {
      ++restarts;
      seen = 0;
    }
    seen |= bit;
  }
  return restarts;
}
// [N] not_associative, witness
double cooling_schedule(const double* delta, int n) {
  double t = 8, e = 0;
  for (int i = 0; i < n; ++i) {
    if (delta[i] < t) {
      e += delta[i];
      t = t * 0.5 + 1;
    } else {
      t += 1;
    }
  }
  return e;
}
// [N] not_associative, witness
int lexer_depth_limited(const int* t, int n) {
  int depth = 0, errors = 0;
  for (int i = 0; i < n; ++i) {
    if (t[i] == 1) {
      if (depth < 3)
        ++depth;
      else
        errors += 1;
    }
    if (t[i] == 2) {
      if (depth > 0)
        --depth;
      else
        errors += depth + 2;
    }
  }
  return errors * 10 + depth % 2;
}
// [N] not_associative, witness
double average_of_extremes_followed(const double* x, int n) {
  double m = 0, s = 0;
  for (int i = 0; i < n; ++i) {
    m = 0.5 * (m + std::max(m, x[i]));
    s = std::min(s + m, x[i]);
  }
  return s;
}
// [N] not_associative, witness
double sum_until_it_exceeds(const double* x, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i)
    if (s < 3) s += x[i];
  return s;
}
// [N] not_associative, witness
int coins_given_greedily(const int* amount, int n) {
  int drawer = 5, given = 0;
  for (int i = 0; i < n; ++i) {
    const int a = amount[i] & 3;
    if (drawer >= a) {
      drawer -= a;
      given += a;
    } else {
      drawer += 2;
    }
  }
  return given;
}
