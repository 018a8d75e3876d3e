// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file What the law checker found, as a value.
#pragma once

#include <string>

#include "twofold/algebra/reduction.hpp"

TWOFOLD_BEGIN_NAMESPACE
namespace laws {

enum class law { identity, push, associativity, commutativity, leaf, whole };

inline const char* name_of(law l) {
  switch (l) {
    case law::identity:
      return "identity";
    case law::push:
      return "push rule";
    case law::associativity:
      return "associativity";
    case law::commutativity:
      return "commutativity";
    case law::leaf:
      return "leaf";
    case law::whole:
      return "merge of answers";
  }
  return "";
}

//! The smallest failure that shrinking reached: pieces of input, and what the two sides of the law make of them.
struct counterexample {
  law broken = law::identity;
  std::string statement;              //!< the law, e.g. "(a ⊕ b) ⊕ c = a ⊕ (b ⊕ c)"
  std::string a, b, c;                //!< the pieces as lists of elements; empty where the law does not speak of them
  std::string left_side, right_side;  //!< the two values that should be the same
  index elements = 0;                 //!< number of elements in all pieces
};

//! Passed or not, after how many trials. Passing is evidence, never proof: `twofold check` proves.
struct report {
  bool passed = true;
  index trials = 0;
  counterexample failure;  //!< only where !passed
  std::string note;        //!< what else was seen, e.g. that an operator not declared commutative looked it
  explicit operator bool() const { return passed; }

  //! One line.
  [[nodiscard]] std::string summary() const {
    if (passed) return "every law held in " + std::to_string(trials) + " trials (tested, not proved)" + (note.empty() ? "" : "; " + note);
    return std::string(name_of(failure.broken)) + " fails: " + failure.left_side + " ≠ " + failure.right_side + " for" + pieces(" ", "");
  }
  //! A few lines: the law, the pieces, the two sides.
  [[nodiscard]] std::string to_string() const {
    if (passed) return summary() + "\n";
    return std::string(name_of(failure.broken)) + " fails\n    law      " + failure.statement + pieces("\n    ", "        ") +
           "\n    left     " + failure.left_side + "\n    right    " + failure.right_side + "\n";
  }

 private:
  [[nodiscard]] std::string pieces(const char* before, const char* after) const {
    std::string out;
    const auto add = [&](const char* name, const std::string& piece) {
      if (!piece.empty()) out += before + (name + (*after ? after + piece : " = " + piece));
    };
    add("a", failure.a);
    add("b", failure.b);
    add("c", failure.c);
    return out;
  }
};

}  // namespace laws
TWOFOLD_END_NAMESPACE
