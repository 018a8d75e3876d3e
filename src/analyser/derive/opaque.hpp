// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file What a derivation need not look into: dot products, reads of rows and tables, functions of the element, odd constants. They are
//! replaced by fresh elements and parameters before, and put back after.
#pragma once

#include <map>
#include <set>

#include "derive/derive.hpp"

namespace twofold::analyser::deriving {

class opaque_terms {
 public:
  //! The spec with state-free and result-free opaque terms replaced. Names that are hidden by that stay taken (see part::fresh_name).
  spec hide(const spec& s);
  //! The derivation in the words of the original spec.
  derivation restore(derivation d) const;
  //! A number that is hidden, and greater than 0.
  [[nodiscard]] static bool stands_for_positive(term t);

 private:
  term hidden(term t);
  term stand_in(term t);
  std::map<term, term> stand_ins_, originals_, done_;
  std::set<term> rows_;  // element symbols, arrays of a row included
};

}  // namespace twofold::analyser::deriving
