// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file What the refuter draws from: a few simple letters (what every input array holds at one position) and a few values of
//! the loop-invariant parameters. Simple values come first, so that the first witness is a readable one.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "ir/evaluate.hpp"

namespace twofold::analyser {

//! A rational, in lowest terms, as a finite exact number.
exact exact_of(const mpq_class& v);

//! One choice of the parameters. The length of the range is not among them: it follows from the word.
struct setting {
  exact_environment scalars;
  exact_arrays arrays;  // invariant arrays: a query vector, a table
  array_shapes shapes;
};

//! The parameter that bounds the range (`n` in i < n), as it occurs in terms; none where the range is not a symbol.
[[nodiscard]] std::vector<term> range_symbols(const spec& s);

//! At least one setting; inner extents (the d of n × d) are 1 in the first ones and 2 in the later ones.
[[nodiscard]] std::vector<setting> settings(const spec& s);

//! An input array that moves with the index. width 0: one entry per position; else a row of that many.
struct tape {
  std::string array;
  type element;
  std::size_t width = 0;
};
using letter_id = std::uint8_t;

struct alphabet {
  std::vector<tape> tapes;
  std::vector<std::vector<std::vector<exact>>> letters;  // letter → tape → entries

  //! What `array` holds at a position with this letter, as C++ would write it; rows in brackets.
  [[nodiscard]] std::string text(const spec& s, const std::string& array, letter_id l) const;
};
//! At most `most` letters, in the order of simplicity.
[[nodiscard]] alphabet make_alphabet(const spec& s, const setting& fixed, std::size_t most);

}  // namespace twofold::analyser
