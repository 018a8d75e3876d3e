// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Interpreters of the IR: exact (rationals; integers modulo 2^w where unsigned) for refutation and sampling, machine
//! (float, double, C++ integers, IEEE special values) for tests against compiled loops.
#pragma once

#include <map>
#include <optional>
#include <variant>
#include <vector>

#include "ir/spec.hpp"

namespace twofold::analyser {

//! An exact value: a rational (booleans 0/1), or one of the three specials.
struct exact {
  enum class kind : std::uint8_t { finite, infinity, minus_infinity, nan } kind = kind::finite;
  mpq_class value;
  friend bool operator==(const exact& a, const exact& b) {
    return a.kind == b.kind && (a.kind != kind::finite || a.value == b.value);
  }
  friend bool operator<(const exact& a, const exact& b);  // any total order, for hashing by value
};

using exact_environment = std::map<term, exact>;            // symbols → values
using exact_arrays = std::map<term, std::vector<exact>>;    // array symbols → row-major entries

//! Value of t, or nothing where it is not rational (exp of 1), divides by zero or leaves a function's domain.
//! With `powers_of_two`, exp(k) for integer k is taken as 2^k: valid for testing identities that use only
//! exp(a+b) = exp(a)·exp(b), never for refuting.
std::optional<exact> evaluate(term t, const exact_environment& env, const exact_arrays& arrays = {}, bool powers_of_two = false);

//! A machine value: double holds float and double (rounded to float after each operation of float type).
struct machine {
  std::variant<double, std::int64_t, std::uint64_t> value;
};
using machine_environment = std::map<term, machine>;
using machine_arrays = std::map<term, std::vector<machine>>;
machine evaluate_machine(term t, const machine_environment& env, const machine_arrays& arrays = {});

//! Runs a whole spec on arrays the way the compiled function would; outputs by name ("return", arrays flattened).
struct run_inputs {
  std::map<std::string, std::vector<machine>> arrays;   // by parameter name
  std::map<std::string, machine> scalars;
};
std::map<std::string, std::vector<machine>> run_machine(const spec& s, const run_inputs& in);

}  // namespace twofold::analyser
