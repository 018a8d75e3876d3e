// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The loop's answers against the merge's: what is exact must agree to the bit, what is rounded may differ, and a NaN or an infinity
//! on one side alone is said.
#pragma once

#include <string>
#include <vector>

#include "execute.hpp"

namespace twofold::cli {

//! Entries of one answer that differ.
struct difference {
  std::string name;
  std::string type;          // "int32"
  bool is_exact = false;     // no rounding explains it
  std::size_t entries = 0;   // that are not equal
  std::size_t special = 0;   // of them, a NaN or an infinity on one side alone
  std::size_t first = 0;     // the first entry that differs, a special one if there is one
  std::string loop, merged;  // its values
  double size = 0;           // largest |loop − merged| of entries that are finite on both sides
  double allowed = 0;        // how much of that rounding explains, or the user allows (sensitivity.hpp)
  bool unexplained = false;  // size > allowed
};

struct comparison {
  double worst = 0;               // largest |loop − merged|; NaN where one side alone is NaN
  std::vector<difference> found;  // one for each answer that differs
  [[nodiscard]] bool exact_agree() const;
  [[nodiscard]] bool explained() const;  // no difference is larger than rounding, or the user, allows
};

//! True where a merge adds, multiplies or calls on floating-point numbers: then an integer that is made of them may differ too.
bool merge_rounds(const analyser::decision& d);

//! `rounds`: no answer is exact. Else integers and bools are.
comparison compare(const answers& loop, const answers& merged, bool rounds);

//! One sentence for each difference that rounding does not explain.
std::vector<std::string> in_words(const comparison& c);

}  // namespace twofold::cli
