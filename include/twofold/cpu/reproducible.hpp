// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Exact sums of contiguous arrays in vectors. Compiled once into twofold::twofold; including this header offers them to the leaves
//! of reproducible_sum, reproducible_dot and reproducible_variance. The bits are those of the headers alone; the time is not.
#pragma once

#include "twofold/ops/reproducible/dot.hpp"

TWOFOLD_BEGIN_NAMESPACE
namespace cpu {

//! @name s ← s + the exact sum of contiguous elements, or of products of pairs.
//! @cost  x86-64 with AVX-512 or AVX2: a conversion and an addition per float; elsewhere the loop of the headers
//! @{
void add_exactly(exact_sum_state<float>& s, const float* data, index count);
void add_exactly(exact_sum_state<double>& s, const double* data, index count);
void add_products_exactly(exact_product_state<float>& s, const float* x, const float* y, index count);
//! @}

//! Which vectors add_exactly uses here: "AVX-512", "AVX2", or "the loop of the headers".
const char* exact_vectors();

//! @brief For tests: at most these from now on (0: the loop of the headers, 1: AVX2, 2: the best there are).
void limit_exact_vectors(int level);

namespace detail {
inline const bool offers_exact = [] {
  exact::offered_sum<float> = [](exact_sum_state<float>& s, const float* x, index n) { add_exactly(s, x, n); };
  exact::offered_sum<double> = [](exact_sum_state<double>& s, const double* x, index n) { add_exactly(s, x, n); };
  exact::offered_dot<float> = [](exact_product_state<float>& s, const float* x, const float* y, index n) {
    add_products_exactly(s, x, y, n);
  };
  return true;
}();
}  // namespace detail

}  // namespace cpu
TWOFOLD_END_NAMESPACE
