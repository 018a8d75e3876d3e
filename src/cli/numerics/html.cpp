// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The page of --html.
#include "numerics/html.hpp"

#include <fmt/format.h>

#include <cmath>

#include "numerics/claims.hpp"
#include "numerics/plots.hpp"
#include "svg.hpp"

namespace twofold::cli::accuracy {
namespace {

constexpr const char* style_sheet = R"(<style>
:root { --ink: #1d2430; --paper: #fff; --grid: #d9dee7; --soft: #5a6678; --bound: #b3261e; --typical: #c77700; --worst: #1d5fbf; --rms: #2a8a5b; --other: #7a3fb0; --calm: #e4efe7; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9ef; --paper: #14181f; --grid: #303845; --soft: #9aa6b8; --bound: #ff7b72; --typical: #ffb454; --worst: #79b8ff; --rms: #6fd39b; --other: #c79bff; --calm: #22332a; } }
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); max-width: 72rem; margin: 2rem auto; padding: 0 1rem; }
pre { background: color-mix(in srgb, var(--grid) 35%, transparent); padding: 1rem; overflow-x: auto; font-size: 13px; }
table { border-collapse: collapse; margin: 1rem 0; } td, th { padding: .2rem .8rem; text-align: left; border-bottom: 1px solid var(--grid); } td.n { text-align: right; font-variant-numeric: tabular-nums; }
.plots { display: grid; grid-template-columns: repeat(auto-fit, minmax(26rem, 1fr)); gap: 1.5rem; } figure { margin: 0; } figcaption { color: var(--soft); font-size: 14px; }
svg { width: 100%; height: auto; } .label, .small { font: 12px system-ui, sans-serif; fill: var(--soft); } .small { font-size: 10px; } .title { font: 600 14px system-ui, sans-serif; fill: var(--ink); }
.grid { stroke: var(--grid); } .mark { stroke: var(--soft); stroke-dasharray: 4 4; } .line { fill: none; stroke-width: 2; }
.line.bound { stroke: var(--bound); } .line.typical { stroke: var(--typical); stroke-dasharray: 6 4; } .line.worst { stroke: var(--worst); } .line.rms { stroke: var(--rms); } .line.other { stroke: var(--other); }
.fill.bound, .fill.bad { fill: var(--bound); } .fill.typical { fill: var(--typical); } .fill.worst { fill: var(--worst); } .fill.rms { fill: var(--rms); } .fill.other { fill: var(--other); } .fill.calm { fill: var(--calm); }
</style>
)";

std::vector<std::pair<double, double>> along(const std::vector<sample>& all, double sample::*value) {
  std::vector<std::pair<double, double>> points;
  for (const sample& s : all) points.emplace_back(s.at, s.*value);
  return points;
}

std::string figure(const std::string& plot, const std::string& caption) {
  return "<figure>\n" + plot + "<figcaption>" + escaped(caption) + "</figcaption>\n</figure>\n";
}

std::string terms_table(const answer& a) {
  std::string rows = "<table><tr><th>term</th><th>formula</th><th>units of u</th><th>share</th></tr>\n";
  const double all = a.guarantee.units();
  for (const bound_term& t : a.guarantee.terms)
    rows += fmt::format("<tr><td>{}</td><td>{}</td><td class=\"n\">{:.4g}</td><td class=\"n\">{:.1f} %</td></tr>\n", escaped(t.what),
                        escaped(t.formula), t.units, all > 0 ? 100 * t.units / all : 0);
  return rows + "</table>\n";
}

std::string plots(const answer& a) {
  const curves& c = a.curves;
  const std::string quantity = a.guarantee.quantity;
  std::string out = "<div class=\"plots\">\n";
  out += figure(line_plot({"error against n", "n", quantity, a.guarantee.u, "u"},
                          {{"guarantee", "bound", along(c.against_n, &sample::bound)},
                           {"typical, 4 sqrt(V)", "typical", along(c.against_n, &sample::typical)},
                           {"measured, worst", "worst", along(c.against_n, &sample::worst)},
                           {"measured, rms", "rms", along(c.against_n, &sample::rms)}}),
                "The schedule stays; the guarantee holds for every input, the rest is of the inputs that were measured.");
  std::vector<bar> bars;
  for (const sample& s : c.against_schedule) bars.push_back({s.label, {{"bound", s.bound}, {"worst", s.worst}, {"rms", s.rms}}});
  out += figure(bar_plot({"error against the schedule", "", quantity, 0, ""}, bars),
                "The same question, bracketed otherwise; n is at most 16384 here.");
  if (!c.consistent.empty()) {
    std::vector<series> offsets{{"guarantee", "bound", along(c.consistent, &sample::bound)},
                                {"one reference, worst", "worst", along(c.consistent, &sample::worst)}};
    if (!c.mixed.empty()) offsets.push_back({"mixed references, worst", "other", along(c.mixed, &sample::worst)});
    out +=
        figure(line_plot({"error against the offset of the scores", "offset in nats", "|dl|/l", 0, ""}, offsets),
               "One rounded reference for leaf and rescale keeps the error flat; rescaling by a difference of unscaled maxima does not.");
  }
  if (!c.cast.lost.empty())
    out += figure(
        cell_map({fmt::format("weight lost by the cast to {}, %", a.question.p.name), "offset", "tau", 0, ""}, c.cast.offsets, c.cast.taus,
                 c.cast.lost),
        fmt::format(
            "One weight of 2^tau beside 64 of 1, scaled by 2^offset, cast with saturation: nothing is lost while offset + tau <= {:.3f}.",
            c.cast.limit));
  return out + "</div>\n";
}

std::string variables_table(const loop_report& r) {
  std::string rows = "<table><tr><th>variable</th><th>kind</th><th>bound for all data</th><th>why</th></tr>\n";
  for (const analyser::bounding::variable_bound& v : r.variables) {
    const bool bounded = v.kind != analyser::bounding::induction_kind::other;
    rows += fmt::format("<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n", escaped(v.name), escaped(word(v.kind)),
                        bounded ? escaped(formula_of(v) + "*" + v.scale) : "none", escaped(v.why));
  }
  return rows + "</table>\n";
}

std::string ratios(const std::string& title, const std::map<std::string, double>& worst) {
  std::vector<bar> bars;
  for (const auto& [name, ratio] : worst) bars.push_back({name, {{"worst", ratio}}});
  return figure(bar_plot({title, "", "worst measured / bound", 0, ""}, bars), "Above 1 would be an error beyond the bound.");
}

std::string plots(const loop_report& r) {
  std::string out = "<div class=\"plots\">\n";
  if (!r.against_n.empty())
    out += figure(line_plot({"error against n", "n", "relative error", 0, ""},
                            {{"running bound, largest", "bound", along(r.against_n, &sample::bound)},
                             {"measured, worst", "worst", along(r.against_n, &sample::worst)}}),
                  "Relative to the answer, over all answers and families of inputs: where an answer comes near 0 both grow.");
  std::vector<bar> bars;
  for (const sample& s : r.against_schedule) bars.push_back({s.label, {{"bound", s.bound}, {"worst", s.worst}}});
  if (!bars.empty())
    out += figure(bar_plot({"error against the schedule", "", "relative error", 0, ""}, bars),
                  "The same loop, bracketed otherwise; n is at most 16384 here.");
  if (!r.by_family.empty()) out += ratios("how near the bound, by family of inputs", r.by_family);
  if (r.by_way.size() > 1) out += ratios("how near the bound, by way of bracketing", r.by_way);
  return out + "</div>\n";
}

//! A report's first line is the title, the rest stands as it is; then what more there is.
std::string page_of(const std::string& report, const std::string& more) {
  const auto line = report.find('\n');
  const std::string title = escaped(report.substr(0, line));
  return "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
         "content=\"width=device-width\">\n<title>" +
         title + "</title>\n" + style_sheet + "</head>\n<body>\n<h1>" + title + "</h1>\n<pre>" + escaped(report.substr(line + 2)) +
         "</pre>\n" + more + "</body>\n</html>\n";
}

}  // namespace

std::string html_page(const answer& a) {
  return page_of(report(a, {}),
                 "<h2>The guarantee, term by term</h2>\n" + terms_table(a) + (a.curves.any() ? "<h2>Measured</h2>\n" + plots(a) : ""));
}

std::string html_page(const loop_report& r) {
  return page_of(report(r, {}), "<h2>For all data</h2>\n" + variables_table(r) + (r.inputs > 0 ? "<h2>Measured</h2>\n" + plots(r) : ""));
}

}  // namespace twofold::cli::accuracy
