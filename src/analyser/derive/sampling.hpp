// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Exact random tests that prune guesses before the checker sees them. Passing proves nothing.
#pragma once

#include <random>
#include <vector>

#include "ir/evaluate.hpp"
#include "prove/prove.hpp"

namespace twofold::analyser::deriving {

//! Values for one kind of symbol: small numbers, and constants that the loop compares with.
class value_source {
 public:
  explicit value_source(const std::vector<term>& terms, unsigned seed = 1);
  exact draw(term symbol);
  std::size_t below(std::size_t n) { return random_() % n; }

 private:
  std::minstd_rand random_;
  std::vector<mpq_class> constants_;
};

//! a = b at random values of their symbols, wherever both are defined and finite or equally infinite (and somewhere they are).
bool same_on_samples(term a, term b, int rounds = 60);

//! Runs of a lifted loop: states of random words, and the merge tried on them.
class word_runner {
 public:
  explicit word_runner(const std::vector<candidate::variable>& variables, unsigned seed = 1);
  using state = std::vector<exact>;

  struct piece {
    state value;                           // after the word
    std::vector<std::vector<exact>> word;  // the elements, one tuple per iteration
  };
  //! A fresh choice of parameters; words drawn afterwards use it.
  void choose_parameters();
  //! An earlier choice again.
  void use_parameters(const std::vector<exact>& values);
  const std::vector<exact>& parameter_values() const { return parameter_values_; }
  //! A word of the given length; nothing if a step has no exact value.
  std::optional<piece> draw(std::size_t length);
  std::optional<state> run(const std::vector<std::vector<exact>>& word);
  //! The same from the state of a word before it.
  std::optional<state> run_on(state s, const std::vector<std::vector<exact>>& word);

  //! merge(h(u), h(v)) ≠ h(uv) on some random words, for a variable with a merge.
  bool differs(int rounds = 60);

  const std::vector<term>& inputs() const { return inputs_; }  // elements
  const std::vector<term>& parameters() const { return parameters_; }
  const exact& parameter(std::size_t i) const { return parameter_values_[i]; }

 private:
  bool advance(state& s, const std::vector<exact>& letter, bool first);

  std::vector<candidate::variable> variables_;
  value_source source_;
  std::vector<term> inputs_, parameters_;
  std::vector<exact> parameter_values_;
  std::optional<exact_program> step_, lift_, merge_, init_;
  term index_;
};

}  // namespace twofold::analyser::deriving
