// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The result of `run` as JSON and as a page.
#include "run_report.hpp"

#include <fmt/format.h>

#include <cmath>

#include "outputs_json.hpp"
#include "page.hpp"
#include "scalar_text.hpp"

namespace twofold::cli {
using json = nlohmann::ordered_json;

namespace {

json number(double d) { return std::isnan(d) ? json("NaN") : std::isinf(d) ? json("inf") : json(d); }

json differences_json(const comparison& c) {
  json list = json::array();
  for (const difference& d : c.found)
    list.push_back({{"output", d.name},
                    {"type", d.type},
                    {"exact", d.is_exact},
                    {"entries", d.entries},
                    {"special", d.special},
                    {"first", d.first},
                    {"sequential", d.loop},
                    {"merged", d.merged},
                    {"size", d.size},
                    {"allowed", number(d.allowed)},
                    {"unexplained", d.unexplained}});
  return list;
}

std::string brief(const npy_array& a) {
  constexpr std::size_t all = 6, shown = 4;
  if (a.shape.empty()) return element_text(a, 0);
  const auto n = static_cast<std::size_t>(a.count());
  std::string list;
  for (std::size_t i = 0; i < (n <= all ? n : shown); ++i) list += (i > 0 ? ", " : "") + element_text(a, i);
  return n <= all ? "[" + list + "]" : fmt::format("[{}, …] {} × {}", list, n, dtype_name(a.dtype));
}

}  // namespace

json to_json(const run_result& r) {
  return {{"schema", 1},
          {"file", r.file},
          {"function", r.function},
          {"outputs", outputs_json(r.answers.scheduled, r.files)},
          {"schedule", r.schedule},
          {"device", r.device},
          {"time_ms", r.answers.scheduled.milliseconds},
          {"sequential", {{"outputs", outputs_json(r.answers.sequential, {})}, {"time_ms", r.answers.sequential.milliseconds}}},
          {"max_difference", number(r.differences.worst)},
          {"agree", r.differences.exact_agree() && r.differences.explained()},
          {"differences", differences_json(r.differences)},
          {"compiled", {{"seconds", r.compile_seconds}, {"cached", r.from_cache}}}};
}

std::string run_report(const run_result& r, style paint) {
  page out(paint);
  out.title(fmt::format("{} on {}, {}", r.target, r.device, r.schedule));
  std::vector<page::row> rows;
  for (const auto& [name, value] : r.answers.scheduled.values)
    rows.push_back({rows.empty() ? "merged" : "", {name, brief(value) + (r.files.contains(name) ? " → " + r.files.at(name) : "")}});
  for (const auto& [name, value] : r.answers.sequential.values)
    rows.push_back({rows.size() == r.answers.scheduled.values.size() ? "the loop" : "", {name, brief(value)}});
  out.table(rows);
  const double worst = r.differences.worst;
  out.add("differ by", std::isnan(worst) ? "NaN: one side alone is no number"
                       : worst == 0      ? "nothing"
                                         : fmt::format("at most {:.3g}", worst));
  out.add("but", in_words(r.differences));
  if (!r.differences.exact_agree())
    out.add("so",
            "the merge does not compute what the loop computed; exit code 1, no file is written. An overflow of the loop's own type is the "
            "usual cause: verdicts about signed integers assume that there is none");
  else if (!r.differences.explained())
    out.add(
        "so",
        "exit code 1, no file is written. The merge is right for real numbers; on these data one of the two ways loses more digits than "
        "a stable computation would. --tolerance R allows differences up to R times the largest entry of an answer");
  out.add("time", {fmt::format("{:.3f} ms under the schedule", r.answers.scheduled.milliseconds),
                   fmt::format("{:.3f} ms for the loop as it is", r.answers.sequential.milliseconds)});
  return out.text();
}

}  // namespace twofold::cli
