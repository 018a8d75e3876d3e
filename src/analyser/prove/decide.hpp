// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The decision of obligations with what is shared between them: normal forms already computed, one solver, one deadline.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "prove/domain.hpp"
#include "prove/point.hpp"
#include "prove/prove.hpp"
#include "prove/solver.hpp"
#include "prove/split.hpp"

namespace twofold::analyser {

class prover {
 public:
  explicit prover(double seconds) : deadline_(deadline_in(seconds)), normal_(deadline_) {}

  obligation_result decide(const obligation& o);
  //! Why t may be undefined under the hypotheses, or nothing.
  std::optional<std::string> undefined(term t, const std::vector<term>& hypotheses);
  solver& z3() { return z3_; }
  normaliser& normal() { return normal_; }
  [[nodiscard]] time_point deadline() const { return deadline_; }

 private:
  obligation_result equality(term left, term right, const std::vector<term>& hypotheses);
  obligation_result by_solver(term left, term right, const std::vector<term>& hypotheses, double seconds);
  bool certain(term condition);

  time_point deadline_;
  normaliser normal_;
  solver z3_;
};

}  // namespace twofold::analyser
