// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file A decision as C++: one structure that needs only the standard library and satisfies the reduction concept of Twofold.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "ir/decision.hpp"

namespace twofold::analyser {

//! The decision cannot be said in C++ here; `why` is for the user.
struct emit_error : std::runtime_error {
  std::string why;
  emit_error(const std::string& what, std::string why_) : std::runtime_error(what), why(std::move(why_)) {}
};

//! A loop-invariant value that the emitted structure holds.
struct emitted_member {
  std::string name;       // identifier in the structure
  std::string type;       // "float", "const float*"
  std::string parameter;  // of the loop; empty: the number of iterations
  bool is_array = false;
};

//! One input of lift, what an iteration reads.
struct emitted_input {
  std::string name;
  analyser::type type;
  std::string array;  // parameter; empty: the position of the element
  long offset = 0;
  term row_extent;  // null for scalars; rows arrive as anything with operator[]
};

//! One answer of finalize.
struct emitted_output {
  std::string name;    // as the spec calls it: "return", "return.mean", "out"
  std::string access;  // how to reach it from the result: "", ".mean"
  analyser::type type;
  term extent;  // null for scalars; vectors arrive as std::vector
};

//! An array written element by element: out[i] = function(state, inputs…). A scan reads the state before element i, a map the final one.
struct emitted_each {
  std::string array, function;
  analyser::type type;
  bool is_scan = false;
};

struct emitted_field {
  std::string variable, name;
  analyser::type type;
  term extent;  // null for scalars
  term merge;   // what combine must compute, over left and right symbols named as the fields, of the fields' types
};

//! When a state's integers fit 32 bits: whatever the elements are; while those that are integers are small; or nobody knows.
enum class growth : unsigned char { by_constants, by_elements, unknown };

struct cpp_reduction {
  std::string name;
  std::string text;                     // the structure's definition
  std::vector<emitted_member> members;  // in order of aggregate initialisation
  std::vector<emitted_input> inputs;
  std::vector<emitted_output> outputs;  // empty: finalize returns the state itself
  std::vector<emitted_each> each;
  std::vector<emitted_field> state;
  bool has_flag = false;           // the state knows whether it is empty
  growth grows = growth::unknown;  // of its integers, for few elements from the identity on: emit/growth.hpp
  bool settles = false;            // it has survey_into, move_to and push_settled: a leaf at one reference
  std::string merge_text;          // combine_into for non-empty states as a free function: the same statements, to be read again
};

//! @errors emit_error for verdicts other than associative and for what has no C++ form
cpp_reduction cpp_structure(const spec& s, const decision& d);

//! The whole header: includes, what it computes and why it may, the structure, how to use it.
std::string cpp_header(const spec& s, const decision& d);

}  // namespace twofold::analyser
