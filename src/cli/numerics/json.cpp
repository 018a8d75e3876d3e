// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The answer as JSON. Field names are a contract: change them only together with the schema number.
#include <cmath>

#include "numerics/report.hpp"
#include "twofold/schedule/text.hpp"

namespace twofold::cli::accuracy {
using json = nlohmann::ordered_json;

namespace {

json number(double x) { return std::isfinite(x) ? json(x) : json(std::isnan(x) ? "NaN" : x > 0 ? "inf" : "-inf"); }

json question_json(const question& q) {
  const char* gauges[] = {"max", "lazy", "integer"};
  const char* sums[] = {"plain", "pairwise", "compensated"};
  json j{{"state", q.state.name}, {"n", q.n}, {"schedule", std::string(to_text(q.how).view())}, {"max_value", q.vmax}};
  if (has_weights(q.what)) {
    j["exp"] = {{"name", q.exp.name},
                {"error_u32", q.exp.error},
                {"measured_u32", q.exp.measured > 0 ? json(q.exp.measured) : json(nullptr)},
                {"source", q.exp.source}};
    j["gauge"] = gauges[static_cast<int>(q.gauge)];
    j["tau"] = q.tau, j["offset"] = q.offset, j["fused"] = q.fused, j["head"] = q.head;
  }
  if (q.what == operation::attention) j["p"] = q.p.name, j["shared"] = q.shared;
  if (q.what == operation::sum) j["sum"] = sums[static_cast<int>(q.sum)];
  if (q.what == operation::variance || q.what == operation::moments) j["kappa"] = q.kappa;
  if (q.what == operation::moments) j["order"] = q.order;
  if (q.what == operation::affine) j["rho"] = q.rho;
  return j;
}

json domain_json(const domain& d) {
  json budgets = json::array();
  for (const budget& b : d.budgets)
    budgets.push_back({{"what", b.what},
                       {"formula", b.formula},
                       {"log2_most", number(b.log2_most)},
                       {"log2_limit", b.log2_limit},
                       {"format", b.format},
                       {"fits", b.fits}});
  return {{"budgets", budgets}, {"notes", d.notes}};
}

json guarantee_json(const guarantee& g) {
  json terms = json::array();
  for (const bound_term& t : g.terms) terms.push_back({{"what", t.what}, {"formula", t.formula}, {"units", number(t.units)}});
  return {{"quantity", g.quantity}, {"relative_to", g.relative_to}, {"formula", g.formula()},    {"u", g.u},
          {"terms", terms},         {"units", number(g.units())},   {"value", number(g.value())}};
}

json observed_json(const measurement& m, const observed& o) {
  return {{"worst", number(o.worst)}, {"rms", number(m.rms(o))}, {"worst_ratio", number(o.ratio)}, {"family", o.family}, {"seed", o.seed}};
}

json measured_json(const answer& a) {
  const measurement& m = a.measured;
  if (!m.any()) return nullptr;
  json j = observed_json(m, m.main);
  j["inputs"] = m.inputs, j["not_finite"] = m.broken, j["n"] = a.measured_n, j["seconds"] = m.seconds;
  j["output"] = m.output.squares > 0 ? observed_json(m, m.output) : json(nullptr);
  return j;
}

json output_json(const answer& a) {
  if (a.output.empty()) return nullptr;
  json parts = json::array();
  for (const output_part& p : a.output)
    parts.push_back({{"what", p.what}, {"formula", p.formula}, {"value", p.known ? number(p.value) : json(nullptr)}});
  return {{"parts", parts}};
}

//! Null unless --certify asked for it.
json certified_json(const answer& a) {
  if (a.certified.empty()) return nullptr;
  json list = json::array();
  for (const certified_way& w : a.certified) {
    json j{{"way", w.way}, {"schedule", std::string(to_text(w.how).view())}, {"n", w.n}, {"inputs", w.measured.inputs}};
    if (w.measured.any()) {
      j["worst_ratio"] = number(w.measured.worst_ratio());
      j["family"] = w.measured.worst().family, j["seed"] = w.measured.worst().seed;
    } else {
      j["refused"] = w.refused;
    }
    list.push_back(std::move(j));
  }
  return list;
}

json samples_json(const std::vector<sample>& list) {
  json all = json::array();
  for (const sample& s : list) {
    json j = s.label.empty() ? json{{"at", s.at}} : json{{"schedule", s.label}};
    j["bound"] = number(s.bound), j["typical"] = number(s.typical), j["worst"] = number(s.worst), j["rms"] = number(s.rms);
    all.push_back(std::move(j));
  }
  return all;
}

json curves_json(const curves& c) {
  if (!c.any()) return nullptr;
  json j{{"n", samples_json(c.against_n)}, {"schedule", samples_json(c.against_schedule)}};
  j["offset"] = {{"one_reference", samples_json(c.consistent)}, {"mixed_references", samples_json(c.mixed)}};
  j["saturation"] = c.cast.lost.empty()
                        ? json(nullptr)
                        : json{{"offsets", c.cast.offsets}, {"taus", c.cast.taus}, {"lost", c.cast.lost}, {"log2_limit", c.cast.limit}};
  return j;
}

}  // namespace

json to_json(const answer& a) {
  const output_part* part = dominant(a);
  json advice = json::array();
  for (const accuracy::advice& x : a.advice)
    advice.push_back({{"text", x.text}, {"units_before", number(x.before)}, {"units_after", number(x.after)}});
  return {{"schema", 1},
          {"operator", a.question.name},
          {"question", question_json(a.question)},
          {"domain", domain_json(a.domain)},
          {"guarantee", guarantee_json(a.guarantee)},
          {"typical", a.measured.typical > 0 ? number(a.measured.typical) : json(nullptr)},
          {"measured", measured_json(a)},
          {"certified", certified_json(a)},
          {"output", output_json(a)},
          {"dominant", {{"guarantee", a.guarantee.largest().what}, {"output", part != nullptr ? json(part->what) : json(nullptr)}}},
          {"advice", advice},
          {"curves", curves_json(a.curves)}};
}

}  // namespace twofold::cli::accuracy
