// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file What the page of --html draws: errors against n, against schedules, against the offset of the scores; what a narrow P holds.
#pragma once

#include <string>
#include <vector>

#include "numerics/measure.hpp"
#include "numerics/question.hpp"

namespace twofold::cli::accuracy {

//! Bound, typical and measured at one place of an axis; all relative as the guarantee is.
struct sample {
  double at = 0;
  std::string label;  // of a schedule
  double bound = 0, typical = 0, worst = 0, rms = 0;
};

//! Offset × tau for a narrow P: the weight that the cast loses, as a part of the row's weight.
struct saturation {
  std::vector<double> offsets, taus;
  std::vector<std::vector<double>> lost;  // [tau][offset]
  double limit = 0;                       // log2 of the format's largest number
};

struct curves {
  std::vector<sample> against_n, against_schedule;
  std::vector<sample> consistent, mixed;  // against the offset, with one reference and with two
  saturation cast;
  [[nodiscard]] bool any() const { return !against_n.empty(); }
};

//! What is compared on a page: a fold, one pass, tiles, splits, trees, lanes, and the schedule asked for.
std::vector<schedule> usual_schedules(std::int64_t n, const schedule& asked);
//! 128, 512, 2048, … and n itself, as far as rows are drawn.
std::vector<std::int64_t> usual_sizes(std::int64_t n);

curves draw_data(const question& q, double seconds, const progress& tell);

}  // namespace twofold::cli::accuracy
