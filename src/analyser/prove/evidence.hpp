// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Obligations as SMT-LIB 2, division-free, so that a second solver can replay what was claimed.
#pragma once

#include <string>
#include <vector>

#include "prove/prove.hpp"

namespace twofold::analyser {

//! An obligation, and the cases in which it was proved; none: as a whole.
struct claim {
  obligation whole;
  std::vector<proof_case> cases;
};
//! One script; every check-sat in it must answer unsat. Quotients are pairs (numerator, denominator) compared by cross-multiplying;
//! exponentials are products of opaque positive reals e^b, and that the exponent is that sum of b is checked on its own. What was proved
//! by cases is claimed by cases, and that these are all.
[[nodiscard]] std::string evidence_of(const std::vector<claim>& claims);
[[nodiscard]] std::string evidence(const std::vector<obligation>& obligations);

//! How many obligations the script leaves out, having said why.
[[nodiscard]] unsigned not_written(const std::string& smt);

struct replay {
  bool ran = false;        // cvc5 was found and finished
  bool confirmed = false;  // every check-sat answered unsat, and nothing was reported as an error
  std::string text;        // why not
  unsigned answers = 0;
};
//! Runs cvc5 as a process on a temporary file.
[[nodiscard]] replay replay_with_cvc5(const std::string& smt, double seconds);

}  // namespace twofold::analyser
