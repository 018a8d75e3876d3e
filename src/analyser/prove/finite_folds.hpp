// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Extrema of a row: an inner fold by max from −∞ (min from ∞) over a row with at least one entry is a finite number, a function of
//! the iteration's own elements. It is named: a fresh element, quantified over all finite values. That proves more than is needed (the same
//! fold is the same name, nothing else is known of it), given that rows are not empty, which is printed.
#pragma once

#include <string>
#include <vector>

#include "prove/prove.hpp"

namespace twofold::analyser {

class finite_folds {
 public:
  spec named(spec s);
  candidate named(candidate c);
  std::vector<output> named(std::vector<output> finalize);
  [[nodiscard]] const std::vector<std::string>& assumptions() const { return assumptions_; }

 private:
  void visit(term& t);
  substitution names_;
  std::vector<element> elements_;
  std::vector<std::string> assumptions_;
};

}  // namespace twofold::analyser
