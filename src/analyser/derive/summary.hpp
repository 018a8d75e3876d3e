// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Function summaries: what a piece does to an incoming state, for every incoming control state (a few flags or small
//! integers) a next control state and one row per data variable. Closed under composition.
#pragma once

#include "derive/part.hpp"
#include "derive/semiring.hpp"

namespace twofold::analyser::deriving {

struct transformer {
  std::vector<term> control;  // next value of every control variable
  std::vector<row> rows;      // one per data variable
};

//! The variables of a group by what the step does with them.
struct group {
  semiring over = semiring::plus_times;
  std::vector<const state_variable*> control, data, lag;  // lag: overwritten by a function of the element
  std::vector<std::vector<mpq_class>> states;             // all values of the control variables
  std::vector<bool> flipped;                              // data variables that rows speak of as −v (minima among maxima)

  [[nodiscard]] term is_state(std::size_t q, const std::vector<term>& values) const;  // values == states[q]
  [[nodiscard]] term value_of(std::size_t q, std::size_t c) const;
  [[nodiscard]] std::vector<term> data_symbols() const;
  [[nodiscard]] bool is_flipped(std::size_t i) const { return i < flipped.size() && flipped[i]; }
};

//! One transformer per control state.
using summary = std::vector<transformer>;

[[nodiscard]] summary identity(const group& g);
//! What one step does, or nothing if it is not of the closed shape.
[[nodiscard]] std::optional<summary> step_of(const group& g);
//! later ∘ first.
[[nodiscard]] transformer after(const group& g, const summary& later, const transformer& first);
[[nodiscard]] summary after(const group& g, const summary& later, const summary& first);
//! The constant transformer of a known state: control values and data values.
[[nodiscard]] transformer point(const group& g, const std::vector<term>& control, const std::vector<term>& data);

//! All terms in the summary replaced.
[[nodiscard]] summary mapped(summary s, const std::function<term(term)>& f);

}  // namespace twofold::analyser::deriving
