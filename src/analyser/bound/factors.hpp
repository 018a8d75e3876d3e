// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file What inductions read from steps and merges: which variables are never rounded, what a factor loses, and linear forms.
#pragma once

#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "ir/decision.hpp"

namespace twofold::analyser::bounding {

//! A factor without rounded variables in it: its relative error, in units of u.
struct factor {
  bool positive = false;
  bool one = false;      // exactly 1
  double roundings = 0;  // relative
  double argument = 0;   // roundings of the arguments of its exponentials, relative to the arguments
  std::string product;   // the variable that is a product and a factor of it; empty where none is
};

//! t = left·(…) + right·(…) + rest, in the symbols of one variable.
struct linear {
  std::optional<factor> left, right;                    // coefficients; in steps `left` is that of the state before
  term rest;                                            // null where there is none
  double left_path = 0, right_path = 0, rest_path = 0;  // additions and products after the coefficient
};

class factors {
 public:
  explicit factors(const decision& d) : d_(d) {
    find_lifts();
    take_elements_as_given();
    find_exact();
  }
  [[nodiscard]] const decision& given() const { return d_; }  //!< with rounded values of elements as symbols
  [[nodiscard]] bool exact(term t) const;
  [[nodiscard]] bool is_exact(const std::string& variable) const { return exact_.contains(variable); }
  [[nodiscard]] bool is_count(const std::string& variable) const { return counts_.contains(variable); }
  [[nodiscard]] bool is_selected(const std::string& variable) const { return selected_.contains(variable); }
  [[nodiscard]] bool any_selected() const { return !selected_.empty(); }
  //! Elements up to which counts in floating point are exact.
  [[nodiscard]] double longest() const { return longest_; }

  //! Roundings are counted in units of u from here on: one in another format weighs as much as its own u says.
  void in_units_of(double u) { u_ = u; }
  [[nodiscard]] double cost(type t) const { return (t.bits == 32 ? 0x1p-24 : 0x1p-53) / u_; }
  //! A product that the state carries; `error` for each element.
  void add_product(const std::string& variable, double error) { products_[variable] = error; }
  [[nodiscard]] double error_of_product(const std::string& variable) const { return products_.at(variable) / u_; }
  [[nodiscard]] std::optional<factor> factor_of(term t) const;
  [[nodiscard]] std::optional<linear> linear_in(term t, term left, term right) const;

 private:
  //! Where the derivation needed no closed form of the state of one element: the step from the start.
  void find_lifts();
  //! A maximum of rounded scores: its merges only select. The rounded score of an element is a number like any other from there on, the
  //! same wherever the loop uses it (equal terms round equally), so bounds can be relative to the loop over those numbers.
  void take_elements_as_given();
  void find_exact();
  //! Roundings of an exponent relative to itself.
  [[nodiscard]] std::optional<double> argument(term t) const;

  decision d_;
  std::set<std::string> exact_, counts_, selected_;
  std::map<std::string, double> products_;
  double longest_ = HUGE_VAL;
  double u_ = 0x1p-53;  // of the variable at hand
};

//! Each conversion keeps every value.
bool wider(type from, type to);

}  // namespace twofold::analyser::bounding
