// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file What is known of a loop while it is summarised. Internal to the executor.
#pragma once

#include "frontend/executor.hpp"

namespace twofold::analyser::frontend {

struct executor::iteration {
  term condition;               // of going on, as evaluated at the iteration's start
  std::vector<term> bounds;     // its conjuncts that bound the range
  term stay;                    // the other conjuncts
  bool condition_acts = false;  // evaluating it changes variables: so does the last look, which ends the loop
  memory after;
  std::map<leaf, term> looks;  // do-while: what the condition adds to induction variables
  bool entangled = false;      // and whether it changes anything else
  term exit;                   // has the iteration left the loop?
  std::size_t first_read = 0;  // its part of old_reads_
};

struct executor::summary {
  term k;  // iteration number
  int depth = 0;
  std::string prefix;  // of state symbols: inner loops must not be confused with outer ones
  int broken = -1, continued = -1;
  bool settled = false;  // induction variables are known
  std::vector<leaf> carried;
  std::map<leaf, term> symbols;
  std::set<leaf> pinned;        // indeterminate before the loop, given the value that it gets in the loop
  std::map<leaf, term> closed;  // induction variable → its increment
  std::map<leaf, term> looks;   // and the part of it that the condition of do-while adds
  std::map<std::string, int> names;
  term count;
  term exited;                  // over state symbols: the loop was left before this iteration
  std::map<leaf, term> finals;  // value after the loop
  record done;                  // depth 0

  //! What an inner loop's own variables are after k iterations, as folds over these, of those that depend on nothing else that it carries.
  //! The folds bind `name`.
  [[nodiscard]] substitution prefix_folds(const std::string& name) const;

  std::string fresh_name(const std::string& wanted) {
    const int n = ++names[wanted];
    return n == 1 ? wanted : wanted + "_" + std::to_string(n);
  }
};

//! start + by·k, in the type of the leaf.
[[nodiscard]] term closed_form(const memory& entry, const leaf& l, term by, term k);
//! t where `condition` is known not to hold.
[[nodiscard]] term assume_false(term t, term condition);
//! Does t depend on the iteration: state, an array's entries, k?
[[nodiscard]] bool varies(term t, term k);

}  // namespace twofold::analyser::frontend
