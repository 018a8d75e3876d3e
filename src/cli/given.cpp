// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Names on the command line of `run`, held against the function's parameters.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "bind.hpp"
#include "failure.hpp"
#include "nearest.hpp"

namespace twofold::cli {
using namespace analyser;

bool is_array(const parameter& p) { return p.role != parameter_role::scalar && p.role != parameter_role::length; }

names_of_parameters given_names(const spec& s) {
  names_of_parameters names;
  for (const parameter& p : s.parameters) (is_array(p) ? names.arrays : names.scalars).push_back(p.name);
  return names;
}

void check_given(const spec& s, const given& g) {
  const auto check = [&](const auto& named, const std::vector<std::string>& known, const char* option, const char* kind) {
    for (const auto& [name, value] : named) {
      if (std::find(known.begin(), known.end(), name) != known.end()) continue;
      const std::string meant = nearest(name, known);
      throw failure(exit_code::bad_input, "TF2114", fmt::format("{} {}={} names no {} of {}", option, name, value, kind, s.function),
                    known.empty() ? fmt::format("it has no {}s", kind) : fmt::format("its {}s are: {}", kind, fmt::join(known, ", ")),
                    !meant.empty()      ? fmt::format("did you mean {} {}={}?", option, meant, value)
                    : known.size() == 1 ? fmt::format("{} {}={}", option, known.front(), value)
                                        : "use the names in the function's parameter list",
                    s.where);
    }
  };
  const auto [arrays, scalars] = given_names(s);
  check(g.arrays, arrays, "--input", "array");
  check(g.scalars, scalars, "--set", "scalar");
}

}  // namespace twofold::cli
