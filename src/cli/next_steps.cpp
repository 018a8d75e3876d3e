// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Suggestions at the end of a report.
#include "next_steps.hpp"

#include <algorithm>

namespace twofold::cli {
using namespace analyser;

bool has_vectors(const decision& d) {
  return std::any_of(d.state.begin(), d.state.end(), [](const merged_variable& v) { return v.extent && !v.extent->is(op::number); });
}

bool is_scan(const spec& s) {
  return std::any_of(s.passes.begin(), s.passes.end(), [](const pass& p) {
    return std::any_of(p.outputs.begin(), p.outputs.end(), [](const element_output& o) { return o.is_scan; });
  });
}

std::string open_schedules(const spec& s) {
  return is_scan(s) ? "scan: fold  tiles  tree  split  threads" : "fold  lanes  tiles  tree  split  threads  scan  stream";
}

std::vector<std::string> next_commands(const spec& s) {
  const std::string target = s.file + ":" + s.function;
  std::string run = "twofold run  " + target;
  for (const parameter& p : s.parameters) {
    if (p.role == parameter_role::input_array || p.role == parameter_role::invariant_array)
      run += " --input " + p.name + "=" + p.name + ".npy";
    if (p.role == parameter_role::scalar) run += " --set " + p.name + "=…";
    if (p.role == parameter_role::output_array) run += " --output " + p.name + "=" + p.name + ".npy";
  }
  return {run + " --schedule tiles=128,tree", "twofold emit " + target + " --target c++"};
}

}  // namespace twofold::cli
