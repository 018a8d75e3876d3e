// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file A decided loop run on data with a guaranteed error beside every value: pieces by the step, their states by the merge, the answers
//! by finalize, bracketed as a tree of pieces says. The bound holds for these data and this bracketing, in all orders.
#pragma once

#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "bound/ball.hpp"
#include "ir/decision.hpp"

namespace twofold::analyser::bounding {

//! Why no bound came out: a decision that rounding may turn, a divisor near 0, a function out of its domain.
struct no_bound : std::runtime_error {
  using runtime_error::runtime_error;
};

//! Everything a loop reads. Array symbols of parameters are keys; row-major.
struct loop_data {
  std::map<term, ball> scalars;  // parameters and lengths
  std::map<term, std::vector<ball>> arrays;
  std::map<term, std::vector<std::size_t>> shapes;  // of arrays with several extents
  std::int64_t first = 0, last = 0;                 // range of the index
};

//! Positions [first, last) of a run: merged in the order given. A leaf has no parts.
struct bracket {
  std::int64_t first = 0, last = 0;
  std::vector<bracket> parts;  // two or more, neighbours
};

struct bounded_answer {
  std::string name;
  std::vector<ball> values;
};

//! @errors no_bound
std::vector<bounded_answer> run_bounded(const spec& s, const decision& d, const loop_data& data, const bracket& how, precision p);

//! x − max(x, y) as min(0, x − y): the same value in floating point, but the radius does not count the error of x twice.
term regauged(term t);

}  // namespace twofold::analyser::bounding
