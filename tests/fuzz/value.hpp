// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file What terms mean, written a second time: exact values for the oracle of the fuzzer, sharing no code with the evaluators that the
//! analyser itself uses.
#pragma once

#include <gmpxx.h>

#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "ir/term.hpp"

namespace twofold::analyser::fuzz {

//! `undefined`: the program has no value there (x/0, ∞ − ∞). `inexact`: it has one that is not rational.
struct value {
  enum class kind : std::uint8_t { finite, infinity, minus_infinity, undefined, inexact } is = kind::undefined;
  mpq_class number;

  [[nodiscard]] bool known() const { return is <= kind::minus_infinity; }
  friend bool operator==(const value& a, const value& b) { return a.is == b.is && (a.is != kind::finite || a.number == b.number); }
};
[[nodiscard]] value finite(const mpq_class& v);
[[nodiscard]] std::string to_text(const value& v);

//! Several terms as a straight line of operations. exp(k) is taken as 2^k for integers k: the laws of the analyser hold for both.
class line {
 public:
  explicit line(const std::vector<term>& roots);
  //! Gives symbols their values; what is given no value is undefined.
  [[nodiscard]] std::vector<value> run(const std::map<term, value>& symbols);

 private:
  struct operation {
    const node* what;
    std::vector<std::size_t> args;
  };
  std::size_t place(term t);
  value evaluate(const operation& o, const std::map<term, value>& symbols) const;

  std::vector<operation> operations_;
  std::unordered_map<const node*, std::size_t> places_;
  std::vector<std::size_t> roots_;
  std::vector<value> values_;
};

}  // namespace twofold::analyser::fuzz
