// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Extrema of products, whose sign turns them over. A maximum over prefixes needs the minimum too: max(p·qᵢ) is p·max(qᵢ) or
//! p·min(qᵢ) by the sign of p. An interval [low, high] that every step scales and joins with fixed values is scaled by the product of the
//! piece.
#include <algorithm>

#include "derive/reduce.hpp"
#include "derive/semiring.hpp"

namespace twofold::analyser::deriving {
namespace {

//! g, if t = u·g with g free of states.
std::optional<term> factor_of(term t, term u) {
  const auto r = linear_row(semiring::plus_times, t, {u});
  if (!r || !is_number(r->front().present, 1) || has_state(r->front().value)) return std::nullopt;
  if (!is_number(r->back().value, 0) || has_state(r->back().value)) return std::nullopt;
  return r->front().value;
}

//! max(v, u·g) for a product u that is merged already.
std::optional<part_result> over_prefixes(const part& p) {
  const state_variable& v = *p.variables[0];
  const term step = tidied(v.step);
  if (!step->is(op::max) && !step->is(op::min)) return std::nullopt;
  const bool largest = step->is(op::max);
  const bool first = step->args[0] == v.symbol;
  if (!first && step->args[1] != v.symbol) return std::nullopt;
  const term reached = step->args[first ? 1 : 0];
  for (const auto& u : p.upstream) {
    if (!u.merge || !u.merge->is(op::mul) || !u.init || !is_number(u.init, 1) || u.type != v.type) continue;
    const auto g = factor_of(reached, u.symbol);
    if (!g) continue;
    candidate::variable own = carried(v);
    const char* why = "a product that comes in from the left turns the right piece's extrema over where it is negative";
    auto high = added_variable("high", p, {}, v.type, why), low = added_variable("low", p, {high}, v.type, why);
    high.lift = low.lift = *g;
    high.init = minus_infinity(v.type);
    low.init = infinity(v.type);
    high.step = max(high.symbol, reached);
    low.step = min(low.symbol, reached);
    const term by = left_of(u.symbol), up = less_equal(number(0, v.type), by);
    const term top = select(up, mul(by, right_of(high.symbol)), mul(by, right_of(low.symbol)));
    const term bottom = select(up, mul(by, right_of(low.symbol)), mul(by, right_of(high.symbol)));
    high.merge = max(left_of(high.symbol), top);
    low.merge = min(left_of(low.symbol), bottom);
    own.merge = largest ? max(left_of(v.symbol), top) : min(left_of(v.symbol), bottom);
    return reduce(p.upstream, {own}, {high, low}, {}, {}, p.state);
  }
  return std::nullopt;
}

void members(term t, op k, std::vector<term>& to) {
  if (t->is(k))
    for (term a : t->args) members(a, k, to);
  else to.push_back(t);
}

//! high' = max(c…, g·high, g·low), low' = min of the same.
std::optional<part_result> of_interval(const part& p) {
  for (const std::size_t top : {0, 1}) {
    const state_variable &high = *p.variables[top], &low = *p.variables[1 - top];
    std::vector<term> above, below;
    members(tidied(high.step), op::max, above);
    members(tidied(low.step), op::min, below);
    std::set<term> factors;
    bool closed = std::set<term>(above.begin(), above.end()) == std::set<term>(below.begin(), below.end());
    for (term t : above) {
      if (!has_state(t)) continue;
      const auto h = factor_of(t, high.symbol), l = factor_of(t, low.symbol);
      closed &= h.has_value() != l.has_value();
      if (h || l) factors.insert(h ? *h : *l);
    }
    if (!closed || factors.size() != 1 || !is_number(high.init, 1) || low.init != high.init) continue;
    auto factor = added_variable("factor", p, {}, high.type, "the merge must know by which product the right piece scales what comes in");
    factor.init = number(1, high.type);
    factor.lift = *factors.begin();
    factor.step = mul(factor.symbol, factor.lift);
    factor.merge = mul(left_of(factor.symbol), right_of(factor.symbol));
    const term by = right_of(factor.symbol), a = mul(by, left_of(high.symbol)), b = mul(by, left_of(low.symbol));
    std::vector<candidate::variable> own;
    for (const auto* v : p.variables) {
      own.push_back(carried(*v));
      const term mine = right_of(v->symbol);
      own.back().merge = v == &high ? max(mine, max(a, b)) : min(mine, min(a, b));
    }
    return reduce(p.upstream, own, {factor}, {}, {}, p.state);
  }
  return std::nullopt;
}

}  // namespace

std::optional<part_result> products(const part& p, std::vector<std::string>&) {
  const bool ordered = std::all_of(p.variables.begin(), p.variables.end(), [&](const auto* v) {
    return !v->extent && v->type == p.variables[0]->type &&
           (v->type.kind == sort::real || (v->type.kind == sort::integer && v->type.is_signed));
  });
  if (!ordered || p.variables.size() > 2) return std::nullopt;
  auto r = p.variables.size() == 1 ? over_prefixes(p) : of_interval(p);
  if (r) r->mechanism = "extrema of products";
  return r;
}

}  // namespace twofold::analyser::deriving
