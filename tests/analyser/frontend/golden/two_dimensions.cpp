// Rows, strides and inner dimensions.
#include <array>
#include <cmath>
#include <span>
#include <vector>

float row_pointer(const float* a, int n, int d) {
  float best = -INFINITY;
  for (int i = 0; i < n; ++i) {
    const float* row = a + i * d;
    float s = 0;
    for (int j = 0; j < d; ++j) s += row[j] * row[j];
    best = std::fmax(best, s);
  }
  return best;
}
float walking_pointer(const float* a, int n, int d) {
  float best = 0;
  for (int i = 0; i < n; ++i) {
    float s = 0;
    for (int j = 0; j < d; ++j) s += *a++;
    if (s > best) best = s;
  }
  return best;
}
double with_stride(const double* a, long n, long d, long stride) {
  double total = 0;
  for (long i = 0; i < n; ++i)
    for (long j = 0; j < d; ++j) total += a[i * stride + j];
  return total;
}
float fixed_rows(const float (*a)[64], const float* w, int n) {
  float s = 0;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < 64; ++j) s += a[i][j] * w[j];
  return s;
}
double span_of_arrays(std::span<const std::array<double, 3>> points) {
  double s = 0;
  for (const auto& p : points) s += p[0] * p[0] + p[1] * p[1] + p[2] * p[2];
  return s;
}
float vector_of_vectors(const std::vector<std::vector<float>>& m) {
  float s = 0;
  for (const auto& row : m)
    for (float v : row) s = std::max(s, v);
  return s;
}
double interleaved(const double* re_im, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i) s += re_im[2 * i] * re_im[2 * i] + re_im[2 * i + 1] * re_im[2 * i + 1];
  return s;
}
void column_maximum(const float* a, float* out, int n, int d) {
  for (int j = 0; j < d; ++j) out[j] = a[j];
  for (int i = 1; i < n; ++i)
    for (int j = 0; j < d; ++j)
      if (a[i * d + j] > out[j]) out[j] = a[i * d + j];
}
void fixed_vector(const float* v, const float* w, float* out, int n) {
  float acc[4] = {0};
  for (int i = 0; i < n; ++i)
    for (int c = 0; c < 4; ++c) acc[c] += w[i] * v[4 * i + c];
  for (int c = 0; c < 4; ++c) out[c] = acc[c];
}
void wide_vector(const float* v, const float* w, float* out, int n) {
  float acc[64];
  for (int c = 0; c < 64; ++c) acc[c] = 0;
  for (int i = 0; i < n; ++i)
    for (int c = 0; c < 64; ++c) acc[c] += w[i] * v[i * 64 + c];
  for (int c = 0; c < 64; ++c) out[c] = acc[c];
}
float query_norm(const float* q, const float* k, int n, int d) {
  float qq = 0;
  for (int j = 0; j < d; ++j) qq += q[j] * q[j];
  float best = -INFINITY;
  for (int i = 0; i < n; ++i) {
    float s = 0;
    for (int j = 0; j < d; ++j) s += q[j] * k[i * d + j];
    best = std::max(best, s / std::sqrt(qq));
  }
  return best;
}
