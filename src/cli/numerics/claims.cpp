// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Numbers for bounds by induction.
#include "numerics/claims.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "twofold/numerics/bounds.hpp"

namespace twofold::cli::accuracy {
using analyser::bounding::induction_kind;
using analyser::bounding::variable_bound;
using json = nlohmann::ordered_json;

namespace {

//! Where claims are made that name no length and schedule of the user's.
constexpr std::int64_t example_n = 131072;
constexpr double example_mean = 10;  // standard deviations from 0, where it matters
double by_fold(const variable_bound& v) { return claim_of(v, example_n, twofold::fold{}, example_mean).value; }
double in_tiles(const variable_bound& v) { return claim_of(v, example_n, tiles{128} | schedule(twofold::tree{}), example_mean).value; }

}  // namespace

claim claim_of(const variable_bound& v, std::int64_t n, const schedule& how, double deviations) {
  const numerics::schedule_shape s = numerics::shape_of(n, how);
  claim c;
  c.pushes = s.leaf + s.pushed - 2;  // a user's loop pushes element by element, in tiles too
  c.merges = s.levels;
  c.distance = numerics::mean_distance(static_cast<double>(n));
  c.units = v.units(c.pushes, c.merges, static_cast<double>(n), c.distance, std::sqrt(1 + deviations * deviations));
  const double first = c.units * v.u;
  c.value = first < 1 ? first / (1 - first) : HUGE_VAL;
  return c;
}

bool is_rounded(const variable_bound& v) {
  return v.kind != induction_kind::exact && v.kind != induction_kind::selected && v.kind != induction_kind::other;
}

const char* word(induction_kind k) {
  switch (k) {
    case induction_kind::exact:
      return "exact";
    case induction_kind::selected:
      return "selected";
    case induction_kind::sum:
      return "sum";
    case induction_kind::weighted:
      return "weighted";
    case induction_kind::affine:
      return "affine";
    case induction_kind::product:
      return "product";
    case induction_kind::mean:
      return "mean";
    case induction_kind::spread:
      return "spread";
    default:
      return "other";
  }
}

std::string formula_of(const variable_bound& v) {
  const auto times = [](double x, const char* what) { return x == 0 ? std::string() : fmt::format(" + {:g} {}", x, what); };
  if (v.kind == induction_kind::product) return fmt::format("{:g} n u", v.each);
  if (v.kind == induction_kind::mean)
    return fmt::format("({:g} levels + {:g} sqrt(levels))u", std::max(v.mean_step, v.mean_merge), v.difference);
  if (v.kind == induction_kind::spread)
    return fmt::format("(2({:g} kappa levels + {:g} sqrt(levels)) + {:g} levels + {:g}{})u", std::max(v.mean_step, v.mean_merge),
                       v.difference, std::max(v.step, v.merge), v.lift,
                       v.walk > 0 ? fmt::format(" + {:g} kappa sqrt(2 + 2 ln levels)", v.walk) : "");
  std::string f = times(v.step, "pushes") + times(v.merge, "merges") + times(v.lift, "of the lift") + times(v.argument, "W");
  if (v.kind == induction_kind::affine) f += times(v.each, "n");
  return "(" + (f.empty() ? std::string("0") : f.substr(3)) + ")u";
}

std::vector<std::string> claims_in_words(const analyser::decision& d) {
  const auto in_words = [](double v) { return std::isfinite(v) ? fmt::format("{:.2g}", v) : std::string("nothing guaranteed"); };
  std::vector<std::string> lines;
  const std::vector<variable_bound> all = analyser::bounding::induct(d);
  for (std::size_t k = 0; k < all.size(); ++k) {
    const variable_bound& v = all[k];
    if (d.state[k].type.kind != analyser::sort::real) continue;
    if (is_rounded(v))
      lines.push_back(fmt::format("|d{}| <= {}*{} at n = {} by fold, {} in tiles=128,tree{}", v.name, in_words(by_fold(v)), v.scale,
                                  example_n, in_words(in_tiles(v)),
                                  v.kind == induction_kind::spread ? ", where |mean| is 10 standard deviations" : ""));
    else if (v.kind == induction_kind::other)
      lines.push_back(fmt::format("{}: no bound for all data; twofold numerics carries one for yours", v.name));
    else lines.push_back(fmt::format("{}: {}", v.name, v.why));
  }
  return lines;
}

json claims_json(const analyser::decision& d) {
  if (d.verdict != analyser::verdict::associative) return nullptr;
  const auto number = [](double v) { return std::isfinite(v) ? json(v) : json("inf"); };
  json list = json::array();
  for (const variable_bound& v : analyser::bounding::induct(d)) {
    json j{{"name", v.name}, {"kind", word(v.kind)}, {"formula", nullptr}, {"scale", nullptr}, {"u", v.u}, {"why", v.why}};
    if (v.kind != induction_kind::other) j["formula"] = formula_of(v);
    if (is_rounded(v)) {
      j["scale"] = v.scale;
      j["values"] = {{"n", example_n}, {"fold", number(by_fold(v))}, {"tiles=128,tree", number(in_tiles(v))}};
    }
    list.push_back(std::move(j));
  }
  return list;
}

}  // namespace twofold::cli::accuracy
