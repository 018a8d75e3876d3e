// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Where a term is defined: quotients by what is not 0, log and sqrt in their domain. An identity of normal forms
//! (which cancels x/x) holds only where both sides are defined, so every proof discharges these conditions too.
#pragma once

#include <vector>

#include "ir/term.hpp"

namespace twofold::analyser {

struct domain_condition {
  std::vector<term> guards;  // the branch conditions under which the operation is evaluated at all
  term condition;            // what must then hold
  term where;                // the operation

  //! Guards ⇒ condition: what must hold wherever the whole term has a value.
  [[nodiscard]] term implication() const;
};

//! Conditions of t, each once, in the order of evaluation; branches of select, && and || are guarded.
[[nodiscard]] std::vector<domain_condition> domain_conditions(term t);

}  // namespace twofold::analyser
