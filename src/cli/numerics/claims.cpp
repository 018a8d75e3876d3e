// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Numbers for bounds by induction.
#include "numerics/claims.hpp"

#include <fmt/format.h>

#include <cmath>

#include "twofold/numerics/bounds.hpp"

namespace twofold::cli::accuracy {
using analyser::bounding::induction_kind;
using analyser::bounding::variable_bound;

claim claim_of(const variable_bound& v, std::int64_t n, const schedule& how) {
  const numerics::schedule_shape s = numerics::shape_of(n, how);
  claim c;
  c.pushes = s.leaf + s.pushed - 2;  // a user's loop pushes element by element, in tiles too
  c.merges = s.levels;
  c.distance = numerics::mean_distance(static_cast<double>(n));
  c.units = v.units(c.pushes, c.merges, static_cast<double>(n), c.distance);
  const double first = c.units * v.u;
  c.value = first < 1 ? first / (1 - first) : HUGE_VAL;
  return c;
}

bool is_rounded(const variable_bound& v) {
  return v.kind != induction_kind::exact && v.kind != induction_kind::selected && v.kind != induction_kind::other;
}

std::vector<std::string> claims_in_words(const analyser::decision& d) {
  constexpr std::int64_t n = 131072;
  const auto in_words = [](double v) { return std::isfinite(v) ? fmt::format("{:.2g}", v) : std::string("nothing guaranteed"); };
  std::vector<std::string> lines;
  for (const variable_bound& v : analyser::bounding::induct(d)) {
    if (!is_rounded(v)) continue;
    const double fold = claim_of(v, n, twofold::fold{}).value, tiled = claim_of(v, n, tiles{128} | schedule(twofold::tree{})).value;
    lines.push_back(
        fmt::format("|d{}| <= {}*{} at n = {} by fold, {} in tiles=128,tree", v.name, in_words(fold), v.scale, n, in_words(tiled)));
  }
  return lines;
}

}  // namespace twofold::cli::accuracy
