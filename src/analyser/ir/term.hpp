// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Terms: the typed, hash-consed expressions in which loops, merges and obligations are written.
//! Equal terms are the same node, so equality is pointer equality. Symbols range over *finite* reals
//! (or integers); infinities and NaN occur only as the constants below, and constructors fold them away.
#pragma once

#include <gmpxx.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace twofold::analyser {

enum class sort : std::uint8_t { boolean, integer, real };

//! A C++ scalar type seen as mathematics: signed integers are ℤ (given that the loop does not overflow),
//! unsigned integers are ℤ/2^bits, float and double are ℝ.
struct type {
  sort kind = sort::real;
  std::uint8_t bits = 64;
  bool is_signed = true;
  friend bool operator==(const type&, const type&) = default;

  [[nodiscard]] bool is_modular() const { return kind == sort::integer && !is_signed; }
};
inline constexpr type boolean_type{sort::boolean, 1, false};
inline constexpr type int_type{sort::integer, 32, true};
inline constexpr type long_type{sort::integer, 64, true};
inline constexpr type float_type{sort::real, 32, true};
inline constexpr type double_type{sort::real, 64, true};
[[nodiscard]] std::string cpp_name(type t);  // "float", "unsigned", "std::int64_t", …

enum class op : std::uint8_t {
  // constants
  number,    // exact rational (or integer); booleans are 0 and 1
  infinity,  // +inf
  minus_infinity,
  nan,
  // symbols: see `symbol_kind`
  symbol,
  // arithmetic; integers of an unsigned type work modulo 2^bits
  add,
  mul,
  neg,
  div,  // div: reals only
  quotient,
  remainder,  // integers, C++ truncation
  min,
  max,
  abs,
  shift_left,
  shift_right,
  bit_and,
  bit_or,
  bit_xor,
  bit_not,
  // comparisons and logic (result boolean)
  less,
  less_equal,
  equal,
  logical_and,
  logical_or,
  logical_not,
  select,      // select(condition, then, otherwise)
  cast,        // to the node's type: int→real exact, real→int truncates, int→narrower unsigned wraps
  call,        // <cmath> function `name`: exp, log, sqrt, floor, ceil, trunc, round, pow, tanh, …; else uninterpreted
  read,        // read(array symbol, index…): one entry of an array that the loop does not write
  inner_fold,  // inner_fold(count, init, body), bound symbols symbol(accumulator, name, type) and
               // symbol(inner_index, name, long_type) in body: acc = init; for j in 0..count: acc = body
};

enum class symbol_kind : std::uint8_t {
  state,      // a carried variable before the step
  element,    // what this iteration reads from an input array (at a fixed offset from the index)
  index,      // the loop's own index, position-aware loops only
  parameter,  // loop-invariant scalar
  array,      // loop-invariant array (only as first operand of `read`)
  length,     // number of iterations of the pass
  result,     // final value of a variable of an earlier pass
  left,
  right,  // a variable of the left / right piece's state, in merges
  inner_index,
  accumulator,  // bound by inner_fold
  component,    // the generic position j within a vector-valued variable
  opaque,       // fresh symbols made by the prover
};

struct node;

//! A handle to a hash-consed node. Null only when default constructed.
class term {
 public:
  term() = default;
  explicit term(const node* n) : node_(n) {}
  [[nodiscard]] const node* operator->() const { return node_; }
  [[nodiscard]] const node& operator*() const { return *node_; }
  explicit operator bool() const { return node_ != nullptr; }
  friend bool operator==(term a, term b) { return a.node_ == b.node_; }
  friend bool operator<(term a, term b);  // by creation order: deterministic

 private:
  const node* node_ = nullptr;
};

struct node {
  op kind;
  twofold::analyser::type type;
  std::vector<term> args;
  mpq_class value;       // number
  symbol_kind symbol{};  // symbol
  std::string name;      // symbol, call, inner_fold
  std::uint32_t id;      // creation order
  std::uint32_t depth;
  bool total = true;  // has a value whatever its symbols are; else some operation in it may divide by 0, take the log of 0 …
  bool is(op k) const { return kind == k; }
  bool is_symbol(symbol_kind k) const { return kind == op::symbol && symbol == k; }
};

//! Thrown when a construction would pass a limit (nodes, depth): the caller reports which limit was met.
struct limit_error : std::runtime_error {
  using runtime_error::runtime_error;
};

//! While it lives, constructions throw limit_error once the time is up: whatever works on terms ends without asking for the time itself.
class construction_deadline {
 public:
  explicit construction_deadline(double seconds);
  ~construction_deadline();
  construction_deadline(const construction_deadline&) = delete;
  construction_deadline& operator=(const construction_deadline&) = delete;

 private:
  std::chrono::steady_clock::time_point before_;
};

// --- constructors: fold constants, drop neutral operands, fold infinities; otherwise structure is kept
term number(const mpq_class& v, type t = double_type);
term number(long v, type t = double_type);
term boolean(bool b);
term infinity(type t = double_type);
term minus_infinity(type t = double_type);
term nan(type t = double_type);
term symbol(symbol_kind k, std::string_view name, type t);
term add(term a, term b);
term sub(term a, term b);  // add(a, neg(b))
term mul(term a, term b);
term neg(term a);
term div(term a, term b);
term min(term a, term b);
term max(term a, term b);
term abs(term a);
term less(term a, term b);
term less_equal(term a, term b);
term equal(term a, term b);
term logical_and(term a, term b);
term logical_or(term a, term b);
term logical_not(term a);
term select(term condition, term then, term otherwise);
term cast(term a, type to);
term call(std::string_view function, std::vector<term> args, type t);
term read(term array, std::vector<term> index, type element);
term inner_fold(std::string_view name, term count, term init, term body);
//! Any other operation (quotient … bit_not), and the general entry: rebuilds `kind` over `args` with folding.
term make(op kind, std::vector<term> args, type t);
//! The same operation as `t` over other operands (folding again).
term rebuild(term t, std::vector<term> args);

// --- queries
[[nodiscard]] bool is_number(term t, long v);
[[nodiscard]] bool is_constant(term t);  // number, ±inf, nan
//! The operation itself, its operands having values, may have none.
[[nodiscard]] bool is_partial(const node& n);
//! ±∞ or NaN.
[[nodiscard]] bool is_special(const node& n);
[[nodiscard]] bool contains(term t, const std::function<bool(const node&)>& pred);
[[nodiscard]] std::vector<term> symbols(term t);  // distinct, in creation order; bound symbols included
[[nodiscard]] std::size_t count_nodes(std::span<const term> roots);

//! Simultaneous substitution; keys may be any terms (usually symbols).
using substitution = std::map<term, term>;
[[nodiscard]] term substitute(term t, const substitution& s);

//! C++ text of the term. Symbols print as `names` says, else as their name (left: a.NAME, right: b.NAME).
[[nodiscard]] std::string to_cpp(term t, const std::function<std::string(const node&)>& names = {});
//! Mathematical text for reports: `m = max(a.m, b.m)`, no casts, no std::, minimal parentheses.
[[nodiscard]] std::string to_text(term t, const std::function<std::string(const node&)>& names = {});

//! Forgets every term (between analyses); sets the limit on the number of nodes.
void reset_terms(std::size_t max_nodes = 2'000'000);

}  // namespace twofold::analyser
