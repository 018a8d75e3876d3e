// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Bounds that hold for all data, by induction over the bracketing: where the merge is linear in a variable, every element's
//! contribution is a product of factors, each computed with a small relative error, and the errors of a path add up (theorems T0, T1, T5).
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "ir/decision.hpp"

namespace twofold::analyser::bounding {

enum class induction_kind {
  exact,     // only selections, comparisons and integers: nothing is rounded
  selected,  // merges select among rounded values of elements, which are taken as given
  sum,       // merges add: Σ lift
  weighted,  // merges rescale by positive factors of exact references, and add: T0, T1
  affine,    // merges multiply by a product that the state carries, and add: T5
  product,   // merges multiply
  mean,      // the mean of the elements, moved by parts of differences of means
  spread,    // the sum of squares about that mean: T4
  other,     // no bound for all data: the running bound is what there is
};

//! |error of the variable| ≤ units(…)·u·scale to first order.
struct variable_bound {
  std::string name;
  induction_kind kind = induction_kind::other;
  bool positive = false;                 // scale is the variable itself; else the sum of the absolute values of all contributions
  double lift = 0;                       // roundings of an element's own contribution
  double step = 0;                       // roundings of one push on what was there before
  double merge = 0;                      // roundings of one merge on the longer side
  double argument = 0;                   // roundings of the exponents' arguments: times u·W((n−1)/e), as rescales telescope
  double each = 0;                       // affine, product: roundings that every element adds to the products it is in
  double mean_step = 0, mean_merge = 0;  // mean, spread: roundings of the mean itself
  double difference = 0;                 // mean, spread: roundings of what moves it
  double walk = 0;                       // spread: roundings of the new mean that a push subtracts from its element
  double longest = HUGE_VAL;             // elements up to which it holds
  double u = 0;
  std::string scale, why;

  //! Path of `pushed` pushes and `merges` merges over n elements, with `distance` = W((n−1)/e) and kappa = √(Σx²/Σ(x − mean)²). For
  //! mean and spread no right side of a merge holds more elements than its left side, as under every schedule.
  [[nodiscard]] double units(double pushed, double merges, double n, double distance, double kappa) const;
};

std::vector<variable_bound> induct(const decision& d);

}  // namespace twofold::analyser::bounding
