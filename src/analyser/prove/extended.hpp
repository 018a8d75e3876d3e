// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Terms over ℝ ∪ {−∞, ∞} in terms over ℝ: where a term is ∞, −∞ or undefined (∞ − ∞), and its value elsewhere. So "nothing yet" may
//! be a value of a variable (the second largest of one element is −∞), and equalities that hold an infinity are decided by those that do
//! not. The rules are those of the extended real line: ∞ + r = ∞, max(−∞, r) = r, e^−∞ = 0, −∞ < r < ∞; 0·∞ and ∞ − ∞ have no value, and
//! neither has a term of another kind whose operand is infinite.
#pragma once

#include <map>

#include "prove/prove.hpp"

namespace twofold::analyser {

struct extended {
  term above, below;  // Boolean: it is ∞, it is −∞
  term value;         // elsewhere; a Boolean term has this alone
};

//! Values of symbols; a symbol that is not here is finite.
using extended_environment = std::map<term, extended>;

class extended_reader {
 public:
  //! Throws limit_error at an operation that has no rule. No constructor folds what is not known to be finite (t − t is not 0 here).
  extended operator()(term t, const extended_environment& at);
  //! Conditions under which something that was read has no value.
  [[nodiscard]] const std::vector<term>& undefined() const { return undefined_; }

 private:
  extended visit(term t);
  extended apply(term t);
  extended comparison(term t);
  void never(term condition);
  const extended_environment* at_ = nullptr;
  std::map<term, extended> done_;
  std::vector<term> undefined_;
};

//! The equality of both, as equalities without infinities.
void state_equal(std::vector<obligation>& to, const std::string& name, const std::vector<term>& hypotheses, const extended& left,
                 const extended& right);

}  // namespace twofold::analyser
