// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file What the verdict is silent about: NaN, infinities, signed zeros and the largest number, loop against merge on every split of up to
//! three elements; and two pieces on which rounding makes them differ.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ir/decision.hpp"

namespace twofold::analyser {

//! One special value among ordinary ones.
struct special_row {
  std::string value;        // "NaN", "-inf", …
  std::size_t splits = 0;   // that were tried: words with this value and 1, cut at every place
  std::size_t rounded = 0;  // on which the answers are finite and differ by rounding: by less than a thousandth
  std::size_t differ = 0;   // on which they are something else altogether; any NaN is any other
  std::string left, right;  // the shortest split on which they differ
  std::string loop, merge;  // the answers there
};

//! A split of ordinary numbers on which the merge gives other bits than the loop: the law holds for real numbers, not for rounded ones.
struct rounding_witness {
  std::string left, right, loop, merge;
  double relative = 0;  // |loop − merge| over the larger of the two
};

struct machine_behaviour {
  std::vector<special_row> special;  // empty where elements are not floating-point numbers one by one
  std::optional<rounding_witness> rounding;
};

//! @cost some thousand small runs, at most `seconds`
machine_behaviour behaviour_of(const spec& s, const decision& d, double seconds);

}  // namespace twofold::analyser
