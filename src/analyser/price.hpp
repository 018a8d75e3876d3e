// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file What merging costs, from what length on splitting pays, and whether pieces may arrive in any order.
#pragma once

#include <cstddef>
#include <optional>

#include "ir/decision.hpp"

namespace twofold::analyser {

//! Operations of the formulas, shared ones counted once, vectors by the component. An operation is a unit whatever it is: an
//! exponential counts as an addition does, so these are proportions and no times.
struct price {
  std::size_t step = 0;   // of the loop as it is, all passes
  std::size_t push = 0;   // of the loop that carries the merged state
  std::size_t merge = 0;  // of two states
  //! The smallest n for which n/p pushes and ⌈log₂ p⌉ merges are less than n steps; nothing where the added state costs more than p
  //! workers bring. Starting workers is not counted.
  [[nodiscard]] std::optional<std::size_t> pays_from(std::size_t workers) const;
};
[[nodiscard]] price price_of(const spec& s, const decision& d);

//! How pieces may be merged by whoever comes first (D8).
enum class arrival {
  by_variable,  // the merge is commutative, and each variable is merged by one operation that processors have as an atomic
  by_state,     // commutative, but variables are merged together: the state must be exchanged as a whole
  in_order,     // left and right matter
  undecided,
};
[[nodiscard]] arrival arrival_of(const decision& d);

}  // namespace twofold::analyser
