// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Attention of one query over n keys and values, as the formula says: softmax(scale * K q)^T V.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

void attention(const float* q,    // [d]
               const float* k,    // [n, d]
               const float* v,    // [n, d]
               float* o,          // [d]
               int n, int d, float scale) {
  std::vector<float> scores(n);
  for (int i = 0; i < n; ++i) {
    float dot = 0;
    for (int j = 0; j < d; ++j) dot += q[j] * k[i * d + j];
    scores[i] = dot * scale;
  }

  float m = -std::numeric_limits<float>::infinity();
  for (int i = 0; i < n; ++i) m = std::max(m, scores[i]);

  float l = 0;
  for (int i = 0; i < n; ++i) l += std::exp(scores[i] - m);

  for (int j = 0; j < d; ++j) o[j] = 0;
  for (int i = 0; i < n; ++i) {
    const float p = std::exp(scores[i] - m) / l;
    for (int j = 0; j < d; ++j) o[j] += p * v[i * d + j];
  }
}
