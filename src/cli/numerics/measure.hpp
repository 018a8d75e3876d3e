// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Measuring: the question's arithmetic on many inputs, within a time, against wide arithmetic.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "numerics/bounds.hpp"
#include "numerics/question.hpp"

namespace twofold::cli::accuracy {

//! Errors of one quantity over many inputs.
struct observed {
  double worst = 0, squares = 0;
  double ratio = 0;    //!< worst measured / bound, each input against its own bound
  std::string family;  // of that input
  std::uint64_t seed = 0;
  void add(double error, double bound, const char* of, std::uint64_t with);
};

struct measurement {
  std::int64_t inputs = 0;
  double seconds = 0;
  observed main, output;    // the guarantee's quantity; of attention also the output
  double typical = 0;       // largest 4·√V of an input, relative as the guarantee is; 0 where it is not modelled
  std::int64_t broken = 0;  // inputs whose result was not finite
  [[nodiscard]] double rms(const observed& o) const;
  [[nodiscard]] bool any() const { return inputs > 0; }
  //! Of the guarantee's quantity and the output, the one that is nearer to its bound.
  [[nodiscard]] const observed& worst() const { return output.ratio > main.ratio ? output : main; }
  [[nodiscard]] double worst_ratio() const { return worst().ratio; }
};

//! Called now and then with the part that is done, in [0, 1].
using progress = std::function<void(double)>;

//! Whether inputs of this question can be measured here: narrow states are emulated for weights and sums alone.
bool can_measure(const question& q);

//! Inputs of all families in turn, seeds from q.seed on, until the time is up; at least one of each family, at most `most` inputs.
measurement measure(const question& q, double seconds, std::int64_t most, const progress& tell = {});

//! The question under one of the harness's ways of bracketing: every family at least once, each input against its own bound.
struct certified_way {
  std::string way;
  schedule how;
  std::int64_t n = 0;
  measurement measured;  // nothing in it where the way is refused
  std::string refused;   // why: a chain that stagnates, say
};

//! @errors none: a way that cannot hold what occurs is told, not thrown
std::vector<certified_way> certify(const question& q, double seconds, const progress& tell = {});

}  // namespace twofold::cli::accuracy
