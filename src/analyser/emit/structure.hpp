// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file What the emitted structure is made of, worked out once: names, types, formulas in 64-bit integers. Internal to emit/.
#pragma once

#include "emit/cpp.hpp"
#include "emit/identifiers.hpp"
#include "emit/integers.hpp"
#include "emit/sharing.hpp"

namespace twofold::analyser {

//! How symbols of states are written in one function of the structure.
struct spelling {
  std::string state, left, right;  // "s", "a", "b"
};

struct structure_variable {
  const merged_variable* from = nullptr;
  std::string field;
  type kept;                     // type of the field
  term init, lift, step, merge;  // widened; init null where the empty state is adjoined
  term moved, settled;           // null where the decision has none
};

//! out[i] = value, over state symbols, inputs and members; `at_start`: the value where nothing came before (adjoined states only).
struct structure_each {
  const element_output* from = nullptr;
  std::string function;
  term value, at_start;
};

//! The whole of it. Pointers are to the arguments of analyse_structure, which must outlive it.
struct structure {
  const spec* of = nullptr;
  const decision* by = nullptr;
  identifiers names;  // of members, inputs and what is local to functions; fields of the state have their own
  std::vector<structure_variable> state;
  std::vector<emitted_member> members;
  std::vector<emitted_input> inputs;
  std::map<term, std::string> input_names;  // element symbol → identifier
  std::vector<output> answers, empty_answers;
  std::vector<structure_each> each;
  bool has_flag = false, adjoined = false;  // adjoined: some variable has no initial value

  //! C++ text of a formula in a function that spells states so.
  [[nodiscard]] std::string text(term t, const spelling& how) const;
  //! True for symbols whose value differs from component to component.
  [[nodiscard]] bool varies(const node& n) const;
  [[nodiscard]] const structure_variable* find(const std::string& variable) const;
};

//! @errors emit_error
structure analyse_structure(const spec& s, const decision& d);

}  // namespace twofold::analyser
