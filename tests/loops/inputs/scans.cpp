// Loops that write one entry per iteration: scans, maps, and maps after a reduction.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

// [H] associative +0
void prefix_sum(const double* x, double* y, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i) {
    s += x[i];
    y[i] = s;
  }
}
// [H] associative +0
void exclusive_prefix_sum(const int* x, int* y, int n) {
  int s = 0;
  for (int i = 0; i < n; ++i) {
    y[i] = s;
    s += x[i];
  }
}
// [H] associative +0
void prefix_sum_in_output(const double* x, double* y, int n) {
  y[0] = x[0];
  for (int i = 1; i < n; ++i) y[i] = y[i - 1] + x[i];
}
// [H] associative +0
void csr_offsets(const int* count, int* offset, int n) {
  offset[0] = 0;
  int s = 0;
  for (int i = 0; i < n; ++i) {
    s += count[i];
    offset[i + 1] = s;
  }
}
// [H] associative +0
void csr_offsets_chained(const int* count, int* offset, int n) {
  offset[0] = 0;
  for (int i = 0; i < n; ++i) offset[i + 1] = offset[i] + count[i];
}
// [H] associative +0
void csr_offsets_shifted(const int* count, int* offset, int n) {
  int s = 0;
  for (int i = 0; i < n; ++i) {
    s += count[i];
    offset[i + 1] = s;
  }
}
// [H] associative +0
void running_maximum(std::span<const float> x, float* y) {
  float m = -INFINITY;
  for (std::size_t i = 0; i < x.size(); ++i) {
    m = std::max(m, x[i]);
    y[i] = m;
  }
}
// [A] associative +1
void smooth(const float* x, float* y, int n, float a) {
  float s = 0;
  for (int i = 0; i < n; ++i) {
    s = a * x[i] + (1 - a) * s;
    y[i] = s;
  }
}
// [A] associative +1
void one_pole_filter(const float* x, float* y, int n, float b) {
  y[0] = x[0];
  for (int i = 1; i < n; ++i) y[i] = x[i] - b * y[i - 1];
}
// [H] associative +0
void cumulative_product(const double* x, double* y, int n) {
  double p = 1;
  for (int i = 0; i < n; ++i) y[i] = p *= x[i];
}
// [H] associative +0
void suffix_sums(const double* x, double* y, int n) {
  double s = 0;
  for (int i = n - 1; i >= 0; --i) {
    s += x[i];
    y[i] = s;
  }
}
// [H] associative +0
void partial_sum_algorithm(const std::vector<double>& x, std::vector<double>& y) {
  std::partial_sum(x.begin(), x.end(), y.begin());
}
// [H] associative +0
void inclusive_scan_algorithm(const double* x, double* y, int n) { std::inclusive_scan(x, x + n, y); }
// [H] associative +0
void count_so_far(const char* s, int* index, int n) {
  int k = 0;
  for (int i = 0; i < n; ++i) {
    if (s[i] == ',') ++k;
    index[i] = k;
  }
}
// [A] associative +1: whether there is one, for a value may be 0
void fill_forward(const double* x, const bool* ok, double* y, int n) {
  double last = 0;
  for (int i = 0; i < n; ++i) {
    if (ok[i]) last = x[i];
    y[i] = last;
  }
}
// [A] associative +1
void segmented_prefix_sum(const double* x, const bool* head, double* y, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i) {
    s = head[i] ? x[i] : s + x[i];
    y[i] = s;
  }
}
// [H] associative +0: a map, no state at all
void scale(const double* x, double* y, int n, double f) {
  for (int i = 0; i < n; ++i) y[i] = f * x[i];
}
// [H] associative +0
void saxpy(const float* x, const float* y, float* z, int n, float a) {
  for (int i = 0; i < n; ++i) z[i] = a * x[i] + y[i];
}
// [H] associative +0
void relu_map(const std::vector<float>& x, std::vector<float>& y) {
  for (std::size_t i = 0; i < x.size(); ++i) y[i] = x[i] > 0 ? x[i] : 0;
}
// [H] associative +0
void clamp_transform(const float* x, float* y, int n) {
  std::transform(x, x + n, y, [](float v) { return std::clamp(v, 0.0f, 1.0f); });
}
// [H] associative +0
void differences(const double* x, double* y, int n) {
  for (int i = 1; i < n; ++i) y[i] = x[i] - x[i - 1];
}
// [H] associative +0
void divide_by_sum(const double* x, double* y, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i) s += x[i];
  for (int i = 0; i < n; ++i) y[i] = x[i] / s;
}
// [H] associative +0
void subtract_largest(const double* x, double* y, int n) {
  double m = x[0];
  for (int i = 1; i < n; ++i) m = std::max(m, x[i]);
  for (int i = 0; i < n; ++i) y[i] = x[i] - m;
}
// [H] associative +0
double scan_and_total(const double* x, double* y, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i) {
    s += x[i];
    y[i] = s * s;
  }
  return s;
}
// [A] associative +1
void decode_differences(const int* delta, int* value, int n, int start) {
  int v = start;
  for (int i = 0; i < n; ++i) {
    v += delta[i];
    value[i] = v;
  }
}
// [H] associative +0
void zigzag_decode(const std::uint32_t* z, std::int32_t* y, int n) {
  for (int i = 0; i < n; ++i) y[i] = static_cast<std::int32_t>(z[i] >> 1) * ((z[i] & 1) ? -1 : 1);
}
// [A] associative +2
void clipped_accumulator(const int* x, int* y, int n) {
  int s = 0;
  for (int i = 0; i < n; ++i) {
    s += x[i];
    if (s > 127) s = 127;
    if (s < -128) s = -128;
    y[i] = s;
  }
}
// [A] associative +2
void streak_lengths(const bool* x, int* y, int n) {
  int k = 0;
  for (int i = 0; i < n; ++i) {
    k = x[i] ? k + 1 : 0;
    y[i] = k;
  }
}
// [A] associative +1
void steps_since_event(const int* event, int* age, int n) {
  int k = 1000;
  for (int i = 0; i < n; ++i) {
    if (event[i] != 0)
      k = 0;
    else
      ++k;
    age[i] = k;
  }
}
// [A] associative +1
void last_event_position(const bool* event, int* at, int n) {
  int last = -1;
  for (int i = 0; i < n; ++i) {
    if (event[i]) last = i;
    at[i] = last;
  }
}
// [H] associative +0
void running_average(const double* x, double* y, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i) {
    s += x[i];
    y[i] = s / (i + 1);
  }
}
// [M] associative +2
void in_quotes(const char* s, bool* inside, int n) {
  bool in = false;
  for (int i = 0; i < n; ++i) {
    if (s[i] == '"') in = !in;
    inside[i] = in;
  }
}
// [H] associative +0
void gather_then_scale(const double* x, double* y, int n) {
  double lo = INFINITY, hi = -INFINITY;
  for (int i = 0; i < n; ++i) {
    lo = std::min(lo, x[i]);
    hi = std::max(hi, x[i]);
  }
  for (int i = 0; i < n; ++i) y[i] = (x[i] - lo) / (hi - lo);
}
// [R] refused: a scan that is read again
double largest_prefix_read_from_output(const double* x, double* y, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i) {
    s += x[i];
    y[i] = s;
  }
  double m = 0;
  for (int i = 0; i < n; ++i) m = std::max(m, y[n - 1 - i]);
  return m;
}
