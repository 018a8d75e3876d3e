// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The twist's own functions, number by number.
#include "cpu/attention/saturated.hpp"

#include <cmath>

#include "twofold/ops/exponential.hpp"

namespace twofold::cpu::detail {

void weigh_saturated(std::int64_t n, std::int64_t stride, float* s, float c, float* at, float* l, std::int64_t rows, std::int64_t o_stride,
                     float* o) {
  const score_scale<float> score{c};
  float reference = *at;
  for (std::int64_t j = 0; j < n; ++j) {
    const float x = s[j * stride];
    if (x == -infinity || x != x) continue;
    const float y = std::ceil(score.log2_of(x));
    if (y > reference) reference = y;
  }
  if (reference != *at) {
    const float share = *at == -infinity ? 0 : std::exp2(*at - reference);
    *l *= share;
    for (std::int64_t r = 0; r < rows; ++r) o[r * o_stride] *= share;
    *at = reference;
  }
  for (std::int64_t j = 0; j < n; ++j) {
    float& x = s[j * stride];
    if (x == -infinity) {
      x = -0.0f;
      continue;
    }
    x = x != x ? x : score.weight(x, reference);
    *l += x;
  }
}

void add_present(std::int64_t n, std::int64_t rows, const float* p, std::int64_t p_key, const float* v, std::int64_t v_key, float* o,
                 std::int64_t o_stride) {
  for (std::int64_t j = 0; j < n; ++j) {
    const float w = p[j * p_key];
    if (w == 0 && std::signbit(w)) continue;
    for (std::int64_t r = 0; r < rows; ++r) o[r * o_stride] += w * v[j * v_key + r];
  }
}

bool has_strange_value(std::int64_t n, std::int64_t rows, const float* v, std::int64_t v_key) {
  float probe = 0;
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t r = 0; r < rows; ++r) probe += v[j * v_key + r] * 0.0f;
  return probe != 0;  // 0·inf and 0·NaN are NaN
}

}  // namespace twofold::cpu::detail
