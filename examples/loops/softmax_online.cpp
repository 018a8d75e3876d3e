// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The denominator of a softmax in one walk over the scores: the sum of exp(x[i] - m), m being their maximum.
#include <cmath>
#include <cstddef>
#include <limits>

float denominator(const float* x, std::size_t n) {
  float m = -std::numeric_limits<float>::infinity();
  float l = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const float m_new = std::fmax(m, x[i]);
    l = l * std::exp(m - m_new) + std::exp(x[i] - m_new);
    m = m_new;
  }
  return l;
}
