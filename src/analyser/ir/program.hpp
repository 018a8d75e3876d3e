// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file A vector of terms as straight-line code over registers, for both interpreters. Internal to the interpreters.
//! What an operation does is the domain's business (exact or machine); here is only the order of evaluation. Everything is
//! evaluated, a branch not taken too: a fault makes a register undefined, and select does not look at the branch it drops.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ir/term.hpp"

namespace twofold::analyser {

//! The functions that both interpreters know; `std::` and the suffix of the float versions do not matter.
enum class function : std::uint8_t {
  unknown,
  exp,
  exp2,
  expm1,
  log,
  log2,
  log10,
  log1p,
  sqrt,
  cbrt,
  pow,
  sin,
  cos,
  tan,
  asin,
  acos,
  atan,
  sinh,
  cosh,
  tanh,
  erf,
  erfc,
  floor,
  ceil,
  trunc,
  round,
  nearbyint,
  abs,
  fmin,
  fmax,
  fmod,
  fdim,
  hypot,
  fma,
  copysign,
  atan2,
  isnan,
  isinf,
  isfinite,
  signbit,
  gcd,
  lcm,
};
[[nodiscard]] function find_function(std::string_view name);

//! A bound on the trips of one inner fold: a garbage count must not run for ever.
inline constexpr std::int64_t max_inner_trips = 1 << 24;

//! Domain: types `value`, `slot` (a value that may be undefined) and the operations used below.
template <class Domain>
class program {
 public:
  using value = typename Domain::value;
  using slot = typename Domain::slot;

  program(const std::vector<term>& roots, Domain domain) : domain_(domain) {
    contexts_.push_back({"", {}, 0, 0, {}});
    for (term r : roots) roots_.push_back(compile(r));
    code_ = std::move(contexts_.back().code);
    contexts_.clear();
    free_.clear();
  }

  const std::vector<term>& inputs() const { return inputs_; }
  const std::vector<term>& arrays() const { return arrays_; }
  std::size_t find(term symbol) const {
    const auto it = input_register_.find(&*symbol);
    return it == input_register_.end() ? static_cast<std::size_t>(-1) : it->second;
  }
  void set(std::size_t at, const value& v) {
    if (at < registers_.size()) domain_.assign(registers_[at], v, types_[at]);
  }
  void set_array(term array, std::span<const value> entries, std::vector<std::size_t> shape) {
    const auto it = std::find(arrays_.begin(), arrays_.end(), array);
    if (it != arrays_.end()) bound_[static_cast<std::size_t>(it - arrays_.begin())] = {entries, std::move(shape)};
  }
  void run() { run(code_); }
  const slot& result(std::size_t root) const { return registers_[roots_[root]]; }

 private:
  using reg = std::uint32_t;
  struct instruction {
    const node* what;
    function name;
    reg target;
    std::uint32_t extra;  // number of the array or of the fold
    std::vector<reg> args;
  };
  struct fold_code {
    std::vector<instruction> body;
    reg accumulator, index, result;
  };
  struct context {
    std::string fold;
    std::vector<instruction> code;
    reg accumulator, index;
    std::unordered_map<const node*, reg> done;
  };
  struct bound_array {
    std::span<const value> entries;
    std::vector<std::size_t> shape;
  };

  reg fresh(type t) {
    registers_.emplace_back();
    types_.push_back(t);
    return static_cast<reg>(registers_.size() - 1);
  }

  //! The folds whose bound symbols occur free in n.
  const std::set<std::string>& free_folds(const node* n) {
    if (auto it = free_.find(n); it != free_.end()) return it->second;
    std::set<std::string> r;
    if (n->is_symbol(symbol_kind::accumulator) || n->is_symbol(symbol_kind::inner_index)) r.insert(n->name);
    for (std::size_t i = 0; i < n->args.size(); ++i) {
      std::set<std::string> part = free_folds(&*n->args[i]);
      if (n->is(op::inner_fold) && i == 2) part.erase(n->name);
      r.merge(part);
    }
    return free_.emplace(n, std::move(r)).first->second;
  }

  //! The outermost context in which n has a value: what does not depend on a fold's bound symbols is computed before the fold.
  std::size_t home(const node* n) {
    if (contexts_.size() == 1) return 0;
    const std::set<std::string>& names = free_folds(n);
    for (std::size_t c = contexts_.size() - 1; c > 0; --c)
      if (names.contains(contexts_[c].fold)) return c;
    return 0;
  }

  reg compile(term t) {
    const node* n = &*t;
    const std::size_t h = home(n);
    if (auto it = contexts_[h].done.find(n); it != contexts_[h].done.end()) return it->second;
    const reg r = emit(n, h);
    contexts_[h].done.emplace(n, r);
    return r;
  }

  reg emit(const node* n, std::size_t h) {
    if (h > 0 && n->is_symbol(symbol_kind::accumulator)) return contexts_[h].accumulator;
    if (h > 0 && n->is_symbol(symbol_kind::inner_index)) return contexts_[h].index;
    if (n->is(op::symbol)) return emit_input(n);
    if (n->is(op::inner_fold)) return emit_fold(n, h);
    instruction i{n, n->is(op::call) ? find_function(n->name) : function::unknown, 0, 0, {}};
    const bool reads = n->is(op::read);
    for (std::size_t k = reads ? 1 : 0; k < n->args.size(); ++k) i.args.push_back(compile(n->args[k]));
    if (reads) i.extra = array_number(n->args[0]);
    i.target = fresh(n->type);
    if (n->args.empty()) domain_.constant(*n, registers_[i.target]);
    else contexts_[h].code.push_back(i);
    return i.target;
  }

  reg emit_input(const node* n) {
    const reg r = fresh(n->type);
    inputs_.push_back(term(n));
    input_register_.emplace(n, r);
    return r;
  }

  reg emit_fold(const node* n, std::size_t h) {
    instruction i{n, function::unknown, 0, 0, {compile(n->args[0]), compile(n->args[1])}};
    const reg accumulator = fresh(n->args[1]->type), index = fresh(long_type);
    contexts_.push_back({n->name, {}, accumulator, index, {}});
    const reg result = compile(n->args[2]);
    fold_code f{std::move(contexts_.back().code), accumulator, index, result};
    contexts_.pop_back();
    i.extra = static_cast<std::uint32_t>(folds_.size());
    folds_.push_back(std::move(f));
    i.target = fresh(n->type);
    contexts_[h].code.push_back(i);
    return i.target;
  }

  std::uint32_t array_number(term array) {
    auto it = std::find(arrays_.begin(), arrays_.end(), array);
    if (it == arrays_.end()) {
      it = arrays_.insert(it, array);
      bound_.emplace_back();
    }
    return static_cast<std::uint32_t>(it - arrays_.begin());
  }

  void run(const std::vector<instruction>& code) {
    for (const instruction& i : code) {
      if (i.what->is(op::read)) run_read(i);
      else if (i.what->is(op::inner_fold)) run_fold(i);
      else run_operation(i);
    }
  }

  void run_operation(const instruction& i) {
    const slot* args[8];
    const std::size_t n = std::min<std::size_t>(i.args.size(), 8);
    for (std::size_t k = 0; k < n; ++k) args[k] = &registers_[i.args[k]];
    domain_.apply(*i.what, i.name, std::span<const slot* const>(args, n), registers_[i.target]);
  }

  void run_read(const instruction& i) {
    const bound_array& a = bound_[i.extra];
    slot& out = registers_[i.target];
    const bool shaped = i.args.size() == a.shape.size();
    if (i.args.size() > 1 && !shaped) return domain_.undefine(out, "an array whose shape is not known is read with several indices");
    std::size_t at = 0;
    for (std::size_t k = 0; k < i.args.size(); ++k) {
      const std::optional<std::int64_t> index = domain_.index(registers_[i.args[k]]);
      if (!index || *index < 0 || (shaped && static_cast<std::size_t>(*index) >= a.shape[k]))
        return domain_.undefine(out, "a read outside its array");
      at = (k == 0 ? 0 : at * a.shape[k]) + static_cast<std::size_t>(*index);
    }
    if (at >= a.entries.size()) return domain_.undefine(out, "a read outside its array");
    domain_.assign(out, a.entries[at], i.what->type);
  }

  void run_fold(const instruction& i) {
    const fold_code& f = folds_[i.extra];
    slot& out = registers_[i.target];
    const std::optional<std::int64_t> trips = domain_.index(registers_[i.args[0]]);
    if (!trips || *trips > max_inner_trips) return domain_.undefine(out, "an inner loop whose number of iterations is not known");
    out = registers_[i.args[1]];
    for (std::int64_t j = 0; j < *trips; ++j) {
      registers_[f.accumulator] = out;
      domain_.set_index(registers_[f.index], j);
      run(f.body);
      out = registers_[f.result];
    }
  }

  Domain domain_;
  std::vector<slot> registers_;
  std::vector<type> types_;
  std::vector<instruction> code_;
  std::vector<fold_code> folds_;
  std::vector<reg> roots_;
  std::vector<term> inputs_, arrays_;
  std::vector<bound_array> bound_;
  std::unordered_map<const node*, reg> input_register_;
  // while compiling
  std::vector<context> contexts_;
  std::unordered_map<const node*, std::set<std::string>> free_;
};

}  // namespace twofold::analyser
