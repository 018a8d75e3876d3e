// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file One obligation as a self-contained, division-free piece of SMT-LIB 2.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "prove/normal.hpp"
#include "prove/prove.hpp"
#include "prove/smt_text.hpp"

namespace twofold::analyser {

namespace smt {
//! Whether a claim about reals says of integers only that they are bounded and that they are added and multiplied: then it is claimed of
//! all reals within these bounds, which is more, and what solvers decide.
[[nodiscard]] bool says_nothing_of_integers(const obligation& o, const std::vector<term>& known);
}  // namespace smt

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
  using quotient = smt::quotient;
  static bool is_int(type t) { return t.kind == sort::integer; }

  const quotient& value(term t);  // real or integer
  std::string condition(term t);
  quotient make_value(term t);
  std::string integer(term t);  // a value without denominator, unsigned: in [0, 2^w)
  std::string whole(term t);    // real value as one expression (divides if it must)
  quotient written(const std::string& body, type t);

  // integers (smt_integers.cpp)
  quotient converted(term t);
  quotient as_real(term t);
  quotient bits(term t);
  std::string masked(const std::string& x, const mpz_class& mask);
  std::string wrapped(const std::string& e, type t, const std::optional<mpz_class>& top = std::nullopt);
  mpz_class most(term t);
  void note_bounds(const std::vector<term>& known);

  std::string define(const char* prefix, const std::string& sort, const std::string& body);
  std::string declare(const std::string& wanted, const std::string& sort);
  std::string opaque(term t, const std::string& sort);
  void same_operands(term a, term b);
  void check(const std::string& assertion, const std::string& why);
  std::vector<std::string> facts(const obligation& o, const std::vector<term>& path);
  void domain(const obligation& o, std::vector<std::pair<std::string, std::string>>& out);
  std::string finished(const std::vector<std::string>& known, const std::vector<std::pair<std::string, std::string>>& claims);

  // arithmetic (smt_quotients.cpp)
  quotient power(const quotient& x, long n);
  quotient divided(const quotient& x, const quotient& y);
  [[nodiscard]] smt::factors positive(const smt::factors& f) const;
  void summands(term t, const mpq_class& scale, std::vector<quotient>& out);
  quotient sum(std::vector<quotient> parts);
  quotient real_sum(term t) {
    std::vector<quotient> parts;
    summands(t, 1, parts);
    return sum(std::move(parts));
  }
  quotient choose(const std::string& c, const quotient& x, const quotient& y, bool integer);
  void operands(term t, op kind, std::vector<term>& out);
  quotient with_sign(const quotient& q);
  quotient extremum(term t);
  [[nodiscard]] std::string vanishes(const quotient& q, bool integer) const;
  std::string relation(const char* op, term a, term b) { return relation(op, value(a), value(b), is_int(a->type)); }
  std::string relation(const char* op, quotient x, quotient y, bool integer = false);

  // functions (smt_functions.cpp)
  quotient call(term t);
  quotient exponential(term argument);
  quotient generator(const rational& basis, const mpq_class& exponent);
  quotient logarithm(term t);
  quotient root(term t);
  quotient plain_root(term t);
  void gather(term t);
  void note(const rational& exponent);

  std::ostringstream head_, body_;                                      // declarations and definitions; check-sats
  std::map<std::pair<std::string, std::string>, std::string> defined_;  // sort, body → name
  std::map<term, quotient> values_;
  std::map<term, mpz_class> most_;
  bool relaxed_ = false;  // integers are reals
  std::set<std::string> unwrapped_;
  std::vector<std::pair<std::string, std::string>> in_range_;  // claims, and why
  std::map<term, std::string> conditions_;
  std::map<std::pair<term, std::string>, std::pair<term, std::string>> opaque_;  // normal form, operation → first such term, its constant
  std::set<term> gathered_, unfolding_, expanded_;
  std::map<term, mpq_class> units_;         // b → u: all powers of e^b that occur are ones of e^(u·b)
  std::map<term, std::string> generators_;  // b → the constant e^(u·b)
  std::set<std::string> positive_;
  std::set<std::string> names_;
  std::map<std::pair<std::string, std::string>, std::string> named_quotients_;
  std::vector<std::string> premises_;  // hypotheses that no check rests on: the checks may suppose them
  std::vector<std::string> assumptions_;
  normaliser normal_;
  unsigned count_ = 0;
};

}  // namespace twofold::analyser
