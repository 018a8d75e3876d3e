// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Bounds of twofold/numerics as lists of terms, in the words of the question. What the library computes as one term (merges of all
//! levels) is shown level by level; a test holds the sums against the library's.
#include "numerics/bounds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "numerics/rounding.hpp"
#include "twofold/numerics/bounds.hpp"

namespace twofold::cli::accuracy {
namespace {

using std::numbers::ln2;

double argument_units(const question& q) { return q.exp.argument.unit_roundoff() / q.state.unit_roundoff(); }
double exp_units(const question& q) { return q.exp.error * 0x1p-24 / q.state.unit_roundoff(); }

//! Roundings of one merge on the side that is rescaled, in units of u.
double merge_units(const question& q) {
  const double fused = q.fused ? 1 : 2;
  return q.gauge == gauge::integer ? 1 : fused + exp_units(q);
}
std::string merge_formula(const question& q) { return q.gauge == gauge::integer ? "u" : q.fused ? "(u+e)" : "(2u+e)"; }

//! How far the reference may lie from the maximum, log2 units.
double off_maximum(const question& q) { return q.gauge == gauge::integer ? 1 : q.gauge == gauge::lazy ? q.tau : 0; }

//! With one reference per element nothing is rescaled where there are no weights: a merge is an addition.
std::vector<bound_term> summands(const tree& t, double per_merge, const std::string& merge) {
  std::vector<bound_term> all;
  if (t.leaf > 1) all.push_back({"sums of leaves", "(b-1)u", t.leaf - 1});
  for (const level& l : t.levels) {
    const std::string count = l.formula.ends_with("-1") ? "(" + l.formula + ")" : l.formula + " ";
    all.push_back({"merges of " + l.where, count + merge, l.merges * per_merge});
  }
  return all;
}

std::vector<bound_term> sum_of_weights(const question& q, const tree& t) {
  std::vector<bound_term> all = summands(t, merge_units(q), merge_formula(q));
  all.push_back({"the exponential", "e", exp_units(q)});
  all.push_back({"its argument", "u*W", argument_units(q) * mean_distance(static_cast<double>(q.n))});
  if (q.gauge == gauge::integer) all.push_back({"reference above the maximum", "ln2 u", ln2 * argument_units(q)});
  if (q.gauge == gauge::lazy) all.push_back({"reference below the maximum", "2 tau ln2 u", 2 * q.tau * ln2 * argument_units(q)});
  return all;
}

guarantee weights_guarantee(const question& q, const tree& t) {
  guarantee g{q.what == operation::attention ? "|dl|/l"
              : q.what == operation::softmax ? "|dw|"
                                             : "|dLSE|",
              "", sum_of_weights(q, t), q.state.unit_roundoff(), 0};
  if (q.what == operation::softmax) {  // w·(B + e + uD + u), and w·D ≤ 1/e
    g.terms.push_back({"the weight's own exponential", "e", exp_units(q)});
    const double off = off_maximum(q);
    g.terms.push_back({"and its argument", off > 0 ? fmt::format("(1/2.718 + {:g} ln2)u", off) : "u/2.718",
                       argument_units(q) * (1 / std::numbers::e + off * ln2)});
    g.terms.push_back({"the division", "u", 1});
  }
  if (q.what == operation::log_sum_exp) {
    const double most = q.range + std::log(static_cast<double>(q.n)), u = q.state.unit_roundoff();
    const double constant = std::fabs(rounded(q.state, ln2) - ln2) / ln2 / u;
    const double off = off_maximum(q), most_l = std::log(static_cast<double>(q.n)) + off * ln2;
    g.terms.push_back({"log2 of l", off > 0 ? fmt::format("2u(ln n + {:g} ln2)", off) : "2u ln n", 2 * most_l});
    g.terms.push_back({"the answer's own roundings", fmt::format("{:.2g}u|LSE|", 2 + constant), (2 + constant) * most});
  }
  return g;
}

guarantee sum_guarantee(const question& q, const tree& t) {
  guarantee g{"|ds|", "sum|x|", {}, q.state.unit_roundoff(), 0};
  if (q.sum == summing::compensated) {
    g.terms = {{"the answer's own rounding", "u", 1}};
    g.squared_units = t.additions() + 1;
    return g;
  }
  g.terms = summands(t, 1, "u");
  if (q.sum == summing::pairwise && t.leaf > 8)
    g.terms.front() = {"sums of leaves, pairwise", "(7+ceil(log2 b/8))u", 7 + numerics::balanced_levels(t.leaf / 8)};
  if (g.terms.empty()) g.terms = {{"nothing is added", "0", 0}};
  return g;
}

//! The library's own terms.
guarantee listed(std::string quantity, std::string relative_to, const numerics::breakdown& b, double u) {
  guarantee g{std::move(quantity), std::move(relative_to), {}, u, 0};
  for (const numerics::term& t : b) g.terms.push_back({t.name, t.formula, t.value / u});
  return g;
}

guarantee variance_guarantee(const question& q) {
  const double u = q.state.unit_roundoff();
  return listed("|dM2|/M2", "M2", numerics::welford_m2_terms(u, numerics::shape_of(q.n, q.how), q.kappa), u);
}

//! As answered: divided by n, which rounds twice more.
guarantee moments_guarantee(const question& q) {
  const double u = q.state.unit_roundoff();
  guarantee g =
      listed("|dmu_k|", "mean|x - mean|^k", numerics::central_moment_terms(u, numerics::shape_of(q.n, q.how), q.kappa, q.order), u);
  g.terms.push_back({"division by n", "2u", 2});
  return g;
}

guarantee affine_guarantee(const question& q) {
  const double u = q.state.unit_roundoff();
  return listed("|dh|", "max|b|", numerics::affine_terms(u, height_of(q), q.rho, 1), u);
}

}  // namespace

double height_of(const question& q) { return numerics::affine_height(numerics::shape_of(q.n, q.how)); }

double rounded(const numerics::format& f, double x) { return rounder(f)(x); }

double mean_distance(double n) { return numerics::lambert_w((n - 1) / std::numbers::e); }

double guarantee::units() const {
  double all = 0;
  for (const bound_term& t : terms) all += t.units;
  return all;
}
double guarantee::value() const {
  const double first = u * units(), squared = u * squared_units;
  const double more = squared < 1 ? squared / (1 - squared) : std::numeric_limits<double>::infinity();
  return (first < 1 ? first / (1 - first) : std::numeric_limits<double>::infinity()) + more * more;
}
std::string guarantee::formula() const {
  std::string all;
  for (const bound_term& t : terms) all += (all.empty() ? "" : " + ") + t.formula;
  return all + (squared_units > 0 ? " + (h u)^2" : "");
}
const bound_term& guarantee::largest() const {
  return *std::max_element(terms.begin(), terms.end(), [](const bound_term& a, const bound_term& b) { return a.units < b.units; });
}

double schedule_units(const question& q, const tree& t) { return t.leaf - 1 + t.merges() * (has_weights(q.what) ? merge_units(q) : 1); }
double crossover(const question& q) { return merge_units(q); }

guarantee guarantee_of(const question& q, const tree& t) {
  switch (q.what) {
    case operation::sum:
      return sum_guarantee(q, t);
    case operation::variance:
      return variance_guarantee(q);
    case operation::moments:
      return moments_guarantee(q);
    case operation::affine:
      return affine_guarantee(q);
    default:
      return weights_guarantee(q, t);
  }
}

numerics::attention_arithmetic arithmetic_of(const question& q) {
  numerics::attention_arithmetic a;
  using numerics::reference_rule;
  a.reference = q.gauge == gauge::integer ? reference_rule::integer
                : q.gauge == gauge::lazy  ? reference_rule::lazy
                                          : reference_rule::maximum;
  a.tau = q.gauge == gauge::lazy ? q.tau : 0;
  a.exp2_roundings = a.rescale_roundings = exp_units(q);
  a.merge_roundings = q.fused ? 1 : 2;
  a.argument_roundings = argument_units(q);
  a.p = narrow_p(q) ? &q.p : nullptr;
  a.shared = q.shared;
  a.offset = q.offset;
  return a;
}

double state_part(const question& q) {
  numerics::attention_arithmetic a = arithmetic_of(q);
  a.p = nullptr;
  return numerics::attention_output(q.state.unit_roundoff(), numerics::shape_of(q.n, q.how), static_cast<double>(q.n), a) * q.vmax;
}

std::vector<output_part> output_parts(const question& q, const tree& t) {
  const double u = q.state.unit_roundoff(), n = static_cast<double>(q.n), v = q.vmax;
  std::vector<output_part> all;
  if (narrow_p(q)) {
    const double up = q.p.unit_roundoff(), lost = n * q.p.smallest_subnormal() / 2 * std::exp2(-q.offset);
    output_part p{"P", fmt::format("2^{}*{}", -q.p.precision, q.shared ? "MAD" : "sum w|v|"), up * v};
    if (q.p.min_exponent > -126) {  // the tail below the least subnormal is rounded absolutely
      p.formula += fmt::format(" + n 2^{:.0f}*2max|v|", std::log2(q.p.smallest_subnormal() / 2) - q.offset);
      p.value += 2 * v * lost;
    }
    all.push_back(p);
  }
  const guarantee l = guarantee_of(q, t);
  const double c = schedule_units(q, t), w = 2 * l.units() - 2 * c - exp_units(q);  // arguments and the reference twice, e once
  all.push_back({"state", "(2C + 2u + e + 2uW)*max|v|", u * (2 * c + 2 + w) * v});
  all.back().value /= std::max(1 - u * l.units(), 0x1p-60);
  const double scale = 1 / std::sqrt(static_cast<double>(q.head)), eta = 0x1p-24 * q.head * q.qk * scale;
  all.push_back(
      {"scores", fmt::format("eta*MAD, eta = 2^-24*{}*max|q k|/sqrt({})", q.head, q.head), std::expm1(2 * eta) / 2 * v, q.qk > 0});
  return all;
}

}  // namespace twofold::cli::accuracy
