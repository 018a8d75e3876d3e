// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Transport of structure: from coordinates that add up to the merge of the loop's own variables,
//! v(a ⊙ b) = φ⁻¹(φ(a) + φ(b) − φ(s0)), written so that exponents are differences to the merged reference.
#pragma once

#include "derive/part.hpp"

namespace twofold::analyser::deriving {

//! A coordinate φ over state symbols with φ(f_x(s)) = φ(s) + lift(x).
struct coordinate {
  polynomial phi;
  term lift;
};

//! The atoms replaced, without expanding what they are replaced by: merged variables stay whole.
polynomial placed(const polynomial& p, const substitution& s);
polynomial inverse(const polynomial& p, type t);

//! The merge of v from a coordinate that is linear in v, or a power of e^v. `known` merges everything else that occurs in it.
struct solved {
  polynomial sum;  // the merge, as a sum of products
  term merge;
};
std::optional<solved> solve(const coordinate& c, const candidate::variable& v, const std::vector<candidate::variable>& known);

//! Rewrites a merge with the difference δ of the pieces' means in place of the means themselves, where the means cancel:
//! no difference of nearly equal large numbers is left. Nothing if no mean cancels.
std::optional<term> shifted(const solved& s, const candidate::variable& v, const std::vector<candidate::variable>& known);

}  // namespace twofold::analyser::deriving
