// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file What the analyser answers: verdict, merge, proof or witness. Reports, JSON and emitters read only this.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ir/spec.hpp"

namespace twofold::analyser {

enum class verdict { associative, not_associative, unknown };
enum class scope { this_state, any_constant_size };
enum class role { carried, added };
enum class ternary { proved, refuted, unknown };

//! One variable of the mergeable state.
struct merged_variable {
  std::string name;
  analyser::type type;
  analyser::role role = role::carried;
  term extent, component;         // null for scalars
  term init;                      // s0 component; null: no value stands for "nothing yet", the empty state is adjoined
  bool init_is_identity = false;  // init is neutral in merges on every reachable state
  term lift;                      // state of one element, over elements/parameters
  term step;                      // push: over state symbols of the merged state and elements
  term merge;                     // over left and right symbols of the merged state
  std::string why;                // added variables: why a merge needs it
  term moved{}, settled{};        // derive/settle.hpp: the state at the right side's references; the step where they stand; null
};

//! A change of coordinates to a plain monoid, where there is one: phi(a ⊙ b) = phi(a) ⊕ phi(b).
struct twist {
  struct coordinate {
    std::string name;    // "l·e^m"
    std::string monoid;  // "+", "max", "*", …
    term phi;            // over state symbols
    term lift;           // phi of one element
  };
  std::vector<coordinate> coordinates;
  std::string words;    // one sentence for the report
  bool stable = false;  // certificate: every exponent of the merge is ≤ 0
};

struct proof {
  bool proved = false;             // a decision procedure or solver said so; else "tested"
  std::string method;              // "push rule by exact normaliser", "push rule by Z3 (linear arithmetic)", …
  std::vector<std::string> steps;  // in words, for the report
  std::string smt;                 // division-free SMT-LIB evidence (all obligations; every check-sat answers unsat)
};

//! A witness for Lemma 1: h(right) = h(right2), yet left·right·suffix and left·right2·suffix differ. Exact values as text;
//! one entry per iteration, an entry is a tuple in the order of `elements`.
struct counterexample {
  std::vector<std::string> elements;  // names of the tuple's components
  using piece = std::vector<std::vector<std::string>>;
  piece left, right, right2, suffix;
  std::vector<std::pair<std::string, std::string>> parameters;  // values chosen for parameters
  std::string state;                                            // the common state of right and right2
  std::string result, result2;
};

struct decision {
  analyser::verdict verdict = verdict::unknown;
  std::optional<analyser::scope> scope;
  bool bounded_state = true;
  std::vector<merged_variable> state;
  std::vector<output> finalize;  // outputs over state symbols of the merged state
  //! What an output of an iteration reads and the merged state does not carry: the loop's variable → a term over the merged state.
  std::vector<std::pair<term, term>> decode;
  ternary commutative = ternary::unknown;
  std::optional<analyser::twist> twist;
  std::optional<analyser::proof> proof;
  std::optional<analyser::counterexample> counterexample;
  std::vector<std::string> assumptions;
  std::vector<std::string> tried;
  std::vector<std::string> notes;  // rounding and machine arithmetic remarks
  double merge_over_step = 0;      // operation count of a merge over that of a step
};

struct options {
  double seconds = 10;
  std::size_t max_nodes = 2'000'000;
  unsigned seed = 1;
};

}  // namespace twofold::analyser
