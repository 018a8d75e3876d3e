// Runs, blocks, patterns and other finite control with counters.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

// [A] associative +2: leading run, whether the run is the whole piece (or the length)
int longest_run_of_ones(const int* x, int n) {
  int best = 0, cur = 0;
  for (int i = 0; i < n; ++i) {
    if (x[i] == 1)
      ++cur;
    else
      cur = 0;
    if (cur > best) best = cur;
  }
  return best;
}
// [A] associative +2
int longest_run_of_true_vector(const std::vector<bool>& x) {
  int best = 0, cur = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    cur = x[i] ? cur + 1 : 0;
    best = std::max(best, cur);
  }
  return best;
}
// [A] associative +2
int longest_gap_between_zeros(const int* x, int n) {
  int cd = 0, md = 0;
  for (int i = 0; i < n; ++i) {
    cd = x[i] == 0 ? 0 : cd + 1;
    md = std::max(md, cd);
  }
  return md;
}
// [A] associative +3: first, leading run, length
int longest_equal_run(const int* x, int n) {
  int best = 0, cur = 0, prev = 0;
  for (int i = 0; i < n; ++i) {
    if (i > 0 && x[i] == prev)
      ++cur;
    else
      cur = 1;
    best = std::max(best, cur);
    prev = x[i];
  }
  return best;
}
// [A] associative +3: first, leading run, length
int longest_increasing_run(const double* x, int n) {
  int best = 0, cur = 0;
  double prev = std::numeric_limits<double>::infinity();
  for (int i = 0; i < n; ++i) {
    cur = x[i] > prev ? cur + 1 : 1;
    best = std::max(best, cur);
    prev = x[i];
  }
  return best;
}
// [A] associative +3
int longest_increasing_run_by_neighbour(const double* x, int n) {
  int best = 1, cur = 1;
  for (int i = 1; i < n; ++i) {
    if (x[i] > x[i - 1]) {
      ++cur;
      best = std::max(best, cur);
    } else {
      cur = 1;
    }
  }
  return n > 0 ? best : 0;
}
// [A] associative +2: leading positive sum, whether all are positive
int largest_peak(const int* x, int n) {
  int cur = 0, best = 0;
  for (int i = 0; i < n; ++i) {
    cur = x[i] > 0 ? cur + x[i] : 0;
    best = std::max(best, cur);
  }
  return best;
}
// [A] associative +4: sum and best prefix of the part before the first 1, whether there is one, and the right part's own best
int max_sum_between_ones(const int* x, int n) {
  int cs = 0, ms = 0;
  for (int i = 0; i < n; ++i) {
    cs = x[i] == 1 ? 0 : cs + x[i];
    ms = std::max(ms, cs);
  }
  return ms;
}
// [A] associative +1: the first element
int blocks_of_ones(const int* x, int n) {
  bool in = false;
  int c = 0;
  for (int i = 0; i < n; ++i) {
    if (x[i] == 1 && !in) ++c;
    in = x[i] == 1;
  }
  return c;
}
// [A] associative +1: the first element
int number_of_runs(const int* x, int n) {
  int c = 0, prev = -1;
  for (int i = 0; i < n; ++i) {
    if (x[i] != prev) ++c;
    prev = x[i];
  }
  return c;
}
// [A] associative +1
int number_of_runs_by_neighbour(const std::vector<int>& x) {
  int c = 1;
  for (std::size_t i = 1; i < x.size(); ++i)
    if (x[i] != x[i - 1]) ++c;
  return c;
}
// [A] associative +1: has a 1
bool matches_ones_then_zeros(const int* x, int n) {
  bool zero = false, ok = true;
  for (int i = 0; i < n; ++i) {
    if (x[i] == 1 && zero) ok = false;
    if (x[i] != 1) zero = true;
  }
  return ok;
}
// [A] associative +1: the first that is not 0 is a 2
int count_one_zeros_two(const int* x, int n) {
  bool s = false;
  int c = 0;
  for (int i = 0; i < n; ++i) {
    if (x[i] == 2 && s) ++c;
    if (x[i] == 1)
      s = true;
    else if (x[i] != 0)
      s = false;
  }
  return c;
}
// [M] associative +5: a table of three control states with counts
int count_one_twos_three(const int* x, int n) {
  int state = 0, c = 0;
  for (int i = 0; i < n; ++i) {
    if (x[i] == 3 && state != 0) ++c;
    if (x[i] == 1)
      state = 1;
    else if (x[i] == 2 && state != 0)
      state = 2;
    else
      state = 0;
  }
  return c;
}
// [M] associative +6
int count_one_two_three_with_zeros(const int* x, int n) {
  bool s1 = false, s2 = false;
  int c = 0;
  for (int i = 0; i < n; ++i) {
    if (x[i] == 3 && s2) ++c;
    if (x[i] == 0) continue;
    const bool t2 = x[i] == 2 && s1;
    s1 = x[i] == 1;
    s2 = t2;
  }
  return c;
}
// [A] associative +4: leading zeros, then a 2, and the whole piece
int longest_one_zeros_two(const int* x, int n) {
  bool s0 = false;
  int len = 0, ml = 0;
  for (int i = 0; i < n; ++i) {
    if (x[i] == 1) {
      s0 = true;
      len = 1;
    } else if (x[i] == 0 && s0) {
      ++len;
    } else if (x[i] == 2 && s0) {
      ml = std::max(ml, len + 1);
      s0 = false;
      len = 0;
    } else {
      s0 = false;
      len = 0;
    }
  }
  return ml;
}
// [M] associative +8: pairs until the break and whether unbroken, from each of two phases
int longest_zero_one_pairs(const int* x, int n) {
  bool half = false;
  int cl = 0, ml = 0;
  for (int i = 0; i < n; ++i) {
    if (x[i] == 0) {
      if (half) cl = 0;
      half = true;
    } else {
      cl = half ? cl + 1 : 0;
      half = false;
    }
    ml = std::max(ml, cl);
  }
  return ml;
}
// [M] associative +3: a two-state table and the first element
bool alternating_bits(const bool* x, int n) {
  bool ok = true, expect = false;
  for (int i = 0; i < n; ++i) {
    if (x[i] != expect) ok = false;
    expect = !expect;
  }
  return ok;
}
// [A] associative +1
bool alternating_any_start(const int* x, int n) {
  bool ok = true;
  for (int i = 1; i < n; ++i)
    if ((x[i] > 0) == (x[i - 1] > 0)) ok = false;
  return ok;
}
// [A] associative +1: the lowest prefix
bool balanced_signs(const int* x, int n) {
  int cnt = 0;
  bool ok = true;
  for (int i = 0; i < n; ++i) {
    cnt += x[i] > 0 ? 1 : -1;
    if (cnt < 0) ok = false;
  }
  return ok && cnt == 0;
}
// [A] associative +1
bool brackets_match(const std::string& s) {
  int depth = 0;
  for (char c : s) {
    if (c == '(') ++depth;
    if (c == ')') {
      --depth;
      if (depth < 0) return false;
    }
  }
  return depth == 0;
}
// [A] associative +1: best prefix
int deepest_bracket(const char* s, int n) {
  int depth = 0, deepest = 0;
  for (int i = 0; i < n; ++i) {
    if (s[i] == '(') ++depth;
    if (s[i] == ')') --depth;
    deepest = std::max(deepest, depth);
  }
  return deepest;
}
// [A] associative +3: leading run, trailing run, length
int start_of_longest_run(const int* x, int n) {
  int best = 0, cur = 0, pos = 0;
  for (int i = 0; i < n; ++i) {
    cur = x[i] == 1 ? cur + 1 : 0;
    if (cur > best) {
      best = cur;
      pos = i - cur + 1;
    }
  }
  return pos;
}
// [A] associative +2
int debounce(const bool* raw, int n) {
  int stable = 0, presses = 0;
  bool on = false;
  for (int i = 0; i < n; ++i) {
    stable = raw[i] ? stable + 1 : 0;
    if (stable >= 3) {
      if (!on) ++presses;
      on = true;
    }
    if (!raw[i]) on = false;
  }
  return presses;
}
// [A] associative +1: the first element
int words(const char* s, int n) {
  int c = 0;
  bool in = false;
  for (int i = 0; i < n; ++i) {
    const bool space = s[i] == ' ' || s[i] == '\n' || s[i] == '\t';
    if (!space && !in) ++c;
    in = !space;
  }
  return c;
}
// [H] associative +0: modulo arithmetic of a small counter
int position_in_cycle(const bool* step, int n) {
  int phase = 0;
  for (int i = 0; i < n; ++i)
    if (step[i]) phase = phase == 3 ? 0 : phase + 1;
  return phase;
}
// [M] associative +3: a table of four states
int traffic_light(const int* signal, int n) {
  int state = 0;
  for (int i = 0; i < n; ++i) {
    switch (state) {
      case 0: state = signal[i] == 1 ? 1 : 0; break;
      case 1: state = signal[i] == 2 ? 2 : (signal[i] == 0 ? 0 : 1); break;
      case 2: state = signal[i] == 3 ? 3 : 2; break;
      default: state = signal[i] == 0 ? 0 : 3; break;
    }
  }
  return state;
}
// [M] associative +2
int binary_mod_three(const int* bit, int n) {
  int r = 0;
  for (int i = 0; i < n; ++i) r = (2 * r + (bit[i] != 0 ? 1 : 0)) % 3;
  return r;
}
// [M] associative +2: hysteresis
int schmitt_edges(const double* v, int n) {
  bool high = false;
  int edges = 0;
  for (int i = 0; i < n; ++i) {
    if (!high && v[i] > 0.6) {
      high = true;
      ++edges;
    } else if (high && v[i] < 0.4) {
      high = false;
    }
  }
  return edges;
}
// [A] associative +1: first
int zero_crossings(const float* x, int n) {
  int c = 0;
  for (int i = 1; i < n; ++i)
    if ((x[i - 1] < 0) != (x[i] < 0)) ++c;
  return c;
}
// [A] associative +3
int local_maxima(const double* x, int n) {
  int peaks = 0;
  for (int i = 2; i < n; ++i)
    if (x[i - 1] > x[i - 2] && x[i - 1] > x[i]) ++peaks;
  return peaks;
}
// [A] associative +2: best streak as a player's score
int best_win_streak(std::span<const int> result) {
  int best = 0, streak = 0;
  for (int r : result) {
    if (r > 0) {
      ++streak;
      best = streak > best ? streak : best;
    } else if (r < 0) {
      streak = 0;
    }
  }
  return best;
}
