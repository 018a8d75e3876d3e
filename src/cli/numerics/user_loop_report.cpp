// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file What was found about a user's loop, as a page and as JSON. Each statement says of what kind it is: for all data, for these data,
//! or measured.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "numerics/claims.hpp"
#include "numerics/user_loop.hpp"
#include "page.hpp"
#include "twofold/schedule/text.hpp"

namespace twofold::cli::accuracy {
using analyser::bounding::induction_kind;
using analyser::bounding::variable_bound;
using json = nlohmann::ordered_json;

namespace {

std::string brief_size(double v) { return std::isfinite(v) ? fmt::format("{:.2g}", v) : "no bound"; }

claim claim_for(const loop_report& r, const variable_bound& v) { return claim_of(v, r.n, r.question.how, r.question.deviations); }

std::vector<std::string> guarantee_lines(const loop_report& r) {
  std::vector<std::string> lines;
  for (const variable_bound& v : r.variables) {
    if (v.kind == induction_kind::exact || v.kind == induction_kind::selected)
      lines.push_back(fmt::format("{}: {}{}", v.name, v.kind == induction_kind::exact ? "exact; " : "", v.why));
    else if (v.kind == induction_kind::other) lines.push_back(fmt::format("{}: none for all data: {}", v.name, v.why));
    else
      lines.push_back(fmt::format("|d{}| <= {}*{} = {:.4g}u = {} relative to it; {}", v.name, formula_of(v), v.scale, claim_for(r, v).units,
                                  brief_size(claim_for(r, v).value), v.why));
  }
  const claim path = claim_for(r, {});
  const auto is_spread = [](const variable_bound& v) { return v.kind == induction_kind::spread; };
  if (std::any_of(r.variables.begin(), r.variables.end(), is_spread))
    lines.push_back(
        fmt::format("levels = pushes + merges + 1; kappa = sqrt(1 + (mean/deviation)^2), for |mean| = {:g} deviations (--kappa)",
                    r.question.deviations));
  lines.push_back(fmt::format(
      "at n = {}: {:.0f} pushes and {:.0f} merges on the longest path, W = {:.2f}; first order over 1 - first order; what the loop reads "
      "is exact; without overflow and underflow",
      r.n, path.pushes, path.merges, path.distance));
  return lines;
}

std::vector<std::string> running_lines(const loop_report& r) {
  if (r.inputs == 0 && r.unbounded == 0) return {};
  std::vector<std::string> lines;
  for (const loop_answer& a : r.answers)
    lines.push_back(fmt::format("{}: |error| <= {} where the answer is {} ({}{}, seed {}); relative at most {} over all inputs", a.name,
                                brief_size(a.bound), brief_size(a.size), a.family,
                                r.question.certify ? fmt::format("; {}, n = {}", a.way, a.n) : "", a.seed,
                                brief_size(a.largest_relative_bound)));
  if (r.unbounded > 0)
    lines.push_back(fmt::format("{} of {} inputs have no bound, the first: {}", r.unbounded, r.inputs + r.unbounded, r.why_unbounded));
  if (!lines.empty())
    lines.push_back(
        "a guarantee for these inputs and this bracketing, in all orders: every operation's own rounding and what it does to earlier "
        "errors");
  return lines;
}

std::vector<std::string> measured_lines(const loop_report& r) {
  if (r.inputs == 0) return {};
  std::vector<std::string> lines;
  for (const loop_answer& a : r.answers)
    lines.push_back(fmt::format("{}: worst measured/bound {:.3f}, there {} off; relative at most {} over {} inputs", a.name, a.ratio,
                                brief_size(a.worst), brief_size(a.largest_relative), r.inputs));
  if (r.held_against_code > 0)
    lines.push_back("your file and its merge were compiled and run; the reference is the loop in 64-bit significands, itself bounded");
  else if (r.compiled)
    lines.push_back(
        "the state after the last element, interpreted operation by operation: what the loop writes element by element is not held against "
        "it");
  else lines.push_back("not compiled (" + r.not_compiled + "): interpreted, operation by operation");
  if (r.question.certify)
    lines.push_back(fmt::format("{} families under {} ways of bracketing, lengths up to {}: {} comparisons, {} above the bound",
                                r.by_family.size(), r.by_way.size(), r.n, r.comparisons, r.violations));
  if (r.different_bits > 0)
    lines.push_back(fmt::format("{} runs gave other bits than the interpreted run that the bound is of", r.different_bits));
  return lines;
}

}  // namespace

std::string report(const loop_report& r, style paint) {
  page out(paint);
  out.title(fmt::format("{}: n = {}, {}", r.question.what, r.n, to_text(r.question.how).view()));
  out.add("all data", guarantee_lines(r));
  out.add("these data", running_lines(r));
  out.add("measured", measured_lines(r));
  if (r.question.seconds <= 0) out.add("measured", "nothing: --seconds 0");
  return out.text();
}

json to_json(const loop_report& r) {
  const auto number = [](double x) { return std::isfinite(x) ? json(x) : json(std::isnan(x) ? "NaN" : "inf"); };
  const auto worst_by = [&](const std::map<std::string, double>& all) {
    json j = json::object();
    for (const auto& [name, ratio] : all) j[name] = number(ratio);
    return j;
  };
  json variables = json::array(), answers = json::array();
  for (const variable_bound& v : r.variables) {
    const bool bounded = v.kind != induction_kind::other;
    variables.push_back({{"name", v.name},
                         {"kind", word(v.kind)},
                         {"formula", bounded ? json(formula_of(v)) : json(nullptr)},
                         {"scale", bounded ? json(v.scale) : json(nullptr)},
                         {"u", v.u},
                         {"units", bounded ? number(claim_for(r, v).units) : json(nullptr)},
                         {"value", bounded ? number(claim_for(r, v).value) : json(nullptr)},
                         {"why", v.why}});
  }
  for (const loop_answer& a : r.answers)
    answers.push_back({{"name", a.name},
                       {"worst_ratio", number(a.ratio)},
                       {"error", number(a.worst)},
                       {"bound", number(a.bound)},
                       {"size", number(a.size)},
                       {"family", a.family},
                       {"way", a.way},
                       {"n", a.n},
                       {"seed", a.seed},
                       {"relative_error", number(a.largest_relative)},
                       {"relative_bound", number(a.largest_relative_bound)}});
  return {{"schema", 1},
          {"file", r.loop.file},
          {"function", r.loop.function},
          {"n", r.n},
          {"schedule", std::string(to_text(r.question.how).view())},
          {"variables", variables},
          {"compiled", r.held_against_code > 0},
          {"inputs", r.inputs},
          {"unbounded", r.unbounded},
          {"why_unbounded", r.why_unbounded},
          {"different_bits", r.different_bits},
          {"comparisons", r.comparisons},
          {"violations", r.violations},
          {"by_way", worst_by(r.by_way)},
          {"by_family", worst_by(r.by_family)},
          {"answers", answers}};
}

}  // namespace twofold::cli::accuracy
