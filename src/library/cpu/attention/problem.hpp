// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file What is asked: defaults filled in, refusals, and how a row is finished.
#pragma once

#include "cpu/attention/work.hpp"

namespace twofold::cpu::detail {

//! value_size, score_factor and the type's strides where they were left 0.
attention_problem with_defaults(attention_problem p);

//! Merges the states of `parts` splits of a row in order: (M, l, o) ⊙ (M', l', o').
void merge_states(std::int64_t parts, std::int64_t rows, std::int64_t columns, std::int64_t row, const float* at, const float* l,
                  const float* o, float& to_at, float& to_l, float* to_o);
//! The same, into part 0.
void merge_row(std::int64_t parts, std::int64_t rows, std::int64_t columns, std::int64_t row, float* at, float* l, float* o);

}  // namespace twofold::cpu::detail
