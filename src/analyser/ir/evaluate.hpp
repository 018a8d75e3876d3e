// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Interpreters of the IR: exact (rationals; integers modulo 2^w where unsigned) for refutation and sampling, machine
//! (float, double, C++ integers, IEEE special values) for tests against compiled loops.
//!
//! Where the meaning of a term was open, this is the rule (both interpreters):
//! - max(a, b) is `a < b ? b : a` and min(a, b) is `b < a ? b : a`, so a NaN in second place loses; `fmax`, `fmin` are calls.
//! - select evaluates the branch it takes only; `a && b` and `a || b` look at b only if a does not decide. A fault (division by
//!   zero of integers, a read outside its array, a shift by the width or more) in what is not looked at has no effect.
//! - quotient and remainder truncate towards zero. shift_right of a negative number rounds down (C++20).
//! - cast to a boolean is `!= 0`; real to integer truncates, and is a fault where the result does not fit; integer to integer wraps.
//! - inner_fold(count, init, body): the body's bound symbols are the accumulator and the inner_index symbols of the fold's own name.
//! - read(a, i, j): row-major; with more than one index the shape of `a` must be given. A vector-valued state that is read at another
//!   component than its own is an array of its symbol.
//! Exact only: signed integers are ℤ and never overflow; x/0 is undefined; ∞ − ∞ and 0·∞ are NaN; log(0) = −∞; values beyond
//! 8192 bits are undefined. Machine only: signed overflow is a fault; every operation of type float is rounded to float.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

#include "ir/spec.hpp"

namespace twofold::analyser {

//! An exact value: a rational (booleans 0/1), or one of the three specials.
struct exact {
  enum class kind : std::uint8_t { finite, infinity, minus_infinity, nan } kind = kind::finite;
  mpq_class value;
  friend bool operator==(const exact& a, const exact& b) { return a.kind == b.kind && (a.kind != kind::finite || a.value == b.value); }
  friend bool operator<(const exact& a, const exact& b);  // any total order, for hashing by value
};
[[nodiscard]] std::string to_text(const exact& v);  // "3", "-1/2", "-inf"

using exact_environment = std::map<term, exact>;                // symbols → values
using exact_arrays = std::map<term, std::vector<exact>>;        // array symbols → row-major entries
using array_shapes = std::map<term, std::vector<std::size_t>>;  // all extents of arrays that are read with several indices

//! Value of t, or nothing where it is not rational (exp of 1), divides by zero or leaves a function's domain.
//! With `powers_of_two`, exp(k) for integer k is taken as 2^k (and log(2^k) as k): valid for testing identities that use only
//! exp(a+b) = exp(a)·exp(b), never for refuting.
std::optional<exact> evaluate(term t, const exact_environment& env, const exact_arrays& arrays = {}, bool powers_of_two = false);

//! Several terms compiled once for many evaluations: shared subterms are evaluated once, no memory is allocated per run.
//! @cost  one operation on rationals per distinct node and run (about 50 ns on small ones).
class exact_program {
 public:
  explicit exact_program(std::vector<term> roots, bool powers_of_two = false);
  ~exact_program();
  exact_program(exact_program&&) noexcept;
  exact_program& operator=(exact_program&&) noexcept;

  static constexpr std::size_t absent = static_cast<std::size_t>(-1);
  [[nodiscard]] const std::vector<term>& inputs() const;  // free scalar symbols, in the order of their slots
  [[nodiscard]] const std::vector<term>& arrays() const;  // symbols that are read with indices
  [[nodiscard]] std::size_t slot(term symbol) const;      // its slot, or `absent` if no root depends on it
  void set(std::size_t slot, const exact& v);             // `absent` is ignored
  void set(term symbol, const exact& v) { set(slot(symbol), v); }
  //! The entries must stay alive until the last run; ignored if no root reads the array.
  void set_array(term array, std::span<const exact> entries, std::vector<std::size_t> shape = {});
  //! Evaluates all roots. An input that was never set is undefined.
  void run();
  [[nodiscard]] const exact* value(std::size_t root) const;  // null where undefined; valid until the next run

 private:
  struct implementation;
  std::unique_ptr<implementation> p_;
};

//! A machine value: double holds float and double (rounded to float after each operation of float type), int64 the signed
//! integers, uint64 the unsigned ones and bool.
struct machine {
  std::variant<double, std::int64_t, std::uint64_t> value;
};
using machine_environment = std::map<term, machine>;
using machine_arrays = std::map<term, std::vector<machine>>;

//! Where the compiled program would have undefined behaviour, or a symbol has no value.
struct evaluation_error : std::runtime_error {
  using runtime_error::runtime_error;
};
machine evaluate_machine(term t, const machine_environment& env, const machine_arrays& arrays = {});
//! v as a value of type t, as a C++ conversion gives it; throws evaluation_error where that is undefined.
machine convert(const machine& v, type t);

//! The machine's twin of exact_program; value() throws evaluation_error where the root is undefined.
class machine_program {
 public:
  explicit machine_program(std::vector<term> roots);
  ~machine_program();
  machine_program(machine_program&&) noexcept;
  machine_program& operator=(machine_program&&) noexcept;

  static constexpr std::size_t absent = static_cast<std::size_t>(-1);
  [[nodiscard]] const std::vector<term>& inputs() const;
  [[nodiscard]] const std::vector<term>& arrays() const;
  [[nodiscard]] std::size_t slot(term symbol) const;
  void set(std::size_t slot, const machine& v);
  void set(term symbol, const machine& v) { set(slot(symbol), v); }
  void set_array(term array, std::span<const machine> entries, std::vector<std::size_t> shape = {});
  void run();
  [[nodiscard]] const machine& value(std::size_t root) const;

 private:
  struct implementation;
  std::unique_ptr<implementation> p_;
};

//! Runs a whole spec on arrays the way the compiled function would; outputs by name ("return", arrays flattened).
//! Lengths that are not given are inferred from the arrays. Throws evaluation_error (undefined behaviour, a missing input,
//! an array too short).
struct run_inputs {
  std::map<std::string, std::vector<machine>> arrays;  // by parameter name
  std::map<std::string, machine> scalars;
};
std::map<std::string, std::vector<machine>> run_machine(const spec& s, const run_inputs& in);

}  // namespace twofold::analyser
