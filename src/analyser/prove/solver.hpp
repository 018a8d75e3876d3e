// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The only door to Z3: are these conditions satisfiable? Exponentials and unknown functions become opaque reals (exponentials
//! positive), one per normalised argument, so `unsat` holds for the true functions too; `sat` is only a hint, to be checked by evaluation.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "prove/normal.hpp"

namespace twofold::analyser {

using model = std::map<term, mpq_class>;  // symbols → exact values

struct solver_answer {
  enum class kind { unsatisfiable, satisfiable, unknown } result = kind::unknown;
  analyser::model model;  // of the symbols, if satisfiable and rational
  std::string reason;     // why unknown
};

//! Real terms are Real, signed ones Int, unsigned ones Int reduced modulo 2^w (or bit-vectors, where bits are operated on).
//! Divisions are total within a condition (any value where the denominator is 0): definedness is the business of `domain.hpp`.
class solver {
 public:
  solver();
  ~solver();
  solver(const solver&) = delete;
  solver& operator=(const solver&) = delete;

  //! The conjunction of Boolean terms.
  solver_answer satisfiable(const std::vector<term>& conditions, double seconds);
  //! hypotheses ⊨ conclusion.
  bool implies(const std::vector<term>& hypotheses, term conclusion, double seconds);

 private:
  struct implementation;
  std::unique_ptr<implementation> p_;
};

}  // namespace twofold::analyser
