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
#include "prove/smt_text.hpp"

namespace twofold::analyser {

class smt_writer {
 public:
  struct unwritable : std::runtime_error {
    using runtime_error::runtime_error;
  };

  //! push, declarations, definitions, premises of the laws of functions, the obligation's negation, pop. `path`: the case of the
  //! obligation that is claimed, assumed beside its hypotheses.
  std::string script(const obligation& o, const std::vector<term>& path = {});
  //! push, declarations, and that none of the cases holds, pop: unsatisfiable where the cases are all there are.
  std::string cover(const std::vector<proof_case>& cases);
  //! push, declarations, that a side of the obligation may be undefined, pop.
  std::string definedness(const obligation& o);

 private:
  //! num·up/den. What stands in `up` is positive, and so is what `positive_` names in `den`.
  struct quotient {
    std::string num;
    smt::factors up, den;
    [[nodiscard]] std::string above() const { return smt::product(num, up.text()); }
  };

  const quotient& value(term t);  // real or integer
  std::string condition(term t);
  quotient make_value(term t);
  quotient call(term t);
  std::string integer(term t);  // a value without denominator, unsigned: in [0, 2^w)
  std::string whole(term t);    // real value as one expression (divides if it must)
  std::string wrapped(const std::string& e, type t) const;
  std::string relation(const char* op, term a, term b) { return relation(op, value(a), value(b)); }
  std::string relation(const char* op, quotient x, quotient y);
  std::string define(const char* prefix, const std::string& sort, const std::string& body);
  std::string declare(const std::string& wanted, const std::string& sort);
  std::string opaque(term t, const std::string& sort);
  void same_operands(term a, term b);
  quotient choose(const std::string& c, const quotient& x, const quotient& y, bool integer);
  [[nodiscard]] smt::factors positive(const smt::factors& f) const;
  void check(const std::string& assertion, const std::string& why);
  std::vector<std::string> facts(const obligation& o, const std::vector<term>& path);
  void domain(const obligation& o, std::vector<std::pair<std::string, std::string>>& out);
  std::string finished(const std::vector<std::string>& known, const std::vector<std::pair<std::string, std::string>>& claims);

  static quotient cancelled(quotient q);
  static quotient times(const quotient& x, const quotient& y);
  static quotient over(const quotient& x, const quotient& y);
  static quotient plus(const quotient& x, const quotient& y);
  static quotient power(const quotient& x, long n);

  // functions (smt_functions.cpp)
  quotient power_of(const mpq_class& base, term argument);
  quotient generator(const mpq_class& base, const rational& basis, const mpq_class& exponent);
  quotient logarithm(term t);
  quotient root(term t);
  quotient plain_root(term t);
  void gather(term t);
  void note(const mpq_class& base, const rational& exponent);
  void note(const mpq_class& base, term basis, const mpq_class& exponent);

  std::ostringstream head_, body_;  // declarations and definitions; check-sats
  std::map<term, quotient> values_;
  std::map<term, std::string> conditions_;
  std::map<std::pair<term, std::string>, std::pair<term, std::string>> opaque_;  // normal form, operation → first such term, its constant
  std::set<term> gathered_, unfolding_, expanded_;
  std::map<std::pair<mpq_class, term>, mpq_class> units_;  // base (0: e), b → u: all powers of base^b that occur are ones of base^(u·b)
  std::map<std::pair<mpq_class, term>, std::string> generators_;  // base, b → the constant base^(u·b)
  std::set<std::string> positive_;
  std::set<std::string> names_;
  std::vector<std::string> assumptions_;
  normaliser normal_;
  unsigned count_ = 0;
};

}  // namespace twofold::analyser
