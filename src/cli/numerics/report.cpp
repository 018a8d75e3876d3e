// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The page: domain, guarantee, typical, measured, output, dominant, advice.
#include "numerics/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "page.hpp"
#include "twofold/schedule/text.hpp"

namespace twofold::cli::accuracy {
namespace {

std::string power(double log2) {
  const double whole = std::round(log2);
  return std::fabs(log2 - whole) < 1e-9 ? fmt::format("2^{:.0f}", whole) : fmt::format("2^{:.2f}", log2);
}

std::string units(double u) {
  return std::isfinite(u) ? fmt::format("{}u", u < 10 ? fmt::format("{:.2g}", u) : fmt::format("{:.0f}", u)) : "no bound";
}
std::string size(double v) { return std::isfinite(v) ? fmt::format("{:.2g}", v) : "no bound"; }

std::string title(const question& q) {
  std::string t = fmt::format("{}: state {}", q.name, q.state.name);
  if (q.what == operation::attention) t += fmt::format(", P {}", q.p.name);
  if (has_weights(q.what)) t += fmt::format(", {}", q.exp.name);
  return t + fmt::format(", n = {}, {}", q.n, to_text(q.how).view());
}

std::vector<std::string> domain_lines(const answer& a) {
  const question& q = a.question;
  std::vector<std::string> lines;
  if (has_weights(q.what))
    lines.push_back(q.gauge == gauge::integer ? "reference: the maximum rounded up to an integer; rescales are exact"
                                              : fmt::format("reference: {}; any within tau = {:g} of it fits",
                                                            q.gauge == gauge::lazy ? "lazy" : "the maximum", q.tau));
  for (const budget& b : a.domain.budgets)
    lines.push_back(fmt::format("{} <= {}{}: fits {}, which ends at {}", b.what, b.formula,
                                b.formula == power(b.log2_most) || b.formula == "1" ? "" : " = " + power(b.log2_most), b.format,
                                power(b.log2_limit)));
  lines.insert(lines.end(), a.domain.notes.begin(), a.domain.notes.end());
  return lines;
}

std::vector<std::string> guarantee_lines(const answer& a) {
  const question& q = a.question;
  const guarantee& g = a.guarantee;
  const std::string scale = g.relative_to.empty() || g.quantity.find('/') != std::string::npos ? "" : "*" + g.relative_to;
  const bool sum = g.terms.size() > 1 || g.squared_units > 0;
  if (g.squared_units > 0) {
    const double more = g.value() - g.u * g.units();
    return {fmt::format("{} <= u|s| + (h u)^2*{}, h = {:.0f}", g.quantity, g.relative_to, g.squared_units),
            fmt::format("= {}|s| + {}*{}", size(g.u), size(more), g.relative_to)};
  }
  std::vector<std::string> lines{
      fmt::format("{} <= {}{}{}{}", g.quantity, !scale.empty() && sum ? "(" : "", g.formula(), !scale.empty() && sum ? ")" : "", scale),
      fmt::format("= {} = {}{}", units(g.units()), size(g.value()), scale)};
  if (!std::isfinite(g.value())) lines.push_back("the first-order sum is 1 or more: nothing is guaranteed in this format at this length");
  std::vector<std::string> where{fmt::format("u = {} ({})", power(std::log2(g.u)), q.state.name)};
  if (has_weights(q.what)) {
    const double unit = 0x1p-24 / g.u;
    where.push_back(fmt::format(
        "e = {:.3g}u ({}{})", q.exp.error * unit, q.exp.name,
        q.exp.measured > 0 && q.exp.measured < q.exp.error ? fmt::format(" as documented, measured {:.3g}u", q.exp.measured * unit) : ""));
    where.push_back(fmt::format("W = {:.2f}", mean_distance(static_cast<double>(q.n))));
  }
  if (a.tree.leaf > 1) where.push_back(fmt::format("b = {:.0f}", a.tree.leaf));
  if (q.shape.parts > 1) where.push_back(fmt::format("K = {}", q.shape.parts));
  const extent part = q.n > 0 ? q.shape.part(0) : extent{};
  if (q.n > 0 && q.shape.tiles_in(part) > 1) where.push_back(fmt::format("T = {}", q.shape.parts * q.shape.tiles_in(part)));
  if (q.shape.lanes > 1) where.push_back(fmt::format("W lanes = {}", q.shape.lanes));
  if (q.what == operation::affine) where.push_back(fmt::format("rho = {:g}, max|b| = {:g}, d = {:.0f}", q.rho, q.vmax, height_of(q)));
  if (q.what == operation::variance) where.push_back(fmt::format("kappa = {:g}", q.kappa));
  if (q.what == operation::moments) where.push_back(fmt::format("k = {}, kappa = {:g}", q.order, q.kappa));
  std::string line = "where ";
  for (std::size_t i = 0; i < where.size(); ++i) line += (i > 0 ? "; " : "") + where[i];
  lines.push_back(line);
  return lines;
}

std::vector<std::string> measured_lines(const answer& a) {
  const measurement& m = a.measured;
  if (!m.any()) return {};
  const std::string n = a.measured_n == a.question.n ? "" : fmt::format(" of n = {}", a.measured_n);
  std::vector<std::string> lines{fmt::format("worst {:.2g}, rms {:.2g} over {} inputs{}; worst measured/bound {:.3f} ({}, seed {})",
                                             m.main.worst, m.rms(m.main), m.inputs - m.broken, n, m.main.ratio, m.main.family,
                                             m.main.seed)};
  if (m.output.squares > 0)
    lines.push_back(fmt::format("output: worst {:.2g}, rms {:.2g}; worst measured/bound {:.3f} ({}, seed {})", m.output.worst,
                                m.rms(m.output), m.output.ratio, m.output.family, m.output.seed));
  if (m.broken > 0) lines.push_back(fmt::format("{} inputs gave no finite result", m.broken));
  return lines;
}

std::vector<std::string> certified_lines(const answer& a) {
  if (a.certified.empty()) return {};
  std::int64_t inputs = 0;
  const certified_way* worst = nullptr;
  std::vector<std::string> refused;
  for (const certified_way& w : a.certified) {
    inputs += w.measured.inputs;
    if (!w.measured.any()) refused.push_back(fmt::format("{}: not run, {}", w.way, w.refused));
    else if (worst == nullptr || w.measured.worst_ratio() > worst->measured.worst_ratio()) worst = &w;
  }
  std::vector<std::string> lines;
  if (worst != nullptr)
    lines.push_back(fmt::format("{} ways of bracketing, {} inputs of n = {}: worst measured/bound {:.3f} ({}; {}, seed {})",
                                a.certified.size() - refused.size(), inputs, worst->n, worst->measured.worst_ratio(), worst->way,
                                worst->measured.worst().family, worst->measured.worst().seed));
  lines.insert(lines.end(), refused.begin(), refused.end());
  return lines;
}

std::vector<std::string> output_lines(const answer& a) {
  if (a.output.empty()) return {};
  std::string formula, numbers;
  for (const output_part& p : a.output) {
    const std::string shown = p.what == "state" ? fmt::format("{}*max|v|", size(p.value / a.question.vmax)) : p.formula;
    formula += fmt::format("{}{} ({})", formula.empty() ? "" : " + ", shown, p.what);
    if (p.known) numbers += fmt::format("{}{} ({})", numbers.empty() ? "" : " + ", size(p.value), p.what);
  }
  std::vector<std::string> lines{"|dO| <= " + formula, fmt::format("<= {} for max|v| = {:g}, as MAD <= max|v|", numbers, a.question.vmax)};
  lines.push_back(fmt::format(
      "MAD = sum w|v - O|, the spread of V under the weights; state: (2C + 2u + e + 2uW)*max|v|, and {} with what l and O share "
      "charged to MAD",
      size(state_part(a.question))));
  if (std::any_of(a.output.begin(), a.output.end(), [](const output_part& p) { return !p.known; }))
    lines.push_back("scores: give the largest |q|*|k| of two entries by --qk");
  return lines;
}

std::vector<std::string> dominant_lines(const answer& a) {
  if (const output_part* p = dominant(a)) {
    double all = 0;
    for (const output_part& each : a.output)
      if (each.known) all += each.value;
    return {fmt::format("of the output: {}, {:.0f} % of its bound",
                        p->what == "P" ? "the cast of P to " + std::string(a.question.p.name) : p->what, 100 * p->value / all),
            fmt::format("of l: {}, {} of {}", a.guarantee.largest().what, units(a.guarantee.largest().units), units(a.guarantee.units()))};
  }
  return {fmt::format("{}: {} of {}", a.guarantee.largest().what, units(a.guarantee.largest().units), units(a.guarantee.units()))};
}

std::vector<std::string> advice_lines(const answer& a) {
  const question& q = a.question;
  std::vector<std::string> lines;
  for (const advice& each : a.advice) lines.push_back(fmt::format("{}: {} -> {}", each.text, units(each.before), units(each.after)));
  if (has_weights(q.what) && q.shape.leaf && static_cast<double>(a.tree.leaf) < crossover(q))
    lines.push_back(
        fmt::format("tiles of at least {:.0f}: shorter ones are worse than one pass in the worst case", std::ceil(crossover(q))));
  if (q.what == operation::attention && q.p.precision < 24) {
    if (!q.shared) lines.push_back(fmt::format("sum the denominator from the rounded P: {0}*sum w|v| -> {0}*MAD", power(-q.p.precision)));
    if (q.p.precision < 11) {
      const double offset = std::floor(std::log2(numerics::fp16.largest()) - q.tau);
      lines.push_back(fmt::format("P in fp16: 2^-{} -> 2^-11, but it needs an offset (--p f16 --offset {:.0f}): its least number is 2^-24",
                                  q.p.precision, std::max(0.0, offset)));
    }
  }
  if (q.what == operation::variance && q.kappa > 1)
    lines.push_back("the reference stays near the mean, so kappa enters only squared; a textbook sum of squares would lose n kappa^2 u");
  if (q.what == operation::moments && q.order > 2)
    lines.push_back("constants of orders 3 and 4 are safe, not sharp: certified<moments> carries the bound of your data");
  if (q.what == operation::affine && q.rho >= 1) lines.push_back("|a| <= rho < 1 gives a bound that does not grow with n");
  if (lines.empty()) lines.push_back("nothing here changes the guarantee by a tenth or more");
  return lines;
}

}  // namespace

const output_part* dominant(const answer& a) {
  const output_part* best = nullptr;
  for (const output_part& p : a.output)
    if (p.known && (best == nullptr || p.value > best->value)) best = &p;
  return best;
}

answer answer_to(const question& q) {
  answer a{q, domain_of(q), tree_of(q.shape), {}, {}, {}, 0, {}, {}, {}};
  expect_safe(a.domain);
  a.guarantee = guarantee_of(q, a.tree);
  if (q.what == operation::attention) a.output = output_parts(q, a.tree);
  a.advice = advice_for(q);
  return a;
}

std::string report(const answer& a, style paint) {
  page out(paint);
  out.title(title(a.question));
  out.add("domain", domain_lines(a));
  out.add("guarantee", guarantee_lines(a));
  if (a.measured.typical > 0)
    out.add("typical", fmt::format("4 sqrt(V) = {:.2g}, V the sum of the squares of all local errors, the largest of the inputs measured",
                                   a.measured.typical));
  out.add("measured", measured_lines(a));
  out.add("certified", certified_lines(a));
  out.add("output", output_lines(a));
  out.add("dominant", dominant_lines(a));
  out.add("advice", advice_lines(a));
  return out.text();
}

}  // namespace twofold::cli::accuracy
