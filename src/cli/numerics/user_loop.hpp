// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file `twofold numerics FILE:FUNCTION`: what can be said of a user's loop for all data, for the data at hand, and what was measured.
#pragma once

#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bound/induction.hpp"
#include "loop.hpp"
#include "numerics/curves.hpp"
#include "numerics/data.hpp"
#include "numerics/measure.hpp"
#include "terminal.hpp"
#include "twofold/schedule/plan.hpp"

namespace twofold::cli::accuracy {

struct loop_question {
  std::string what;  // FILE:FUNCTION
  schedule how;
  data_request data;
  std::vector<std::string> include_dirs;
  std::string cache;
  double seconds = 2;
  double deviations = 10;  // |mean| of the data by its standard deviation: for bounds of variances
  std::uint64_t seed = 1;
  bool certify = false;  // lengths up to n and every way of bracketing, in place of n and the schedule
  bool curves = false;   // half of the time goes to other lengths and schedules, for the page of --html
};

//! One answer over all inputs: relative to max(|answer|, …) nothing: errors are absolute, sizes beside them.
struct loop_answer {
  std::string name;
  double worst = 0, bound = 0, size = 0;  // of the input with the largest measured/bound
  double ratio = 0;
  double largest_relative = 0, largest_relative_bound = 0;  // over all inputs with an answer other than 0
  std::string family, way;
  std::int64_t n = 0;
  std::uint64_t seed = 0;
};

struct loop_report {
  loop_question question;
  analyser::spec loop;
  analyser::decision decision;
  std::vector<analyser::bounding::variable_bound> variables;
  std::int64_t n = 0;
  plan shape;
  bool compiled = false;
  std::string not_compiled;  // why
  std::int64_t inputs = 0, unbounded = 0, different_bits = 0;
  std::int64_t comparisons = 0, violations = 0;     // of answers with a finite bound
  std::map<std::string, double> by_way, by_family;  // worst ratios
  std::int64_t held_against_code = 0;               // values of the compiled code that were compared
  std::string why_unbounded;                        // the first reason
  std::vector<loop_answer> answers;
  std::vector<sample> against_n, against_schedule;  // over all answers and inputs: largest relative error, and largest running bound
};

//! Reads, decides, bounds, compiles, runs. `analysed` is called when only compiling and running is left.
loop_report examine_loop(const loop_question& q, double analysis_seconds, const std::function<void()>& analysed, const progress& tell);

std::string report(const loop_report& r, style paint);
nlohmann::ordered_json to_json(const loop_report& r);

//! A measured error above its bound?
bool above(const loop_report& r);

}  // namespace twofold::cli::accuracy
