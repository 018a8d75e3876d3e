// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file What the user gives to `run`, matched with what the loop's function takes: types, lengths and shapes, all checked before
//! anything is compiled or run.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "ir/spec.hpp"
#include "npy.hpp"

namespace twofold::cli {

struct given {
  std::map<std::string, std::string> arrays;   // --input NAME=file.npy
  std::map<std::string, std::string> scalars;  // --set NAME=value
};

//! One parameter with its value.
struct bound {
  std::string name;
  npy_array value;          // scalars: shape ()
  bool is_written = false;  // an output: its contents are zeros until the loop writes them
};

struct binding {
  std::vector<bound> parameters;                 // in the function's order
  std::map<analyser::term, std::int64_t> sizes;  // symbols of lengths → values
  std::int64_t first = 0, last = 0;              // range of the loop's index
};

//! Whether the parameter takes an array, not one number.
bool is_array(const analyser::parameter& p);

//! Names that --input and --set may use, in the function's order: arrays, then scalars.
struct names_of_parameters {
  std::vector<std::string> arrays, scalars;
};
names_of_parameters given_names(const analyser::spec& s);
//! @errors TF2114 a name that is none of them
void check_given(const analyser::spec& s, const given& g);

//! NumPy's type for a C++ type.
std::string dtype_of(analyser::type t);

//! @errors TF2112 element types differ · TF2113 shapes do not fit · TF2114 an input or value is missing or unknown ·
//!         TF2115 a value is not of the parameter's type · TF2116 lengths contradict each other, or the loop would read past the end
binding bind(const analyser::spec& s, const given& g);

//! A length that the binding fixes. @errors TF2116
std::int64_t size_of(analyser::term extent, const binding& b, const std::string& what);

}  // namespace twofold::cli
