// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The careful way, one query at a time: references that are infinite or saturated, values that are not finite.
#pragma once

#include "cpu/attention/work.hpp"

namespace twofold::cpu::detail {

//! What weigh does, of one query, by the rules of ops/exponential.hpp for scores beyond largest/c, +inf and NaN.
void weigh_saturated(std::int64_t n, std::int64_t stride, float* s, float c, float* at, float* l, std::int64_t rows, std::int64_t o_stride,
                     float* o);

//! o += Σ p·v over the keys that are not absent (weight −0): p[j·p_key] and v[j·v_key + r], o[r·o_stride].
void add_present(std::int64_t n, std::int64_t rows, const float* p, std::int64_t p_key, const float* v, std::int64_t v_key, float* o,
                 std::int64_t o_stride);

//! Is one of n rows of `rows` numbers not finite?
bool has_strange_value(std::int64_t n, std::int64_t rows, const float* v, std::int64_t v_key);

}  // namespace twofold::cpu::detail
