// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file A cap on scores as the kernels use it, made from the problem's numbers on the host. For any C++ compiler.
#pragma once

#include <algorithm>
#include <cmath>

namespace twofold::cuda::attention {

//! A cap on scores, in log2 units: s ← outer·tanh(s·inner). While |s| ≤ limit a polynomial says the same to 4e-8 of the cap:
//! s·(terms[0] + terms[1]·s² + …).
struct soft_cap {
  float outer, inner, limit;  // outer 0: none; limit below 0: no polynomial
  float terms[5];
};

inline soft_cap cap_of(double cap, double factor) {
  // tanh y / y in y², |y| ≤ 0.6: interpolation at Chebyshev's points.
  constexpr double terms[5] = {0.99999992596295, -0.3333230204036995, 0.13310064425613363, -0.05209665340828127, 0.015468751302063958};
  const double outer = 1.4426950408889634 * cap, inner = std::min(factor / cap, 0x1p+100);
  soft_cap c{static_cast<float>(outer), static_cast<float>(inner), -1, {}};
  // Far caps: a term too small for a float is left out, and the scores for which it would matter. Near ones: a term too large for a
  // float would make NaN of a score of 0.
  double term = outer * inner, reach = 0.6;
  for (int i = 0; i < 5; ++i, term *= inner * inner) {
    if (std::abs(terms[i] * term) > 0x1p+100) return c;
    if (i > 0 && std::abs(terms[i] * term) < 0x1p-125) {
      reach = std::exp2(-13.0 / i);
      break;
    }
    c.terms[i] = static_cast<float>(terms[i] * term);
  }
  c.limit = static_cast<float>(std::min(reach / inner, 0x1p+60));
  return c;
}

}  // namespace twofold::cuda::attention
