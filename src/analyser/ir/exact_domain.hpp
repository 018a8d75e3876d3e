// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file What each operation does to exact values: the domain of exact_program, shared with the interpreter of enclosures.
//! Internal to the interpreters.
#pragma once

#include "ir/evaluate.hpp"
#include "ir/program.hpp"

namespace twofold::analyser {

struct exact_slot {
  exact v;
  bool defined = false;
};

struct exact_domain {
  using value = exact;
  using slot = exact_slot;
  bool powers_of_two = false;

  void constant(const node& n, slot& out) const;
  void assign(slot& out, const exact& v, type) const;
  void undefine(slot& out, const char*) const { out.defined = false; }
  std::optional<std::int64_t> index(const slot& s) const;
  void set_index(slot& out, std::int64_t i) const;
  void apply(const node& n, function f, std::span<const slot* const> args, slot& out) const;
};

}  // namespace twofold::analyser
