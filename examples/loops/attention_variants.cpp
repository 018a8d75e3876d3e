// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Attention of one query, written by different hands: other names, other arrangements, the same mathematics.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

// Scores given; the weights are stored, divided at the very end.
void divide_last(const double* score, const double* value, double* result, std::size_t count, std::size_t width) {
  double largest = -std::numeric_limits<double>::infinity();
  for (std::size_t t = 0; t < count; ++t)
    if (score[t] > largest) largest = score[t];

  double total = 0;
  for (std::size_t c = 0; c < width; ++c) result[c] = 0;
  for (std::size_t t = 0; t < count; ++t) {
    const double weight = std::exp(score[t] - largest);
    total += weight;
    for (std::size_t c = 0; c < width; ++c) result[c] += weight * value[t * width + c];
  }
  for (std::size_t c = 0; c < width; ++c) result[c] /= total;
}

// One walk: the accumulator is rescaled whenever the maximum moves.
void one_walk(const float* query, const float* keys, const float* values, float* answer, int tokens, int dim) {
  float top = -std::numeric_limits<float>::infinity();
  float norm = 0;
  std::vector<float> acc(dim, 0.0f);
  const float temperature = 1.0f / std::sqrt(static_cast<float>(dim));
  for (int t = 0; t < tokens; ++t) {
    float s = 0;
    for (int c = 0; c < dim; ++c) s += query[c] * keys[t * dim + c];
    s *= temperature;
    const float next = std::max(top, s);
    const float shrink = std::exp(top - next);
    const float gain = std::exp(s - next);
    norm = norm * shrink + gain;
    for (int c = 0; c < dim; ++c) acc[c] = acc[c] * shrink + gain * values[t * dim + c];
    top = next;
  }
  for (int c = 0; c < dim; ++c) answer[c] = acc[c] / norm;
}

// A value per token instead of a row; the weights live in a scratch array that is normalised in place.
float weights_in_place(const float* s, const float* v, float* w, int n) {
  float big = s[0];
  for (int i = 0; i < n; i++) big = std::fmax(big, s[i]);
  float z = 0;
  for (int i = 0; i < n; i++) {
    w[i] = std::exp(s[i] - big);
    z += w[i];
  }
  float o = 0;
  for (int i = 0; i < n; i++) o += w[i] / z * v[i];
  return o;
}

// The scores pass through a soft cap, a helper takes the dot product.
static float dot(const float* a, const float* b, int d) {
  float s = 0;
  for (int j = 0; j < d; ++j) s += a[j] * b[j];
  return s;
}

void soft_capped(const float* q, const float* k, const float* v, float* o, int n, int d, float cap) {
  float hi = -std::numeric_limits<float>::infinity();
  for (int i = 0; i < n; ++i) hi = std::max(hi, cap * std::tanh(dot(q, k + i * d, d) / cap));

  float den = 0;
  for (int i = 0; i < n; ++i) den += std::exp(cap * std::tanh(dot(q, k + i * d, d) / cap) - hi);

  for (int j = 0; j < d; ++j) o[j] = 0;
  for (int i = 0; i < n; ++i) {
    const float p = std::exp(cap * std::tanh(dot(q, k + i * d, d) / cap) - hi);
    for (int j = 0; j < d; ++j) o[j] += p / den * v[i * d + j];
  }
}

// Without any maximum: right for small scores, and it overflows for large ones.
double unshifted(const double* s, const double* v, int n) {
  double z = 0, o = 0;
  for (int i = 0; i < n; ++i) {
    z += std::exp(s[i]);
    o += std::exp(s[i]) * v[i];
  }
  return o / z;
}
