// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Steps that are linear over a semiring, as rows of entries. An entry may be absent (the semiring's zero: 0 or ∓∞) under a
//! condition: absence is a Boolean beside the value, never an infinity.
#pragma once

#include <optional>
#include <vector>

#include "ir/term.hpp"

namespace twofold::analyser::deriving {

enum class semiring { plus_times, max_plus, min_plus };
[[nodiscard]] const char* name_of(semiring s);  // "(+, ×)", "(max, +)", "(min, +)"

struct entry {
  term present, value;  // the value means something only where present
};
//! One coefficient per data variable, and the constant last.
using row = std::vector<entry>;

[[nodiscard]] entry absent(type t);
[[nodiscard]] entry one(semiring s, type t);
[[nodiscard]] entry joined(semiring s, const entry& a, const entry& b);  // a ⊕ b
[[nodiscard]] entry scaled(semiring s, const entry& a, const entry& b);  // a ⊗ b
[[nodiscard]] entry chosen(term condition, const entry& a, const entry& b);

//! select(p < q, Q, P) with Q − P = c·(q − p) is a max (c > 0) or a min: comparisons as arithmetic, everywhere in t.
[[nodiscard]] term tidied(term t);

//! The constant column of (+, ×) needs no absence: nothing is 0.
[[nodiscard]] entry settled(semiring s, const entry& constant);

//! t as ⊕_j row[j] ⊗ variables[j] ⊕ row.back(); the entries are free of the variables. Nothing if t is not linear.
//! A flipped variable v is read as −w with w the variable of the row: then (max, +) may also hold minima. `negated`: the row of −t.
[[nodiscard]] std::optional<row> linear_row(semiring s, term t, const std::vector<term>& variables, const std::vector<bool>& flipped = {},
                                            bool negated = false);

}  // namespace twofold::analyser::deriving
