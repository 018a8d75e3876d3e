// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file A spec as a function of words: states are numbers, equal states have equal numbers, and every step is evaluated once.
//!
//! A word is a string of letters. Its first `before()` letters are context: what an iteration reads at offsets (x[i-1]) reaches
//! into them. Strings that share letters therefore read overlapping tuples, as the arrays of the loop do.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "refute/alphabet.hpp"
#include "refute/enclosure.hpp"

namespace twofold::analyser {

//! Where a word lies: the index of its first iteration and what the length parameter is taken to be.
struct place {
  long first = 0;
  long length = 0;
};

namespace refuting {
struct exact_system;
struct enclosure_system;
}  // namespace refuting

//! Value: exact, or enclosure where only a difference is to be shown.
template <class System, class Value>
class basic_word_runner {
 public:
  using observation = std::vector<std::optional<Value>>;
  static constexpr int none = -1;

  //! Throws limit_error where the spec is out of reach (windows of more than five letters, ranges that are no plain n).
  //! With `powers_of_two`, e is taken to be 2: see refute_merge for when that refutes.
  basic_word_runner(const spec& s, const setting& fixed, const alphabet& letters, bool powers_of_two = false);
  ~basic_word_runner();

  [[nodiscard]] std::size_t before() const;  // letters of context
  [[nodiscard]] bool uses_length() const;    // a step or an output speaks of the length
  [[nodiscard]] bool uses_index() const;
  //! Index of the first iteration of a word of `length` iterations that is the whole range; a reversed loop starts at the end.
  [[nodiscard]] long origin(long length) const;
  //! Name and value of the parameter that ends a range of so many iterations, if it has one.
  [[nodiscard]] std::optional<std::pair<std::string, long>> length_parameter(long iterations) const;
  [[nodiscard]] int direction() const;  // of the index from one iteration to the next: 1 or -1

  //! The number of the state after the word: the results of all passes. `none`: it faults, is not rational, or does not fit its type.
  int run(std::span<const letter_id> string, place where);
  //! The part of a state that a merge may use: equal keys, equal observable variables.
  int key(int state);
  //! Restricts key() to some variables (by position in spec::results); used to ask whether one of them can be left out.
  void restrict_key(std::vector<bool> variables);
  //! The number of what the outputs are at a state, where they depend on it alone and all have values; else `none`.
  int observation_of(int state);
  //! The outputs after the word; per-element outputs at its first iteration and at its last `tail` ones.
  observation observe(std::span<const letter_id> string, place where, std::size_t tail);

  [[nodiscard]] std::string state_text(int state) const;  // "(best, current) = (2, 0)"
  [[nodiscard]] std::string observation_text(const observation& o) const;
  [[nodiscard]] const std::vector<Value>& values(int state) const;                    // of all results, flat, in the order of spec::results
  [[nodiscard]] std::pair<std::size_t, std::size_t> range(std::size_t result) const;  // where a result's components lie: first, count
  [[nodiscard]] bool observable(std::size_t result) const;
  [[nodiscard]] std::size_t steps() const;  // evaluated so far

 private:
  struct implementation;
  std::unique_ptr<implementation> p_;
};
using word_runner = basic_word_runner<refuting::exact_system, exact>;
using bounded_word_runner = basic_word_runner<refuting::enclosure_system, enclosure>;

}  // namespace twofold::analyser
