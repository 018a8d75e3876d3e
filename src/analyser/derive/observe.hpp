// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file What many short pieces and their concatenations end with: exact runs of a lifted loop, for tests of all of them at once.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <vector>

#include "derive/sampling.hpp"

namespace twofold::analyser::deriving {

//! One bit per run.
class run_set {
 public:
  static constexpr std::size_t capacity = 1024;

  void insert(std::size_t k) { words_[k / 64] |= std::uint64_t{1} << (k % 64); }
  [[nodiscard]] bool contains(std::size_t k) const { return (words_[k / 64] >> (k % 64) & 1) != 0; }
  [[nodiscard]] bool within(const run_set& other) const;
  [[nodiscard]] bool meets(const run_set& other) const;
  [[nodiscard]] bool empty() const;
  [[nodiscard]] std::size_t size() const { return common(*this); }
  [[nodiscard]] std::size_t common(const run_set& other) const;  // the size of the intersection
  [[nodiscard]] run_set operator&(const run_set& other) const;
  [[nodiscard]] run_set operator|(const run_set& other) const;
  [[nodiscard]] run_set operator-(const run_set& other) const;
  friend bool operator<(const run_set& a, const run_set& b) { return a.words_ < b.words_; }
  friend bool operator==(const run_set&, const run_set&) = default;

 private:
  std::array<std::uint64_t, capacity / 64> words_{};
};

//! Pieces over a few letters, many of them neighbours of one another or with long runs of one letter (for what counts up to a limit); and
//! what some of the right pieces make of each left piece.
class observations {
 public:
  observations(const std::vector<candidate::variable>& all, std::size_t most, unsigned seed);

  [[nodiscard]] std::size_t size() const { return runs_.size(); }
  [[nodiscard]] const run_set& every() const { return every_; }

  //! Two right pieces agree in what they hold of `kept`, and after some left piece not in one of `targets`: no merge of these states
  //! exists.
  [[nodiscard]] bool contradictory(const std::vector<std::size_t>& kept, const std::vector<std::size_t>& targets);
  //! Further runs, on which a term is not what the variable is of the whole; no run is added where it is.
  [[nodiscard]] bool refutes(term merge, std::size_t target);
  //! The two variables are equal in all pieces and wholes; or, if Booleans, always opposite.
  [[nodiscard]] bool alike(std::size_t v, std::size_t w, bool opposite) const;

  //! For each term (over the pieces' states and parameters) the runs, from the `first` one on, in which it is true.
  [[nodiscard]] std::vector<run_set> where(const std::vector<term>& terms, std::size_t first = 0) const {
    return evaluate(terms, nullptr, first);
  }
  //! The same where it is what the variable is of the whole.
  [[nodiscard]] std::vector<run_set> equal_to(const std::vector<term>& terms, std::size_t target, std::size_t first = 0) const {
    return evaluate(terms, &target, first);
  }

 private:
  using word = std::vector<std::vector<exact>>;
  struct piece {
    word letters;
    std::size_t state;
  };
  struct round {
    std::vector<exact> parameters;
    std::vector<piece> left, right;
    std::map<std::pair<std::size_t, std::size_t>, std::optional<std::size_t>> whole;  // left and right piece → state
  };
  struct run {
    std::size_t left, right, whole;  // states
    std::size_t in;                  // round
  };
  [[nodiscard]] std::vector<run_set> evaluate(const std::vector<term>& terms, const std::size_t* target, std::size_t first) const;
  std::vector<piece> pieces(std::size_t count, const word& letters);
  [[nodiscard]] bool start_round(std::size_t lefts, std::size_t rights);
  std::optional<std::size_t> whole(round& r, std::size_t left, std::size_t right);
  std::size_t keep(const word_runner::state& s);
  bool tells_apart(round& r, std::size_t v, std::size_t w, const std::vector<std::size_t>& targets);

  const std::vector<candidate::variable>& all_;
  word_runner runner_;
  std::minstd_rand random_;
  std::vector<word_runner::state> states_;
  std::vector<std::vector<unsigned>> identity_;  // equal values of states have equal numbers
  std::vector<round> rounds_;
  std::vector<run> runs_;
  std::map<exact, unsigned> numbers_;
  run_set every_;
};

}  // namespace twofold::analyser::deriving
