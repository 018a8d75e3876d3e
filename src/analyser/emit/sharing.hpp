// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Common subexpressions: a name for what formulas compute more than once, so that reports and emitted code read as one
//! would write them: m = max(a.m, b.m), then l = a.l * exp(a.m - m) + b.l * exp(b.m - m).
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "ir/term.hpp"

namespace twofold::analyser {

//! A formula with the name of what it defines; `name` is empty for a formula that only uses names.
struct root {
  std::string name;
  term value;
  bool per_component = false;  // the formula of the generic component of a vector
};

//! name := value. Order of evaluation is the order in `shared::lets`.
struct let {
  std::string name;
  term value;
};

struct shared {
  std::vector<let> lets;     // named roots that other roots use, and fresh names t1, t2 …
  std::vector<term> values;  // one per root, written with the names
  std::vector<bool> is_let;  // root i is among the lets
};

struct sharing_options {
  bool fresh_names = true;   // invent t1, t2 …; else only the names of roots are used
  std::size_t smallest = 2;  // operations that a repeated formula must have to earn a fresh name
  //! Symbols that mean something else in every component; formulas over them stay inside the loop over components.
  std::function<bool(const node&)> varies;
  //! Names that fresh ones must not take.
  std::function<bool(const std::string&)> taken;
};

//! Formulas that could fault (integer division, reads) are named only where they are evaluated whatever the conditions say.
shared share(const std::vector<root>& roots, const sharing_options& options);

}  // namespace twofold::analyser
