// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file What is measured beside what: every contender does the same job on the same data and says its answer, which is checked before
//! anything is timed.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "twofold/algebra/reduction.hpp"

namespace bench {

struct contender {
  std::string name;             //!< job/size/who
  double items;                 //!< elements that one run walks
  double bytes;                 //!< that it must move: each input read once, each output written once
  std::function<double()> run;  //!< the answer, or one number of it
  double want;                  //!< computed in long double
  double tolerance;
};

//! One size of input and its name.
struct size_class {
  const char* name;
  twofold::index elements;
};
inline constexpr size_class sizes[] = {{"16KiB", 1 << 12}, {"256KiB", 1 << 16}, {"256MiB", 1 << 26}};
inline constexpr const size_class& in_memory = sizes[2];

//! The elements: normal with mean 1 and deviation 2, the same for all contenders; and room for as many results. Touched by the threads
//! that will walk them.
const float* signal();
float* room();

//! @name Answers for the first n elements, in long double.
//! @{
struct truth {
  double sum, largest, variance, log_sum_exp, best_prefix;
};
const truth& truth_of(twofold::index n);
//! @}

void add_ceilings(std::vector<contender>& all);
void add_reductions(std::vector<contender>& all);
void add_scans(std::vector<contender>& all);
void add_rows(std::vector<contender>& all);
void add_peers(std::vector<contender>& all);         // libstdc++, oneTBB, OpenMP
void add_header_peers(std::vector<contender>& all);  // Eigen, Boost.Accumulators, where they are found
void add_row_peers(std::vector<contender>& all);     // oneDNN, where it is found

}  // namespace bench
