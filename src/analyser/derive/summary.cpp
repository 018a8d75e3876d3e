// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Composition of summaries.
#include "derive/summary.hpp"

#include <algorithm>

namespace twofold::analyser::deriving {

term group::value_of(std::size_t q, std::size_t c) const { return number(states[q][c], control[c]->type); }
term group::is_state(std::size_t q, const std::vector<term>& values) const {
  term r = boolean(true);
  for (std::size_t c = 0; c < control.size(); ++c) r = logical_and(r, equal(values[c], value_of(q, c)));
  return r;
}
std::vector<term> group::data_symbols() const {
  std::vector<term> r;
  for (const auto* v : data) r.push_back(v->symbol);
  return r;
}

summary identity(const group& g) {
  summary s(g.states.size());
  for (std::size_t q = 0; q < s.size(); ++q) {
    for (std::size_t c = 0; c < g.control.size(); ++c) s[q].control.push_back(g.value_of(q, c));
    for (std::size_t i = 0; i < g.data.size(); ++i) {
      row r(g.data.size() + 1, absent(g.data[i]->type));
      r[i] = one(g.over, g.data[i]->type);
      r.back() = settled(g.over, r.back());
      s[q].rows.push_back(r);
    }
  }
  return s;
}

std::optional<summary> step_of(const group& g) {
  summary s(g.states.size());
  const std::vector<term> data = g.data_symbols();
  for (std::size_t q = 0; q < s.size(); ++q) {
    substitution known;
    for (std::size_t c = 0; c < g.control.size(); ++c) known[g.control[c]->symbol] = g.value_of(q, c);
    for (const auto* v : g.control) {
      const term next = tidied(substitute(v->step, known));
      if (std::any_of(data.begin(), data.end(), [&](term d) { return has_symbol(next, d); })) return std::nullopt;
      s[q].control.push_back(next);
    }
    for (std::size_t i = 0; i < g.data.size(); ++i) {
      auto r = linear_row(g.over, tidied(substitute(g.data[i]->step, known)), data, g.flipped, g.is_flipped(i));
      if (!r) return std::nullopt;
      s[q].rows.push_back(*r);
    }
  }
  return s;
}

namespace {

row through(const group& g, const row& later, const std::vector<row>& first, type t) {
  const std::size_t n = g.data.size();
  row r(n + 1, absent(t));
  for (std::size_t j = 0; j <= n; ++j) {
    for (std::size_t k = 0; k < n; ++k) r[j] = joined(g.over, r[j], scaled(g.over, later[k], first[k][j]));
    if (j == n) r[j] = settled(g.over, joined(g.over, r[j], later[n]));
  }
  return r;
}

}  // namespace

transformer after(const group& g, const summary& later, const transformer& first) {
  transformer r;
  for (std::size_t q = later.size(); q-- > 0;) {
    transformer t;
    t.control = later[q].control;
    for (std::size_t i = 0; i < g.data.size(); ++i) t.rows.push_back(through(g, later[q].rows[i], first.rows, g.data[i]->type));
    if (q + 1 == later.size()) {
      r = t;
      continue;
    }
    const term here = g.is_state(q, first.control);
    for (std::size_t c = 0; c < r.control.size(); ++c) r.control[c] = select(here, t.control[c], r.control[c]);
    for (std::size_t i = 0; i < r.rows.size(); ++i)
      for (std::size_t j = 0; j < r.rows[i].size(); ++j) r.rows[i][j] = chosen(here, t.rows[i][j], r.rows[i][j]);
  }
  return r;
}
summary after(const group& g, const summary& later, const summary& first) {
  summary s;
  for (const transformer& t : first) s.push_back(after(g, later, t));
  return s;
}

transformer point(const group& g, const std::vector<term>& control, const std::vector<term>& data) {
  transformer t;
  t.control = control;
  for (std::size_t i = 0; i < g.data.size(); ++i) {
    row r(g.data.size() + 1, absent(g.data[i]->type));
    r.back() = {boolean(true), g.is_flipped(i) ? neg(data[i]) : data[i]};
    t.rows.push_back(r);
  }
  return t;
}

summary mapped(summary s, const std::function<term(term)>& f) {
  for (auto& t : s) {
    for (auto& c : t.control) c = f(c);
    for (auto& r : t.rows)
      for (auto& e : r) e = {f(e.present), f(e.value)};
  }
  return s;
}

}  // namespace twofold::analyser::deriving
