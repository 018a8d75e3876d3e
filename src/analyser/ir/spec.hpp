// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file What the front end makes of a function: one or more passes over the same range, each a step on
//! carried variables, and the outputs as terms. No statements survive the front end.
#pragma once

#include <string>
#include <vector>

#include "ir/given.hpp"
#include "ir/term.hpp"

namespace twofold::analyser {

struct location {
  std::string file;
  int line = 0;
  int column = 0;
};

enum class parameter_role {
  input_array,      // read once per iteration at the index (or a fixed offset), or per row
  invariant_array,  // read at positions that do not depend on the loop index (a query vector, a table)
  output_array,     // written
  scalar,           // loop-invariant number
  length,           // scalar that bounds the range, inferred from arrays by `run`
};

struct parameter {
  std::string name;
  std::string cpp_type;  // as written: "const float*", "std::span<const double>", "std::size_t"
  type element;          // of the array, or of the scalar
  parameter_role role = parameter_role::scalar;
  std::vector<term> extents;  // arrays: [n] or [n, d] as far as known from how they are read
};

//! A carried variable. A vector-valued one stands for its generic component: `step` then speaks of component j
//! (symbol_kind::component) of itself and of other vectors of the same extent.
struct state_variable {
  std::string name;
  analyser::type type;
  term symbol;     // symbol_kind::state
  term init;       // over parameters and earlier results; may be ±inf
  term step;       // over states, elements, index, parameters, earlier results
  term extent;     // null for scalars, else the number of components
  term component;  // null for scalars, else the bound symbol j
  location where;
};

//! One read of the element tuple: array[index + offset], or for rows array[index + offset][…].
struct element {
  term symbol;        // scalar element: symbol_kind::element; row: symbol_kind::array, used as read(symbol, j)
  std::string array;  // parameter name
  long offset = 0;
  term row_extent;  // null for scalar elements
};

//! A per-iteration output: out[index] = value. If value uses no state it is a map, else a scan
//! (`after`: it reads the state after the step; else before).
struct element_output {
  std::string array;
  analyser::type type;
  term value;  // over elements, parameters, results; state symbols mean the state *before* the step
  bool is_scan = false;
};

struct pass {
  location where;
  std::string index;     // source name of the induction variable
  bool reverse = false;  // walks from the end to the start
  term begin, end;       // half-open range over parameters
  std::vector<state_variable> state;
  std::vector<element> elements;
  std::vector<element_output> outputs;
  bool position_aware = false;  // the step reads the index
  std::vector<term> given;      // hypotheses that the caller grants: of parameters and of the elements of one iteration
  std::vector<term> used;       // what follows from them and has simplified the terms above
};

struct output {
  std::string name;  // "return", an output array or reference parameter, "return.mean" for struct fields
  analyser::type type;
  term value;              // over results and parameters; vectors: the generic component
  term extent, component;  // null for scalars
};

//! Loops of one function over one range. Earlier passes are seen by later ones as symbol_kind::result
//! symbols named "<variable>" (made unique: "m", "m@1" …).
struct spec {
  std::string file, function;
  location where;         // of the (first) loop
  std::string signature;  // C++ declaration text, for run and emit
  std::string return_type;
  std::vector<parameter> parameters;
  std::vector<pass> passes;
  std::vector<term> results;  // result symbol of every state variable, pass by pass, in order
  std::vector<output> outputs;
  std::vector<std::string> assumptions;  // printed: "outputs do not alias inputs", "n >= 1"
  std::vector<comparison> given;         // what the caller grants of the inputs
  std::vector<std::string> notes;        // flags: "double → float narrowing at 7:12 treated as exact"
};

}  // namespace twofold::analyser
