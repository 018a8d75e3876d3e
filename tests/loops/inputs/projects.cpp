// What well-known programs compute in their inner loops, written anew: audio meters and filters, codecs, parsers, controllers, games,
// aligners, maps of probabilities, networks, databases.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

// [H] associative +0: a sample peak meter, two channels interleaved
double stereo_peak(const float* frames, int n) {
  double left = 0, right = 0;
  for (int i = 0; i < n; ++i) {
    left = std::max(left, std::fabs(double(frames[2 * i])));
    right = std::max(right, std::fabs(double(frames[2 * i + 1])));
  }
  return std::max(left, right);
}
// [N] not_associative, witness: a peak programme meter: fast up, slow down
float meter_with_fall_back(const float* x, int n) {
  float level = 0;
  for (int i = 0; i < n; ++i) {
    const float a = std::fabs(x[i]);
    level += a > level ? 0.5f * (a - level) : 0.125f * (a - level);
  }
  return level;
}
// [A] associative +1: a peak that falls back by a factor
float decaying_peak(const float* x, int n) {
  float peak = 0;
  for (int i = 0; i < n; ++i) peak = std::max(std::fabs(x[i]), peak * 0.75f);
  return peak;
}
// [A] associative +1: loudness over a mean square that leaks
double leaky_mean_square(const float* x, int n, double k) {
  double ms = 0;
  for (int i = 0; i < n; ++i) ms = (1 - k) * ms + k * x[i] * x[i];
  return 10 * std::log10(ms + 1e-12);
}
// [A] associative +2: a blocker of direct current
double dc_blocker(const double* x, int n) {
  double y = 0, before = 0;
  for (int i = 0; i < n; ++i) {
    y = x[i] - before + 0.995 * y;
    before = x[i];
  }
  return y;
}
// [M] associative +6: a resonator of second order
double resonator_energy_free(const double* x, int n, double r, double c) {
  double a = 0, b = 0;
  for (int i = 0; i < n; ++i) {
    const double y = x[i] + 2 * r * c * a - r * r * b;
    b = a;
    a = y;
  }
  return a;
}
// [M] associative +10: a gate with hold: five control states with counts
int noise_gate_openings(const float* x, int n) {
  int hold = 0, opened = 0;
  for (int i = 0; i < n; ++i) {
    if (std::fabs(x[i]) > 0.5f) {
      if (hold == 0) ++opened;
      hold = 3 + (x[i] > 0 ? 1 : 0);
    } else if (hold > 0) {
      --hold;
    }
  }
  return opened;
}
// [N] not_associative, witness: a limiter whose gain recovers
double limiter_gain(const double* x, int n) {
  double g = 1;
  for (int i = 0; i < n; ++i) {
    const double a = std::fabs(x[i]) * g;
    if (a > 1)
      g = g / a;
    else
      g = g + 0.125 * (1 - g);
  }
  return g;
}
// [H] associative +0: clipped samples
int clipped_samples(const std::int16_t* x, int n) {
  int k = 0;
  for (int i = 0; i < n; ++i)
    if (x[i] == 32767 || x[i] == -32768) ++k;
  return k;
}
// [H] associative +0: decoding of differences
void delta_decode(const std::int32_t* d, std::int32_t* y, int n) {
  std::int32_t s = 0;
  for (int i = 0; i < n; ++i) {
    s += d[i];
    y[i] = s;
  }
}
// [A] associative +1: decoding of second differences needs the length
void second_difference_decode(const int* d, int* y, int n) {
  int slope = 0, value = 0;
  for (int i = 0; i < n; ++i) {
    slope += d[i];
    value += slope;
    y[i] = value;
  }
}
// [N] not_associative, witness: adaptive differential decoding
int adaptive_delta(const int* code, int n) {
  int step = 7, value = 0;
  for (int i = 0; i < n; ++i) {
    value += (code[i] & 1) ? step : -step;
    step = (code[i] & 2) ? step * 2 : step / 2 + 1;
  }
  return value;
}
// [M] associative +8: a checker of UTF-8 in simplified form: continuation bytes still due, or an error
bool utf8_is_complete(const unsigned char* s, std::size_t n) {
  int due = 0;
  bool bad = false;
  for (std::size_t i = 0; i < n; ++i) {
    const unsigned char c = s[i];
    if ((c & 0xC0) == 0x80) {
      if (due == 0)
        bad = true;
      else
        --due;
    } else {
      if (due != 0) bad = true;
      due = c < 0x80 ? 0 : c < 0xE0 ? 1 : c < 0xF0 ? 2 : 3;
    }
  }
  return !bad && due == 0;
}
// [H] associative +0: code points: every byte that continues nothing
std::size_t utf8_code_points(std::string_view s) {
  std::size_t k = 0;
  for (unsigned char c : s)
    if ((c & 0xC0) != 0x80) ++k;
  return k;
}
// [M] associative +3: fields of a record with quotes
int csv_fields(const char* s, int n) {
  int fields = 1;
  bool quoted = false;
  for (int i = 0; i < n; ++i) {
    if (s[i] == '"')
      quoted = !quoted;
    else if (s[i] == ',' && !quoted)
      ++fields;
  }
  return fields;
}
// [M] associative +5: lines outside of comments that run to the end of the line, with strings
int statements_of_a_script(const char* s, int n) {
  bool comment = false;
  int k = 0;
  for (int i = 0; i < n; ++i) {
    if (s[i] == '\n')
      comment = false;
    else if (s[i] == '#')
      comment = true;
    else if (s[i] == ';' && !comment)
      ++k;
  }
  return k;
}
// [M] associative +9: escapes inside of strings
int json_strings(const char* s, int n) {
  int state = 0, strings = 0;
  for (int i = 0; i < n; ++i) {
    if (state == 0) {
      if (s[i] == '"') {
        state = 1;
        ++strings;
      }
    } else if (state == 1) {
      if (s[i] == '\\')
        state = 2;
      else if (s[i] == '"')
        state = 0;
    } else {
      state = 1;
    }
  }
  return strings;
}
// [A] associative +1: the last newline decides the column
int column_of_cursor(const char* s, int n) {
  int column = 0;
  for (int i = 0; i < n; ++i) column = s[i] == '\n' ? 0 : column + 1;
  return column;
}
// [N] not_associative, witness: tab stops
int column_with_tab_stops(const char* s, int n) {
  int column = 0, widest = 0;
  for (int i = 0; i < n; ++i) {
    if (s[i] == '\n')
      column = 0;
    else if (s[i] == '\t')
      column = (column / 8 + 1) * 8;
    else
      ++column;
    if (column > widest) widest = column;
  }
  return widest;
}
// [N] not_associative, witness: lines broken greedily
int lines_of_a_paragraph(const int* width, int n) {
  int lines = 1, used = 0;
  for (int i = 0; i < n; ++i) {
    const int w = width[i] > 0 ? width[i] : 1;
    if (used + w > 20) {
      ++lines;
      used = w;
    } else {
      used += w + 1;
    }
  }
  return lines;
}
// [A] associative +1: a controller with proportional, integral and differential part, without limits: is the piece longer than one?
double pid_output(const double* e, int n, double kp, double ki, double kd) {
  double integral = 0, before = 0, u = 0;
  for (int i = 0; i < n; ++i) {
    integral += e[i];
    u = kp * e[i] + ki * integral + kd * (e[i] - before);
    before = e[i];
  }
  return u;
}
// [A] associative +2: the integral is limited
double limited_integral(const double* e, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i) {
    s += e[i];
    s = s > 10 ? 10 : s < -10 ? -10 : s;
  }
  return s;
}
// [N] not_associative, witness: anti-windup stops the integral while the output saturates
double anti_windup(const double* e, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i) {
    const double u = 2 * e[i] + s;
    if (u < 4 && u > -4) s += e[i];
  }
  return s;
}
// [A] associative +2: occupancy by log odds within limits
float occupancy_log_odds(const bool* hit, int n) {
  float l = 0;
  for (int i = 0; i < n; ++i) {
    l += hit[i] ? 0.85f : -0.4f;
    l = std::min(std::max(l, -2.0f), 3.5f);
  }
  return l;
}
// [H] associative +0: a pose in the plane from odometry with given headings
double odometry_x(const double* step, const double* c, const double* s, int n, double* y_out) {
  double x = 0, y = 0;
  for (int i = 0; i < n; ++i) {
    x += step[i] * c[i];
    y += step[i] * s[i];
  }
  *y_out = y;
  return x;
}
// [N] not_associative, witness: a rating that moves towards results
double rating_after_games(const double* opponent, const double* score, int n) {
  double r = 1500;
  for (int i = 0; i < n; ++i) r += 32 * (score[i] - 1 / (1 + std::pow(10.0, (opponent[i] - r) / 400)));
  return r;
}
// [A] associative +2: best combo: hits in a row with a bonus
int best_combo(const int* hit, int n) {
  int combo = 0, best = 0;
  for (int i = 0; i < n; ++i) {
    combo = hit[i] > 0 ? combo + hit[i] : 0;
    if (combo > best) best = combo;
  }
  return best;
}
// [N] not_associative, witness: points multiplied by the combo
int score_with_multiplier(const int* hit, int n) {
  int combo = 1, score = 0;
  for (int i = 0; i < n; ++i) {
    if (hit[i] > 0) {
      score += hit[i] * std::min(combo, 4);
      ++combo;
    } else {
      combo = combo / 2 + 1;
    }
  }
  return score;
}
// [N] not_associative, witness: health that heals only below a limit
int health(const int* change, int n) {
  int h = 10;
  for (int i = 0; i < n; ++i) {
    if (change[i] < 0)
      h += change[i];
    else if (h < 5)
      h += change[i];
    if (h <= 0) h = 10;
  }
  return h;
}
// [A] associative +2: local alignment along a diagonal
int best_ungapped_alignment(const char* a, const char* b, int n) {
  int h = 0, best = 0;
  for (int i = 0; i < n; ++i) {
    h = std::max(0, h + (a[i] == b[i] ? 5 : -4));
    best = std::max(best, h);
  }
  return best;
}
// [N] not_associative, witness: stops once the score drops too far below the best
int drop_off_extension(const int* s, int n) {
  int h = 0, best = 0;
  bool off = false;
  for (int i = 0; i < n; ++i) {
    if (off) continue;
    h += s[i];
    if (h > best) best = h;
    if (best - h > 5) off = true;
  }
  return best;
}
// [M] associative +6: gap opening and extension in one row of an alignment
int affine_gap_row(const int* diagonal, int n) {
  int h = 0, f = -100;
  for (int i = 0; i < n; ++i) {
    f = std::max(f - 1, h - 6);
    h = std::max(diagonal[i], f);
  }
  return h;
}
// [H] associative +0: an estimate of the round trip as sum of squares
double jitter_variance(const double* rtt, int n) {
  double s = 0, q = 0;
  for (int i = 0; i < n; ++i) {
    s += rtt[i];
    q += rtt[i] * rtt[i];
  }
  return q / n - (s / n) * (s / n);
}
// [N] not_associative, witness: smoothed round trip and its deviation
double smoothed_deviation(const double* rtt, int n) {
  double srtt = 0, var = 0;
  for (int i = 0; i < n; ++i) {
    const double d = rtt[i] - srtt;
    srtt += d / 8;
    var += (std::fabs(d) - var) / 4;
  }
  return var;
}
// [N] not_associative, witness: a congestion window
double congestion_window(const bool* lost, int n) {
  double w = 1, limit = 8;
  for (int i = 0; i < n; ++i) {
    if (lost[i]) {
      limit = w / 2;
      w = 1;
    } else {
      w += w < limit ? w : 1;
    }
  }
  return w;
}
// [N] not_associative, witness: a bucket of tokens
int requests_refused(const int* cost, int n) {
  int tokens = 10, refused = 0;
  for (int i = 0; i < n; ++i) {
    tokens = std::min(10, tokens + 2);
    const int c = cost[i] & 7;
    if (c <= tokens)
      tokens -= c;
    else
      ++refused;
  }
  return refused;
}
// [H] associative +0: the internet checksum before it is folded
std::uint32_t internet_checksum(const std::uint16_t* w, int n) {
  std::uint32_t s = 0;
  for (int i = 0; i < n; ++i) s += w[i];
  return s;
}
// [A] associative +1: deltaSum of a database: the merge needs what was first
double rises_only(const double* x, int n) {
  double rise = 0, last = x[0];
  for (int i = 1; i < n; ++i) {
    if (x[i] > last) rise += x[i] - last;
    last = x[i];
  }
  return rise;
}
// [H] associative +0: first and last value by time stamp
double open_close_range(const double* t, const double* price, int n) {
  double first_t = INFINITY, open = 0, last_t = -INFINITY, close = 0;
  for (int i = 0; i < n; ++i) {
    if (t[i] < first_t) {
      first_t = t[i];
      open = price[i];
    }
    if (t[i] >= last_t) {
      last_t = t[i];
      close = price[i];
    }
  }
  return close - open;
}
