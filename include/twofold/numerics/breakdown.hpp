// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file A bound as the sum of named terms, so that a report can say which of them dominates.
#pragma once

#include "twofold/algebra/math.hpp"

TWOFOLD_BEGIN_NAMESPACE
namespace numerics {

//! One source of error: a name, its first-order size, and the formula that gave it (UTF-8, no numbers in it).
struct term {
  const char* name = "";
  double value = 0;
  const char* formula = "";
};

namespace detail {
//! First order to all orders: B/(1 − B); no guarantee (infinite) where B ≥ 1.
constexpr double all_orders(double first_order) { return first_order < 1 ? first_order / (1 - first_order) : math::infinity<double>; }
}  // namespace detail

//! @brief  Terms of one bound, in the unit that the function which made it states. Values, not strings: usable in
//!         constant expressions.
class breakdown {
 public:
  static constexpr int most_terms = 12;
  //! Terms of value 0 are left out.
  constexpr breakdown& add(const char* name, double value, const char* formula) {
    if (value != 0 && count_ < most_terms) terms_[count_++] = {name, value, formula};
    return *this;
  }
  constexpr breakdown& add(const breakdown& other, double factor = 1) {
    for (const term& t : other) add(t.name, t.value * factor, t.formula);
    relative_ = relative_ > other.relative_ ? relative_ : other.relative_;
    return *this;
  }
  //! The relative perturbations that the terms stand for are at most `b`: what decides about higher orders. Without this
  //! call they are the first-order sum itself.
  constexpr breakdown& perturbation(double b) {
    relative_ = b;
    return *this;
  }
  [[nodiscard]] constexpr const term* begin() const { return terms_; }
  [[nodiscard]] constexpr const term* end() const { return terms_ + count_; }
  [[nodiscard]] constexpr int size() const { return count_; }
  [[nodiscard]] constexpr double first_order() const {
    double sum = 0;
    for (const term& t : *this) sum += t.value;
    return sum;
  }
  //! The guarantee: first order times 1/(1 − B); infinite where B ≥ 1.
  [[nodiscard]] constexpr double total() const {
    const double first = first_order(), b = relative_ >= 0 ? relative_ : first;
    return b < 1 ? first / (1 - b) : math::infinity<double>;
  }
  //! The largest term; an empty one where there is none.
  [[nodiscard]] constexpr term dominant() const {
    term most;
    for (const term& t : *this)
      if (t.value > most.value) most = t;
    return most;
  }
  //! The value of the term of that name, 0 where there is none.
  [[nodiscard]] constexpr double of(const char* name) const {
    for (const term& t : *this) {
      const char *a = t.name, *b = name;
      while (*a && *a == *b) ++a, ++b;
      if (*a == *b) return t.value;
    }
    return 0;
  }

 private:
  term terms_[most_terms]{};
  int count_ = 0;
  double relative_ = -1;
};

}  // namespace numerics
TWOFOLD_END_NAMESPACE
