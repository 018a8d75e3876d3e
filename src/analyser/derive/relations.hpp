// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file What held of the states of all pieces that were run: shapes that an invariant may have.
#pragma once

#include <optional>

#include "derive/part.hpp"
#include "derive/sampling.hpp"

namespace twofold::analyser::deriving {

using variable_list = std::vector<candidate::variable>;
using values = std::vector<exact>;

//! One pair of neighbouring words: the states of both and of the whole, and one element with the parameters.
struct experience {
  values left, right, whole, fixed;
};

//! Many of them, and what the values are of.
struct experiences {
  std::vector<term> states, fixed;  // symbols
  std::vector<experience> runs;
};

//! The inputs of a program that are the variables of one state, of two pieces, or fixed.
class placing {
 public:
  placing(const exact_program& p, const experiences& e);
  void state(exact_program& p, const values& v) const { put(p, state_, v); }
  void pieces(exact_program& p, const values& left, const values& right) const {
    put(p, left_, left);
    put(p, right_, right);
  }
  void fixed(exact_program& p, const values& v) const { put(p, fixed_, v); }

 private:
  using places = std::vector<std::pair<std::size_t, std::size_t>>;  // slot, and which value
  static void put(exact_program& p, const places& to, const values& v) {
    for (const auto& [slot, i] : to) p.set(slot, v[i]);
  }
  places state_, left_, right_, fixed_;
};

//! Shapes an invariant may have, as far as no run contradicts them; simplest first.
std::vector<term> invariants_seen(const variable_list& all, const experiences& seen);

//! c0 + Σ c_j·v_j over the other numbers of the type of all[i], equal to all[i] in every state of `seen`; own variables before added ones.
//! Nothing for Booleans and numbers modulo 2^w, for a constant, or where a coefficient of integers is none.
//! Cost: an elimination in at most 12 columns. A coincidence of the runs is possible: the reading is tried on others.
std::optional<term> affine_reading(const variable_list& all, std::size_t i, const experiences& seen);

}  // namespace twofold::analyser::deriving
