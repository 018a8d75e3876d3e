// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file A loop and its merge on a few numbers, in the loop's own arithmetic (float rounds as float does, NaN and infinities included).
//! For reports: nothing here is compiled or run natively, and nothing here decides a verdict.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ir/decision.hpp"
#include "ir/evaluate.hpp"

namespace twofold::analyser {

//! What one iteration reads, in the order of trial::elements().
using reading = std::vector<machine>;
using readings = std::vector<reading>;
using machine_state = std::vector<machine>;

class trial {
 public:
  //! Null where an iteration reads rows, tables or neighbours, where a variable is a vector, or where the walk does not start at 0:
  //! such loops are shown by formulas alone. Scalar parameters get the value 1/2, or 2 for integers.
  static std::unique_ptr<trial> of(const spec& s, const decision& d);
  ~trial();

  [[nodiscard]] const std::vector<term>& elements() const;
  [[nodiscard]] const std::vector<std::pair<std::string, machine>>& parameters() const;
  void set_parameter(const std::string& name, const machine& v);
  //! Values of all results of the loop itself. @errors evaluation_error where the program has undefined behaviour (all functions here)
  machine_state loop_state(const readings& w);
  std::vector<machine> loop_answers(const readings& w);
  //! The merged state (in the order of decision::state) of the readings [from, to), pushed one by one.
  machine_state leaf(const readings& w, std::size_t from, std::size_t to);
  machine_state merge(const machine_state& a, const machine_state& b);
  //! Outputs, in the order of spec::outputs.
  std::vector<machine> answers(const machine_state& s, std::size_t length);

 private:
  trial();
  struct implementation;
  std::unique_ptr<implementation> p_;
};

//! "0.5", "-inf", "nan", "true": as many digits as tell the value, at most `digits`.
[[nodiscard]] std::string to_text(const machine& v, type t, int digits = 6);
//! Bit for bit, but any NaN equals any other.
[[nodiscard]] bool same(const machine& a, const machine& b);

}  // namespace twofold::analyser
