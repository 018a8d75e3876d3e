// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The checks of twofold/numerics/domains.hpp that a question calls for.
#include "numerics/domain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "failure.hpp"
#include "numerics/shape.hpp"
#include "twofold/numerics/domains.hpp"

namespace twofold::cli::accuracy {
namespace {

using named_refusals = std::vector<std::optional<error>>;

//! How far a weight may lie above 1: a lazy reference lags by tau, the offset scales every weight.
double headroom(const question& q) { return (q.gauge == gauge::integer ? 0 : q.tau) + q.offset; }

template <class Check>
void hold(domain& d, const char* what, std::string formula, const Check& check, const numerics::format& f) {
  d.budgets.push_back({what, std::move(formula), check.needed(), check.available(), f.name, check.fits()});
  if (d.refusal) return;
  if (const std::optional<error> why = refusal(check)) d.refusal = why;
}

void weights(const question& q, domain& d) {
  const auto n = static_cast<double>(q.n);
  const bool lags = q.gauge != gauge::integer && q.tau > 0;
  const std::string lag = lags ? q.offset != 0 ? "2^(tau+offset)" : "2^tau" : q.offset != 0 ? "2^offset" : "";
  const std::string l = lag.empty() ? "n" : "n*" + lag;
  if (q.what == operation::attention) hold(d, "P", lag.empty() ? "1" : lag, numerics::p_budget{q.p, q.offset, headroom(q) - q.offset}, q.p);
  hold(d, "l", l, numerics::accumulator_limit{q.state, n, headroom(q), 1}, q.state);
  if (q.what == operation::attention) hold(d, "O", l + "*max|v|", numerics::accumulator_limit{q.state, n, headroom(q), q.vmax}, q.state);
  const double c = std::log2(std::exp(1.0)) / std::sqrt(static_cast<double>(q.head));
  d.notes.push_back(fmt::format("scores |s| < {:.2g}/c, c = log2(e)/sqrt({}) = {:.4g}", q.exp.argument.largest(), q.head, c));
  const numerics::gauge_window w = numerics::gauge_window_of(q.state, n, q.vmax);
  d.notes.push_back(fmt::format("any reference M with {:.0f} < M - max(s c) <= {:.0f} is exact semantics", std::ceil(w.lowest + q.offset),
                                std::floor(w.highest)));
}

void sums(const question& q, domain& d) {
  const auto n = static_cast<double>(q.n);
  if (q.what == operation::sum) return hold(d, "sum", "n*max|x|", numerics::accumulator_limit{q.state, n, 0, q.vmax}, q.state);
  if (q.what == operation::variance) return hold(d, "M2", "n*(2max|x|)^2/4", numerics::square_limit{q.state, n, 2 * q.vmax}, q.state);
  if (q.what == operation::moments)
    return hold(d, "S_k", fmt::format("n*(2max|x|)^{}", q.order), numerics::power_limit{q.state, n, 2 * q.vmax, q.order}, q.state);
  hold(d, "A", q.rho > 1 ? "rho^n" : "1", numerics::scale_limit{q.state, n, q.rho}, q.state);
  if (q.rho < 1) hold(d, "h", "max|b|/(1-rho)", numerics::accumulator_limit{q.state, 1 / (1 - q.rho), 0, q.vmax}, q.state);
}

//! The longest chain of additions to one running sum.
double longest_chain(const question& q, const tree& t) {
  double chain = t.leaf;
  if (!q.shape.tree)
    for (const level& l : t.levels) chain = std::max(chain, l.merges + 1);
  return chain;
}

}  // namespace

domain domain_of(const question& q) {
  domain d;
  if (has_weights(q.what)) weights(q, d);
  else sums(q, d);
  const bool grows = has_weights(q.what) || (q.what == operation::sum && q.sum == summing::plain);
  const numerics::stagnation_limit chain{q.state, longest_chain(q, tree_of(q.shape))};
  if (grows && !chain.fits() && !d.refusal) {
    // fp32 stagnates as well, after 2^24 terms: there the bound says it; narrower states are refused.
    if (q.state.precision < 24) d.refusal = refusal(chain);
    else
      d.notes.push_back(fmt::format("a chain of {:.0f} equal terms stops growing after {:.0f}: merge by tree", chain.n, chain.available()));
  }
  return d;
}

void expect_safe(const domain& d) {
  if (!d.refusal) return;
  throw failure(exit_code::bad_input, d.refusal->code(), d.refusal->asked(), d.refusal->limit(),
                d.refusal->works() + "; see --state, --p, --tau, --offset, --b, --schedule");
}

}  // namespace twofold::cli::accuracy
