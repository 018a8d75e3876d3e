// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file One obligation as a self-contained, division-free piece of SMT-LIB 2.
#pragma once

#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "prove/normal.hpp"
#include "prove/prove.hpp"

namespace twofold::analyser {

class smt_writer {
 public:
  struct unwritable : std::runtime_error {
    using runtime_error::runtime_error;
  };

  //! push, declarations, definitions, premises of the exponential laws, the obligation's negation, pop.
  std::string script(const obligation& o);

 private:
  struct quotient {
    std::string num, den;  // den empty: 1
  };
  struct exponential {
    term argument;  // as written
    rational normal;
    std::string name;
  };

  const quotient& value(term t);  // real or integer
  std::string condition(term t);
  quotient make_value(term t);
  quotient call(term t);
  quotient power_of(const std::string& base, term argument);
  std::string integer(term t);  // a value without denominator, unsigned: in [0, 2^w)
  std::string whole(term t);    // real value as one expression (divides if it must)
  std::string wrapped(const std::string& e, type t) const;
  std::string relation(const char* op, term a, term b);
  std::string define(const char* prefix, const std::string& sort, const std::string& body);
  std::string declare(const std::string& wanted, const std::string& sort);
  std::string opaque(term t, const std::string& sort);
  void same_operands(term a, term b);
  quotient choose(const std::string& c, const quotient& x, const quotient& y, bool integer);
  void check(const std::string& assertion, const std::string& why);
  void laws();
  static std::string scaled(const std::string& num, const std::string& den);

  std::ostringstream head_, body_;  // declarations and definitions; check-sats
  std::map<term, quotient> values_;
  std::map<term, std::string> conditions_;
  std::map<std::pair<term, std::string>, std::pair<term, std::string>> opaque_;  // normal form, operation → first such term, its constant
  std::map<std::string, std::vector<exponential>> exponentials_;                 // by base
  std::set<std::string> names_;
  std::vector<std::string> assumptions_;
  normaliser normal_;
  unsigned count_ = 0;
};

}  // namespace twofold::analyser
